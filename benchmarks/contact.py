"""Two vehicles, a mechanism, two docking interfaces: a step in contact against MuJoCo's, and steps between contacts."""

from __future__ import annotations

import statistics
from typing import Any

from benchmarks.contact_rig import ContactRig
from benchmarks.mechanism import mujoco_installed
from benchmarks.timing import Task, costs

STEP = 2e-4  # first-impact loads need it
# steps that a contact must last, or beginning anew would count
WINDOW = 100
# between the first touches of the two [s]: a polygon of 36 chords lies up to 2.3 mm inside its circle, at 50 mm/s
LATER = 0.06
APART = {"0.3 m apart": 0.30, "5 m apart": 5.0}


def contact_steps(repeats: int, seconds: float, step: float = STEP) -> list[dict[str, Any]]:
    """Rows of docksim and, if it is installed, of MuJoCo: a step while the interfaces touch."""
    rig = ContactRig(0.11, step).until_touch()
    window = rig.window()
    if window < WINDOW:
        raise RuntimeError(f"the contact lasts for {window} steps only")
    tasks: dict[str, Task] = {"docksim, RK4": rig.task(window)}
    contacts, touch = {"docksim, RK4": float(rig.contacts())}, rig.time
    if mujoco_installed():
        from benchmarks.contact_mujoco import COARSE, FINE, ContactPeer

        for name, fine in (("coarse", COARSE), ("fine", FINE)):
            for integrator in ("RK4", "Euler"):
                peer = ContactPeer(ContactRig(0.11, step), fine, integrator).until_touch()
                if abs(float(peer.data.time) - touch) > LATER:
                    raise RuntimeError(f"first touch: MuJoCo {peer.data.time:.3f} s, docksim {touch:.3f} s")
                lasts, count = peer.window()
                label = f"MuJoCo, {integrator}, {name}"
                tasks[label], contacts[label] = peer.stepping(lasts), count
    found = costs(tasks, repeats, seconds)
    ours = found["docksim, RK4"]
    return [
        {
            "code": name,
            "step_us": 1e6 * cost.best,
            "times": cost.best / ours.best,
            "times_median": statistics.median(theirs / mine for theirs, mine in zip(cost.samples, ours.samples)),
            "contacts": contacts[name],
            "spread": cost.spread,
        }
        for name, cost in found.items()
    ]


def free_steps(repeats: int, seconds: float, step: float = STEP) -> list[dict[str, Any]]:
    """Rows of docksim: a step of RK4 between contacts, with and without interfaces."""
    steps = 500
    rigs = {"no interfaces": ContactRig(5.0, step, touch=False)}
    rigs |= {f"interfaces, {name}": ContactRig(distance, step) for name, distance in APART.items()}
    rigs["interfaces without latches, 0.3 m apart"] = ContactRig(0.30, step, latches=None)
    found = costs({name: rig.task(steps) for name, rig in rigs.items()}, repeats, seconds)
    bare = found["no interfaces"]
    return [
        {
            "scene": name,
            "step_us": 1e6 * cost.best,
            "ratio": cost.best / bare.best,
            "ratio_median": statistics.median(mine / other for mine, other in zip(cost.samples, bare.samples)),
        }
        for name, cost in found.items()
    ]
