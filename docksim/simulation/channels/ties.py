"""Channels of what ties two bodies beside their trees: closures, joints that hooks make, ports that part.

The wrench through a joint of hooks is that of the other port on the one that carries them, on its axes and about its
origin: positive along x pulls the two apart; pressure and preload are not in it. Of ports that part pushes are
positive, and pulls of hooks and seal are told as pulls.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docksim.algebra.rotations import TO_DEG
from docksim.compiler import Compiled
from docksim.config.schema.joining import hooks_of
from docksim.model.log import Log
from docksim.model.parting import HOOK, ROD, SEAL
from docksim.result.result import Channel

_OF_CLOSURES = (
    # field of the log, name, unit, factor, description
    ("on", "on", "", 1.0, "1 while it is closed"),
    ("gap", "gap_m", "m", 1.0, "how far the ends are from where they are tied"),
    ("turn", "turn_deg", "deg", TO_DEG, "how far they are turned from where they are tied"),
    ("gap_rate", "gap_rate_m_s", "m/s", 1.0, "speed along the directions that are tied"),
    ("turn_rate", "turn_rate_deg_s", "deg/s", TO_DEG, "rate about the directions that are tied"),
)
_OF_JOINTS = (
    # field of the log, name, unit, description
    ("gap", "gap_m", "m", "gap of the faces on the axis; negative: pressed together"),
    ("widest", "widest_gap_m", "m", "widest gap at the circle of hooks"),
    ("face_least_force", "face_least_N", "N", "least force of the faces at a hook; negative: what they gape by"),
    ("seal", "seal_N", "N", "force of the seal"),
    ("seal_compression", "seal_least_compression_m", "m", "least compression of the seal around it"),
    ("rods", "rods_N", "N", "force of the push rods"),
    ("torque", "drive_torque_Nm", "N m", "torque that turns all cams; negative while they are let back"),
    ("cam_work", "closing_work_J", "J", "work of the cams so far"),
    ("load_work", "load_work_J", "J", "work of loads and pressure on the small motion of the faces so far"),
    ("stored", "stored_J", "J", "energy in hooks, faces, seal and rods"),
    ("slip_margin", "slip_margin_N", "N", "friction of the faces less shear and torsion; below 0 pins carry the rest"),
)


def closure_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """Zero while a closure is open."""
    for i, (key, closure) in enumerate(compiled.scenario.closures.items()):
        rows, frame = log.closure[:, i], closure.between[0]
        if closure.axis is not None:
            frame = f"{frame}, z along the axis"
        who = f"of {closure.between[0]} on {closure.between[1]}"
        yield Channel(f"closures.{key}.force_N", "N", frame, f"force {who}", rows["force"])
        text = f"moment {who}, about the point where it is held"
        yield Channel(f"closures.{key}.moment_Nm", "N m", frame, text, rows["moment"])
        for field, name, unit, factor, text in _OF_CLOSURES:
            yield Channel(f"closures.{key}.{name}", unit, "", text, factor * rows[field])


def joint_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """All joints that hooks with a count may make; zero while the ports are apart."""
    for i, row in enumerate(compiled.model.joined):
        name, rows = compiled.assembly.joints[row.weld].name, log.joined[:, i]
        frame = list(compiled.assembly.markers)[row.owner]
        text = f"through the joint, of the other port on {frame}"
        yield Channel(f"{name}.wrench_force_N", "N", frame, f"force {text}", rows["force"])
        yield Channel(f"{name}.wrench_moment_Nm", "N m", frame, f"moment {text}, about its origin", rows["moment"])
        for field, key, unit, text in _OF_JOINTS:
            yield Channel(f"{name}.{key}", unit, "", text, rows[field])
        joined = rows["stored"] > 0.0
        gaping = (joined & (rows["face_least_force"] <= 0.0)).astype(float)
        yield Channel(f"{name}.gapped", "", "", "1 where the faces do not touch at every hook", gaping)
        for k, key in enumerate(("tunnel_Pa", "between_seals_Pa")):
            where = key.removesuffix("_Pa").replace("_", " ")
            yield Channel(f"{name}.{key}", "Pa", "", f"pressure, {where}", rows["pressure"][:, k])
        hooks = log.hook[:, int(row.first_hook) : int(row.first_hook + row.hooks)]
        for k in range(hooks.shape[1]):
            yield Channel(f"{name}.hook_{k + 1}_force_N", "N", "", "pull of the hook", np.asarray(hooks["force"][:, k]))
            text = "way of the cam; 0 where an unloaded hook just touches, faces together"
            yield Channel(f"{name}.hook_{k + 1}_cam_m", "m", "", text, np.asarray(hooks["cam"][:, k]))


def parting_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """Of every two that events part."""
    model = compiled.model
    for i, row in enumerate(model.parting):
        name = compiled.assembly.joints[int(row.weld)].name
        ties = slice(int(row.first_tie), int(row.first_tie + row.n_ties))
        kinds, forces = model.tie["kind"][ties], log.tie["force"][:, ties]
        text = "distance of the ports along the axis of the plate that is pushed"
        yield Channel(f"{name}.parting_gap_m", "m", "", text, log.parting["gap"][:, i])
        for k, force in enumerate(forces[:, kinds == ROD].T, start=1):
            yield Channel(f"{name}.rod_{k}_force_N", "N", "", f"push of rod {k} once the two part", force)
        for k, force in zip(_late_hooks(compiled, name), forces[:, kinds == HOOK].T, strict=True):
            yield Channel(
                f"{name}.late_hook_{k}_force_N", "N", "", f"pull of hook {k} once the others have let go", -force
            )
        if (kinds == SEAL).any():
            pull = -forces[:, kinds == SEAL].sum(axis=1)
            yield Channel(f"{name}.seal_pull_N", "N", "", "pull of the seal that clings", pull)
        if row.area > 0.0:
            yield Channel(
                f"{name}.pressure_force_N", "N", "", "push of residual pressure", log.parting["pressure"][:, i]
            )


def _late_hooks(compiled: Compiled, weld: str) -> list[int]:
    """Their numbers, of two ports that are joined."""
    first, _, second = weld.partition("+")
    hooks = hooks_of(compiled.scenario, (first, second)) if second else None
    return [late.hook for late in hooks.late_to_open] if hooks is not None else []
