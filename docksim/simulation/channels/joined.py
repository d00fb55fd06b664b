"""Channels of joints that hooks make: the wrench through them, hooks, faces, seal, drive.

The wrench is that of the other port on the one that carries the hooks, on its axes and about its origin: positive along
x pulls the two apart. Pressure and preload are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docksim.compiler import Compiled
from docksim.model.log import Log
from docksim.result.result import Channel

_SCALARS = (
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


def joint_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """All joints that hooks with a count may make; zero while the ports are apart."""
    for i, row in enumerate(compiled.model.joined):
        name, rows = compiled.assembly.joints[row.weld].name, log.joined[:, i]
        frame = list(compiled.assembly.markers)[row.owner]
        text = f"through the joint, of the other port on {frame}"
        yield Channel(f"{name}.wrench_force_N", "N", frame, f"force {text}", rows["force"])
        yield Channel(f"{name}.wrench_moment_Nm", "N m", frame, f"moment {text}, about its origin", rows["moment"])
        for field, key, unit, text in _SCALARS:
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
