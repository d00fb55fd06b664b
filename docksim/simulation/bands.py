"""A run at both ends of its band of contact stiffness beside the one at its middle."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from functools import partial
from threading import Lock

from docksim.config.schema.band_ends import at_end, banded, contact_laws
from docksim.config.schema.bands import ENDS, End
from docksim.config.schema.scenario import Scenario
from docksim.result.bands import WITHOUT_FIGURES, add_band
from docksim.result.result import Result
from docksim.simulation.run import Start, simulate
from docksim.simulation.threads import available_cores, worker_threads

OUTER: tuple[End, End] = ("low", "high")


def simulate_over(
    scenario: Scenario,
    band: bool,
    workers: int | None = None,
    stop: Callable[[], bool] | None = None,
    metrics: Collection[str] | None = None,
    start: Start | None = None,
) -> Result:
    """A run; with `band` and a contact that has one, its loads over it. As many workers as cores if left out.

    `start` as for `simulate`.
    """
    result = simulate(scenario, stop=stop, metrics=metrics, start=start)
    return with_band(result, workers or available_cores(), stop=stop, start=start) if band else result


def lacks_band(result: Result) -> bool:
    """Has its contact a band, of which the run tells nothing though it has figures?"""
    return "band" not in result.manifest and result.outcome not in WITHOUT_FIGURES and bool(banded(result.scenario))


def with_band(
    result: Result,
    workers: int = 1,
    progress: Callable[[float], None] | None = None,
    stop: Callable[[], bool] | None = None,
    start: Start | None = None,
) -> Result:
    """The result, which is of the middle, with the loads of both ends; as it is if `stop()` ends them, if there is no
    band, or if it has no figures to begin with."""
    if not lacks_band(result):
        return result
    scenario = result.scenario
    done = dict.fromkeys(OUTER, 0.0)
    lock = Lock()

    def told(end: End, part: float) -> None:
        with lock:
            done[end] = part
            if progress is not None:
                progress(sum(done.values()) / len(done))

    def run(end: End) -> Result:
        # only the loads are wanted
        return simulate(at_end(scenario, end), partial(told, end), stop, metrics=(), start=start)

    if workers > 1:
        with worker_threads(min(workers, len(OUTER))) as pool:
            futures: dict[str, Future[Result]] = {end: pool.submit(run, end) for end in OUTER}
            ends = {end: future.result() for end, future in futures.items()}
    else:
        ends = {end: run(end) for end in OUTER}
    if all(one.outcome != "interrupted" for one in ends.values()):
        add_band(result, ends, _stiffness(scenario))
    return result


def _stiffness(scenario: Scenario) -> dict[str, dict[str, dict[str, float]]]:
    """By pair, part and end [N/m]."""
    return {
        name: {
            part: {end: law.stiffnesses(end)[i] for end in ENDS} for i, part in enumerate(("petals", "faces"))
        }
        for name, law in contact_laws(scenario).items()
    }  # fmt: skip
