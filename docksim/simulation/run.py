"""One run: compile the scenario, call the kernel chunk by chunk, wrap the log.

Python and compiled code meet once per chunk of steps; chunks are sized to a tenth of a second, for progress and
interruption. The kernel releases the GIL, so several runs share one process and one compiled kernel.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.contact import overlap_text
from docksim.compiler.patching import fresh, patchable, patched
from docksim.compiler.shaft_tables import in_order
from docksim.compiler.tables import new_work
from docksim.config.schema.actions import PhaseAction, StopAction
from docksim.config.schema.fields import Part
from docksim.config.schema.names import moded
from docksim.config.schema.scenario import Scenario
from docksim.kernel.library import LIBRARY
from docksim.kernel.loop import advance
from docksim.model import (
    BAD_CLOSURE,
    BAD_JOIN,
    BAD_SEPARATION,
    BY_BASE,
    BY_ITSELF,
    DONE,
    MISALIGNED,
    NON_FINITE,
    OUT_OF_REACH,
    OVER_STROKE,
    OVERLAP,
    RUNNING,
    SINGULAR_LEG,
    STOPPED,
    STUCK,
    State,
)
from docksim.model.log import Log, new_log
from docksim.native.decorators import bound, plain_python
from docksim.native.libraries import is_ready, loaded
from docksim.result.metrics import metrics_of
from docksim.result.not_run import what_was_run
from docksim.result.pairs import pair_outcomes
from docksim.result.result import Channel, EventRecord, Metric, Result
from docksim.simulation.budget import as_if_all_had_happened, budget_of
from docksim.simulation.channels.run import channels_of, last_channels
from docksim.simulation.closures import closure_figures, closure_text
from docksim.simulation.extremes import extremes_of
from docksim.simulation.first_contact import both_states, find_start
from docksim.simulation.hooks import as_if_joined, hook_figures, joined_ports, misaligned_text, stalled_text
from docksim.simulation.joined import joint_figures
from docksim.simulation.judge import judge
from docksim.simulation.manifest import build_manifest
from docksim.simulation.parting import parting_figures, stuck_text
from docksim.simulation.retraction import retraction_figures
from docksim.simulation.threads import COMPILING, STOPPING

CHUNK_S = 0.1
KEPT = 4
Start = Callable[[Scenario], Compiled]
# whatever a scenario later uses of it, one step of one brick compiles the whole loop
SMALLEST = {
    "vehicles": {"brick": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}},
    "solver": {"duration_s": 0.05},
}
# events that were begun and not finished
CUT_SHORT = (MISALIGNED, BAD_JOIN, BAD_SEPARATION, STUCK, BAD_CLOSURE)
# why two ports cannot be joined
BAD_JOINS = {
    BY_ITSELF: "the two are joined already",
    BY_BASE: "that would close a loop, and a mechanism with inertial_base does not act on its base; leave that key out",
}
# the loop has been compiled in the ordinary way
_JIT_DONE: list[bool] = []


def kernel_is_cached() -> bool:
    """Will the next run start without compiling?"""
    return plain_python() or is_ready(LIBRARY)


class Run:
    """A scenario under way: its tables, scratch and log, moved on by so many steps at a time."""

    def __init__(self, compiled: Compiled, log: Log | None = None, preparation_s: float = 0.0) -> None:
        self.began = time.perf_counter()
        self.preparation_s = preparation_s
        self.kernel_s = 0.0
        approach = compiled.scenario.approach
        if approach is not None and approach.holds_at == "contact" and compiled.placement is None:
            raise ValueError("a state that holds at contact has not been placed; see at_the_start")
        self.compiled = compiled
        self.work = new_work(compiled.model, compiled.state)
        self.log = log or compiled.new_log()
        self.driven: Callable[[], bool] = bool  # did its motion come from outside?

    @property
    def log(self) -> Log:
        """Where rows go."""
        return self._log

    @log.setter
    def log(self, log: Log) -> None:
        self._log = log
        self._advance = bound(advance, self.compiled.model, self.compiled.state, self.work, log)

    @property
    def step(self) -> int:
        """Steps done."""
        return int(self.compiled.state.clock[0].step)

    @property
    def running(self) -> bool:
        return bool(self.compiled.state.clock[0].status == RUNNING)

    def advance(self, n: int) -> int:
        """At most n steps; returns the status."""
        began = time.perf_counter()
        status = int(self._advance(n))
        self.kernel_s += time.perf_counter() - began
        return status

    def result(
        self, outcome: tuple[str, str] | None = None, metrics: Collection[str] | None = None, **facts: Any
    ) -> Result:
        """Channels, events and metrics so far; `outcome` and its reason if something outside ended the run.

        With `metrics` the result is for them alone: of channels it has the last row of those that they are made of,
        and other peaks are left out.
        """
        compiled, scenario = self.compiled, self.compiled.scenario
        told = channels_of(compiled, self.log) if metrics is None else last_channels(compiled, self.log)
        channels = {channel.name: channel for channel in told}
        word, reason = outcome or outcome_of(compiled)
        events = event_records(compiled)
        ports = joined_ports(compiled)
        measured = hook_figures(scenario, ports) | joint_figures(compiled) | extremes_of(compiled)
        numbers: dict[str, Metric] = dict(metrics_of(channels, scenario, metrics, measured))
        numbers |= parting_figures(compiled) | retraction_figures(compiled) | closure_figures(compiled)
        pairs = pair_outcomes(scenario, channels, events, word, ports, numbers)
        verdict = judge(compiled, (word, reason), pairs, ports, self.driven())
        numbers = what_was_run(numbers, scenario, pairs, ports, events)
        numbers = {**{f"{one.pair}.outcome": one.word for one in pairs}, **numbers, **budget_of(compiled)}
        took = time.perf_counter() - self.began
        states = both_states(compiled)
        facts = {**facts, **({} if states is None else {"approach": states}), **_methods(scenario)}
        manifest = build_manifest(scenario.name, scenario.seed, took, kernel_preparation_s=self.preparation_s, **facts)
        manifest["kernel_time_s"] = self.kernel_s
        return Result(scenario, channels, verdict.outcome, verdict.reason, events, numbers, manifest, verdict.warnings)


def _methods(scenario: Scenario) -> dict[str, dict[str, str]]:
    """How the legs of each vehicle's mechanism were reduced to its ring."""
    methods: dict[str, str] = {
        name: vehicle.mechanism.method for name, vehicle in scenario.vehicles.items() if vehicle.mechanism
    }
    return {"mechanisms": methods} if methods else {}


