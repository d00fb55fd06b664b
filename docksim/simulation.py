"""One run: compile the scenario, call the kernel chunk by chunk, wrap the log.

Python and compiled code meet once per chunk of steps; chunks are sized to a tenth of a second, for progress and
interruption. The kernel releases the GIL, so several runs share one process and one compiled kernel.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from docksim import model as codes
from docksim.channels import channels_of
from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.contact import overlap_text
from docksim.compiler.shaft_tables import in_order
from docksim.compiler.tables import new_work
from docksim.config.schema import Part, Scenario, StopAction
from docksim.docking import outcome_of_docking
from docksim.manifest import build_manifest
from docksim.metrics import metrics_of
from docksim.model import Log, State
from docksim.result import EventRecord, Result

CHUNK_S = 0.1
# whatever a scenario later uses of it, one step of one brick compiles the whole loop
SMALLEST = {
    "vehicles": {"brick": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}},
    "solver": {"duration_s": 0.05},
}
_PREPARING = threading.Lock()


def kernel_is_cached() -> bool:
    """Will the next run start without compiling?"""
    from docksim.kernel.jit import CACHE_FOLDER

    return CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob("loop.advance-*.nbc"))


def simulate(
    scenario: Scenario,
    progress: Callable[[float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Result:
    """Run a scenario to its end, to a stop, or until `stop()` is true."""
    preparation_s = prepare_kernel()
    began = time.perf_counter()
    compiled = compile_scenario(scenario)
    log = compiled.new_log()
    interrupted = run_kernel(compiled, log, progress, stop)
    channels = {channel.name: channel for channel in channels_of(compiled, log.data[: log.rows[0]])}
    outcome, reason = ("interrupted", "stopped by the user") if interrupted else outcome_of(compiled)
    events = event_records(compiled)
    outcome, reason = outcome_of_docking(scenario, channels, events, outcome, reason)
    return Result(
        scenario,
        channels,
        outcome,
        reason,
        events,
        metrics_of(channels, scenario, events),
        build_manifest(
            scenario.name, scenario.seed, time.perf_counter() - began, kernel_preparation_s=preparation_s
        ),
    )


def prepare_kernel() -> float:
    """Compile the kernel, or load it from the cache; the seconds it took. Runs that wait for it do not count it."""
    began = time.perf_counter()
    from docksim.kernel.loop import advance

    with _PREPARING:
        if not getattr(advance, "signatures", True):
            compiled = compile_scenario(Scenario.model_validate(SMALLEST))
            advance(compiled.model, compiled.state, new_work(compiled.model, compiled.state), compiled.new_log(), 1)
    return time.perf_counter() - began


def metric_names(scenario: Scenario) -> list[str]:
    """The metrics a run of this scenario will have; one step is enough to know them."""
    from docksim.kernel.loop import advance

    prepare_kernel()
    compiled = compile_scenario(scenario)
    log = compiled.new_log()
    advance(compiled.model, compiled.state, new_work(compiled.model, compiled.state), log, 1)
    channels = {channel.name: channel for channel in channels_of(compiled, log.data[: log.rows[0]])}
    return list(metrics_of(channels, scenario))


def run_kernel(
    compiled: Compiled,
    log: Log,
    progress: Callable[[float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> bool:
    """Advance compiled.state to the end of the run; True if it was interrupted."""
    from docksim.kernel.loop import advance

    model, state = compiled.model, compiled.state
    work = new_work(model, state)
    clock, total = state.clock[0], int(model.settings[0].n_steps)
    chunk = 16
    while clock.status == codes.RUNNING:
        began = time.perf_counter()
        advance(model, state, work, log, chunk)
        took = time.perf_counter() - began
        chunk = max(1, min(2 * chunk, int(chunk * CHUNK_S / max(took, 1e-6))))
        if progress is not None:
            progress(min(1.0, float(clock.step) / max(total, 1)))
        if stop is not None and clock.status == codes.RUNNING and stop():
            return True
    return False


def outcome_of(compiled: Compiled) -> tuple[str, str]:
    """Outcome and reason in words."""
    clock = compiled.state.clock[0]
    names = list(compiled.scenario.events)
    if clock.status == codes.DONE:
        return "completed", ""
    if clock.status == codes.STOPPED:
        return _stop_word(compiled.scenario, names[clock.culprit]), _stop_reason(
            compiled.scenario, names[clock.culprit]
        )
    if clock.status == codes.NON_FINITE:
        return "diverged", _divergence(compiled)
    if clock.status in (codes.OUT_OF_REACH, codes.SINGULAR_LEG):
        return "failed", _lost_leg(compiled)
    if clock.status == codes.OVERLAP:
        return "failed", overlap_text(compiled.scenario, compiled.model, int(clock.culprit), float(clock.value))
    if clock.status == codes.OVER_STROKE:
        return "over-stroke", _over_stroke(compiled)
    whys = {
        codes.BAD_JOIN: "cannot join: the two are one tree already, or both are anchored",
        codes.BAD_SEPARATION: "cannot separate: nothing is joined there",
    }
    return "failed", f"event '{names[clock.culprit]}' at t = {clock.t:.6g} s {whys[int(clock.status)]}"


def _lost_leg(compiled: Compiled) -> str:
    clock = compiled.state.clock[0]
    rows = compiled.model.mechanism
    i = next(i for i, row in enumerate(rows) if clock.culprit < row.first_leg + row.n_legs)
    leg = int(clock.culprit - rows[i].first_leg) + 1
    what = f"in a singular pose (margin {clock.value:.3g})"
    if clock.status == codes.OUT_OF_REACH:
        what = f"out of reach (cosine of the crank's angle {clock.value:.6g}, beyond 1)"
    phase = compiled.phases[clock.phase]
    return f"leg {leg} of {compiled.assembly.mechanisms[i].name} is {what} at t = {clock.t:.6g} s, phase {phase}"


def _over_stroke(compiled: Compiled) -> str:
    """Which leg or coupling compressed a stop beyond its travel, how far, and when."""
    clock, k = compiled.state.clock[0], int(compiled.state.clock[0].culprit)
    _, part, shaft = in_order(compiled.assembly.mechanisms)[k]
    kind, name = shaft.name.split(".", 1)
    who = f"leg {name}" if kind == "legs" else f"coupling '{name}'"
    x = float(clock.value)
    limit = shaft.upper if x > shaft.upper else shaft.lower
    factor, unit = (180.0 / math.pi, "deg") if shaft.unit == "rad" else (1.0, "m")
    at, end, travel = (f"{factor * value:.4f} {unit}" for value in (x, limit, shaft.stop_travel))
    return f"{who} of '{part.vehicle}' at {at}, limit {end} and {travel} of stop, at t = {clock.t:.6g} s"


def _stop_reason(scenario: Scenario, event: str) -> str:
    texts = [action.stop for action in scenario.events[event].do if isinstance(action, StopAction)]
    return f"event '{event}': {texts[0]}"


def _stop_word(scenario: Scenario, event: str) -> str:
    """The outcome that the event's stop asks for."""
    words = [action.outcome for action in scenario.events[event].do if isinstance(action, StopAction)]
    return words[0] or "stopped"


