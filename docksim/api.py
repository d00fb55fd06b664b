"""The Python way in: run a scenario, open a result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docksim.result.files import save_run
from docksim.result.result import Result


def run(
    source: str | Path | dict[str, Any],
    overrides: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    band: bool = False,
) -> Result:
    """Run one scenario (a file, or the same content as a dict) and return its result.

    `overrides` changes keys by dotted path: {"chaser.mass_kg": 9000}. With `out`, the result is also saved, in
    out/<scenario>/<run>, and `result.folder` says where; without it nothing is written.

    Contact whose stiffness is a band has the middle of it. With `band` it is run at both ends too, as `docksim run`
    does: three runs for one, and the metrics of interface loads get `<metric>.band_low` and `<metric>.band_high`.
    """
    # to open a result takes neither the schema nor the kernel
    from docksim.config import load_scenario
    from docksim.simulation.bands import simulate_over

    result = simulate_over(load_scenario(source, overrides), band)
    if out is not None:
        save_run(result, Path(out))
    return result


def load(folder: str | Path) -> Result:
    """Open a saved result folder, such as results/<scenario>/<run>."""
    return Result.load(folder)