def kernel_stamp() -> str:
    """Hash of the compiled code's sources and tables: equal stamps give equal bits."""
    return LIBRARY.stamp


def simulate(
    scenario: Scenario,
    progress: Callable[[float], None] | None = None,
    stop: Callable[[], bool] | None = None,
    metrics: Collection[str] | None = None,
    watch: Callable[[Compiled, Log], None] | None = None,
    start: Start | None = None,
) -> Result:
    """Run a scenario to its end, to a stop, or until `stop()` is true; `metrics` as for `Run.result`.

    `watch` gets the compiled scenario and the log before the run; the log's rows may be read whenever `progress` is
    called, not in between. `start` compiles it, if it is not `at_the_start`.
    """
    run = new_run(scenario, start)
    if watch is not None:
        watch(run.compiled, run.log)
    return run_on(run, progress, stop, metrics=metrics)


def at_the_start(scenario: Scenario) -> Compiled:
    """The scenario compiled, its vehicles where a run begins. The kernel is needed where an approach's state holds at
    contact."""
    if scenario.approach is not None and scenario.approach.holds_at == "contact":
        prepare_kernel()
    return compile_scenario(scenario, find_start(scenario))


class Tables:
    """Tables of scenarios that were compiled, for those that differ from them in keys that can be patched alone."""

    def __init__(self) -> None:
        self.kept: tuple[Compiled, ...] = ()

    def at_the_start(self, scenario: Scenario) -> Compiled:
        """As the function of this name, to the bit."""
        base = next((one for one in self.kept if patchable(one.scenario, scenario)), None)
        if base is not None:
            return patched(base, scenario, find_start(scenario))
        compiled = at_the_start(scenario)
        # a study has one, or three over a band; more of them would only be looked through
        self.kept = (replace(compiled, state=fresh(compiled.state)), *self.kept)[:KEPT]
        return compiled


