"""Tables of a scenario that differs from another one in few keys: those of the other, with what the keys change.

Keys that can be patched are the state of an approach, which is in the roots of the trees alone, and the friction of
contacts, one number of a pair. Whoever differs in anything else is compiled anew. The bits are the same either way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from docksim.compiler.approach import Placement, starts
from docksim.compiler.assembly import root_joint
from docksim.compiler.reference import with_reference
from docksim.compiler.tables import Compiled
from docksim.config.schema.band_ends import contact_laws
from docksim.config.schema.contact import Approach
from docksim.config.schema.fields import Part
from docksim.config.schema.interface import Contact
from docksim.config.schema.scenario import Scenario
from docksim.model import State

PATCHED: dict[type[Part], tuple[str, ...]] = {
    Approach: (
        "distance_m", "start_distance_m", "closing_rate_m_s", "lateral_offset_m", "lateral_rate_m_s",
        "roll_deg", "pitch_deg", "yaw_deg", "roll_rate_deg_s", "pitch_rate_deg_s", "yaw_rate_deg_s",
    ),
    Contact: ("friction",),
}  # fmt: skip


def patchable(one: Any, other: Any) -> bool:
    """Do two scenarios, or parts of them, differ in keys alone that can be patched?"""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Part):
        free = PATCHED.get(type(one), ())
        return all(k in free or patchable(getattr(one, k), getattr(other, k)) for k in type(one).model_fields)
    if isinstance(one, dict):
        return list(one) == list(other) and all(patchable(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(patchable, one, other))
    # zeros of either sign are equal, and not the same
    return bool(one == other) and repr(one) == repr(other)


def patched(base: Compiled, scenario: Scenario, placement: Placement | None) -> Compiled:
    """The tables of a patchable scenario, where it begins as for `compile_scenario`. The base has not run."""
    assembly = replace(base.assembly, joints=list(base.assembly.joints))
    for name, start in starts(with_reference(scenario)[0], placement).items():
        i = base.assembly.joint_index(name)
        assembly.joints[i] = root_joint(name, start, base.assembly.joints[i].succ)
    contact, state = base.model.contact.copy(), fresh(base.state)
    for row, law in zip(contact, contact_laws(scenario).values(), strict=True):
        row.friction = law.friction
    state.q[:] = [x for part in assembly.joints for x in part.start]
    state.beta[:] = [c.rate for part in assembly.joints for c in part.coordinates]
    return Compiled(scenario, assembly, base.model._replace(contact=contact), state, base.phases, placement)


def fresh(state: State) -> State:
    """A state of its own, with the same content."""
    return State(*(np.copy(table, subok=True) for table in state))
