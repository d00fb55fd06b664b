"""The Python way in: run a scenario or a study, open what was saved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docksim.config.errors import Problem, ScenarioError
from docksim.result.files import save_run
from docksim.result.result import ResultError
from docksim.scripting.result import Result

if TYPE_CHECKING:
    from docksim.scripting.scenario import Scenario

YAML = (".yaml", ".yml")


def run(
    source: str | Path | dict[str, Any] | Scenario,
    overrides: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    band: bool = False,
) -> Result:
    """Run one scenario (a file, the same content as a dict, or a `Scenario`) and return its result.

    `overrides` changes keys by dotted path: {"chaser.mass_kg": 9000}. With `out`, the result is also saved, in
    out/<scenario>/<run>, and `result.folder` says where; without it nothing is written.

    Contact whose stiffness is a band has the middle of it. With `band` it is run at both ends too, as `docksim run`
    does: three runs for one, and the metrics of interface loads get `<metric>.band_low` and `<metric>.band_high`.
    """
    # to open a result takes neither the schema nor the kernel
    from docksim.config import load_scenario
    from docksim.config.loading.given import given
    from docksim.simulation.bands import simulate_over

    resolved = source if isinstance(source, str | Path | dict) else getattr(source, "resolved", source)
    result = Result.of(simulate_over(load_scenario(resolved, overrides), band))
    own = {**getattr(source, "changes", {}), **(overrides or {})}
    result.given_by = lambda: given(getattr(source, "source", source), own)
    if out is not None:
        save_run(result, Path(out))
    return result


def load(folder: str | Path) -> Result:
    """Open a saved result folder, such as results/<scenario>/<run>."""
    given = Path(folder)
    if not given.is_dir() and (kind := _kind_of(given)):
        own = repr(str(folder))
        advice = f"docksim.Scenario.load({own}) opens it, docksim.run({own}) runs it"
        if kind == "study file":
            advice = f"docksim.run_study({own}) runs it"
        text = f"is a {kind}, and load opens saved results: {advice}"
        raise ScenarioError([Problem(str(folder), None, "", text)])
    if (given / "study.sqlite").is_file() or given.suffix == ".sqlite":
        raise ResultError(f"{folder}: is a study; docksim.Study.load({str(folder)!r}) opens it")
    return Result.load(given)


def _kind_of(given: Path) -> str:
    """What a file that makes results is, one of the user's or one that comes with docksim; else nothing."""
    from docksim.config.loading import files, study

    if given.suffix not in YAML and files.found_file(given) == given:
        return ""
    return "study file" if study.is_study(given) else "scenario"