def new_run(scenario: Scenario, start: Start | None = None) -> Run:
    """A run at its start."""
    preparation_s = prepare_kernel()
    began = time.perf_counter()
    run = Run((start or at_the_start)(scenario), preparation_s=preparation_s)
    run.began = began
    return run


def run_on(
    run: Run,
    progress: Callable[[float], None] | None = None,
    stop: Callable[[], bool] | None = None,
    keep: Callable[[Run], int] | None = None,
    metrics: Collection[str] | None = None,
) -> Result:
    """Go on with a run to its end. `keep` may keep its state, and says at which step it wants to see it next."""
    interrupted = to_the_end(run, progress, stop, keep)
    return run.result(("interrupted", "stopped by the user") if interrupted else None, metrics)


def prepare_kernel(progress: Callable[[float], None] | None = None) -> float:
    """Load the kernel, or compile it; the seconds it took. Runs that wait for it do not count it."""
    began = time.perf_counter()
    if not plain_python():
        with COMPILING:
            if STOPPING.is_set() and not is_ready(LIBRARY):
                raise KeyboardInterrupt
            if loaded(LIBRARY, progress).origin == "jit" and not _JIT_DONE:
                compiled = compile_scenario(Scenario.model_validate(SMALLEST))
                advance(compiled.model, compiled.state, new_work(compiled.model, compiled.state), compiled.new_log(), 1)
                _JIT_DONE.append(True)
    return time.perf_counter() - began


def metric_names(scenario: Scenario) -> list[str]:
    """The metrics that a run of this scenario may have: nothing is run, everything is taken as if it had happened."""
    compiled = compile_scenario(scenario)
    blank = new_log(compiled.model, 1)
    blank.rows[0] = 1
    with np.errstate(all="ignore"):
        channels = {channel.name: channel for channel in channels_of(compiled, blank)}
        measured = hook_figures(scenario, as_if_joined(joined_ports(compiled))) | joint_figures(compiled, happened=True)
        measured |= extremes_of(compiled, happened=True)
        happened = {name: _happened(channel) for name, channel in channels.items()}
        as_if_all_had_happened(compiled)
        parted = parting_figures(compiled, happened=True)
        own = (*parted, *closure_figures(compiled), *budget_of(compiled))
        return [*metrics_of(happened, scenario, measured=measured), *own]


def _happened(channel: Channel) -> Channel:
    """Contact and capture at the first instant."""
    times = (".first_contact_s", ".capture_s")
    return replace(channel, data=np.zeros_like(channel.data)) if channel.name.endswith(times) else channel


def to_the_end(
    run: Run,
    progress: Callable[[float], None] | None = None,
    stop: Callable[[], bool] | None = None,
    keep: Callable[[Run], int] | None = None,
) -> bool:
    """Advance to the end of the run; True if it was interrupted."""
    total = int(run.compiled.model.settings[0].n_steps)
    chunk = 16
    wanted = keep(run) if keep is not None else sys.maxsize
    while run.running:
        steps = min(chunk, max(wanted - run.step, 1))
        began = time.perf_counter()
        run.advance(steps)
        took = time.perf_counter() - began
        chunk = max(1, min(2 * chunk, int(steps * CHUNK_S / max(took, 1e-6))))
        if keep is not None and run.running and run.step >= wanted:
            wanted = keep(run)
        if progress is not None:
            progress(min(1.0, run.step / max(total, 1)))
        if stop is not None and run.running and stop():
            return True
    return False


def run_kernel(compiled: Compiled, log: Log) -> bool:
    """Advance compiled.state to the end of the run; True if it was interrupted."""
    return to_the_end(Run(compiled, log))