def _divergence(compiled: Compiled) -> str:
    clock = compiled.state.clock[0]
    body = compiled.assembly.bodies[clock.culprit].name
    phase = compiled.phases[clock.phase]
    advice = "try a smaller step_s, or integrator: linearly_implicit for stiff joints"
    return f"non-finite state at t = {clock.t:.6g} s (step {clock.step}), body '{body}', phase {phase}; {advice}"


def event_records(compiled: Compiled) -> list[EventRecord]:
    """Fired events in their order, with what they did and lost."""
    return [_event_record(compiled, compiled.state, i) for i in range(compiled.state.clock[0].n_records)]


def _event_record(compiled: Compiled, state: State, i: int) -> EventRecord:
    record = state.record[i]
    name = list(compiled.scenario.events)[record.event]
    text = ", ".join(action_text(action) for action in compiled.scenario.events[name].do)
    return EventRecord(float(record.t), name, text, float(record.loss))


def action_text(action: Part) -> str:
    """The action in words: its key and what it acts on, such as "join chaser.nose + station.port"."""
    key = next(iter(type(action).model_fields))
    target = getattr(action, key)
    if isinstance(target, Part):
        target = getattr(target, next(iter(type(target).model_fields)))
    return f"{key} {' + '.join(target) if isinstance(target, tuple) else target}"
