"""Loads in sections of a chain at one state, or along the motion of a task."""

from __future__ import annotations

import numpy as np

from docksim.chain.build import build_chain
from docksim.chain.kinematics.links import kinematics
from docksim.chain.motion.loads import Loads
from docksim.chain.motion.runs import ChainMotion, run_task
from docksim.chain.sections.reactions import reaction_wrenches
from docksim.chain.sections.sections import POINTS, Outside, SectionLoads, lines_of
from docksim.config.loading.chain_task import LoadedTask
from docksim.config.schema.chain import Chain
from docksim.result.result import ResultError
from docksim.result.sections import LineLoads


def of_state(
    chain: Chain, state: tuple[np.ndarray, np.ndarray, np.ndarray], wrench: np.ndarray, points: int = POINTS
) -> list[LineLoads]:
    """At a state (q, q', q''), with a wrench [force; moment] on the tool, on the world's axes."""
    model = build_chain(chain)
    load = Outside(model.n - 1, model.p_end[-1], wrench[:3], wrench[3:])
    loads = SectionLoads(model, model, lines_of(chain, points, [load]))
    return loads.along(np.zeros(1), [state], [[load]])


def of_task(loaded: LoadedTask, points: int = POINTS, static: bool = False) -> list[LineLoads]:
    """Along the motion of a task; `static` is at rest at every place of it."""
    if static and loaded.task.constraint:
        raise loaded.error(("constraint",), "at rest, what constraints bear and what the drives is not decided")
    motion = run_task(loaded)
    if motion.outcome != "completed":
        raise ResultError(f"{loaded.file}: {motion.reason}")
    outside = [wrenches_at(loaded, motion, i) for i in range(len(motion.time_s))]
    still = 0.0 if static else 1.0
    states = list(zip(motion.q, still * motion.rates, still * motion.accelerations, strict=True))
    loads = SectionLoads(motion.model, build_chain(loaded.chain), lines_of(loaded.chain, points, outside[0]))
    return loads.along(motion.time_s, states, outside)


def wrenches_at(loaded: LoadedTask, motion: ChainMotion, row: int) -> list[Outside]:
    """All that acts on the links from outside at a row of the motion."""
    state = kinematics(motion.model, motion.q[row], motion.rates[row])
    wrenches = []
    for load in Loads(motion.model, loaded.task.loads).parts:
        R = state.R[load.link]
        force, moment = load.on_link(float(motion.time_s[row]), R)
        wrenches.append(Outside(load.link, load.point, R @ force, R @ moment))
    if motion.kind != "constraint":
        return wrenches
    start = kinematics(motion.model, motion.q[0], motion.rates[0])
    return wrenches + reaction_wrenches(loaded.task.constraint, start, state, motion.reaction[row], motion.f[row])