def outcome_of(compiled: Compiled) -> tuple[str, str]:
    """Outcome and reason in words."""
    clock = compiled.state.clock[0]
    names = list(compiled.scenario.events)
    if clock.status == DONE:
        return "completed", ""
    if clock.status == STOPPED:
        return _stopped(compiled, names[clock.culprit])
    if clock.status == NON_FINITE:
        return "diverged", _divergence(compiled)
    if clock.status in (OUT_OF_REACH, SINGULAR_LEG):
        return "failed", _lost_leg(compiled)
    if clock.status == OVERLAP:
        return "failed", overlap_text(compiled.scenario, compiled.model, int(clock.culprit), float(clock.value))
    if clock.status == OVER_STROKE:
        return "over-stroke", _over_stroke(compiled)
    if clock.status == BAD_CLOSURE:
        return "failed", closure_text(compiled, names[clock.culprit] if clock.culprit >= 0 else "")
    event = f"event '{names[clock.culprit]}' at t = {clock.t:.6g} s"
    if clock.status == MISALIGNED:
        return "misaligned", f"{event}: {misaligned_text(compiled)}"
    if clock.status == STUCK:
        return "stuck", f"{event}: {stuck_text(compiled)}"
    if clock.status == BAD_SEPARATION:
        return "failed", f"{event} cannot separate: nothing is joined there"
    return "failed", f"{event} cannot join: {BAD_JOINS[int(clock.value)]}"


def _lost_leg(compiled: Compiled) -> str:
    clock = compiled.state.clock[0]
    rows = compiled.model.mechanism
    i = next(i for i, row in enumerate(rows) if clock.culprit < row.first_leg + row.n_legs)
    leg = int(clock.culprit - rows[i].first_leg) + 1
    what = f"in a singular pose (margin {clock.value:.3g})"
    if clock.status == OUT_OF_REACH:
        what = f"out of reach (cosine of the crank's angle {clock.value:.6g}, beyond 1)"
    phase = compiled.phases[clock.phase]
    return f"leg {leg} of {compiled.assembly.mechanisms[i].name} is {what} at t = {clock.t:.6g} s, phase {phase}"


def _over_stroke(compiled: Compiled) -> str:
    """Which leg or coupling compressed a stop beyond its travel, how far, and when."""
    clock, k = compiled.state.clock[0], int(compiled.state.clock[0].culprit)
    one = in_order(compiled.assembly)[k]
    shaft = one.shaft
    x = float(clock.value)
    limit = shaft.upper if x > shaft.upper else shaft.lower
    factor, unit = (180.0 / math.pi, "deg") if shaft.unit == "rad" else (1.0, "m")
    at, end, travel = (f"{factor * value:.4f} {unit}" for value in (x, limit, shaft.stop_travel))
    return f"{one.words} at {at}, limit {end} and {travel} of stop, at t = {clock.t:.6g} s"


def _stopped(compiled: Compiled, event: str) -> tuple[str, str]:
    """The outcome that the event's stop asks for, and its reason; of ports that are misaligned with their stand."""
    stop = next(action for action in compiled.scenario.events[event].do if isinstance(action, StopAction))
    reason = f"event '{event}': {stop.stop}"
    if stop.outcome == "misaligned" and (stand := stalled_text(compiled)):
        reason += f": {stand}"
    return stop.outcome or "stopped", reason


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
    text = ", ".join(action_text(compiled.scenario, action) for action in compiled.scenario.events[name].do)
    if state.clock[0].status in CUT_SHORT and i == state.clock[0].n_records - 1:
        text += ": not carried out"
    return EventRecord(float(record.t), name, text, float(record.loss))


def action_text(scenario: Scenario, action: Part) -> str:
    """The action in words: its key and what it acts on, such as "join chaser.nose + station.port", and new modes."""
    key = next(iter(type(action).model_fields))
    command = getattr(action, key)
    target = getattr(command, next(iter(type(command).model_fields))) if isinstance(command, Part) else command
    text = f"{key} {' + '.join(target) if isinstance(target, tuple | list) else target}"
    if isinstance(action, PhaseAction):
        return ", ".join([text, *_modes_of(scenario, action.phase)])
    mode = getattr(command, "mode", None)
    return f"{text} {mode}" if mode is not None else text


def _modes_of(scenario: Scenario, phase: str) -> list[str]:
    """Modes that a phase brings, in words."""
    switched = [(path, part.by_phase[phase]) for path, part in moded(scenario).items() if phase in part.by_phase]
    return [f"{kind} {'.'.join((vehicle, *names))} {mode}" for (_, vehicle, kind, *names), mode in switched]
