"""Channels of two ports that part: their gap, and what acts between them; pushes are positive, pulls of hooks and seal
are told as pulls."""

from __future__ import annotations

from collections.abc import Iterator

from docksim.compiler import Compiled
from docksim.config.schema.joining import hooks_of
from docksim.model.log import Log
from docksim.model.parting import HOOK, ROD, SEAL
from docksim.result.result import Channel


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
