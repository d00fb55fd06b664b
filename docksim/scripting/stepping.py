"""A run that a program steps: look, push, fire, set, go back, and go on.

Time is taken in whole steps of the solver, which are those of `docksim.run`: whatever `dt` is, a run of which nothing
was asked gives the same bits. Asked for is what events of a scenario could do, and it is among the result's events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal

import numpy as np

from docksim.config.errors import unknown
from docksim.config.loading.scenario import load_scenario
from docksim.config.schema.scenario import Scenario as Checked
from docksim.model import Model, State
from docksim.model.log import Log, new_log
from docksim.result.result import Channel, EventRecord
from docksim.scripting.control import Law
from docksim.scripting.result import Result
from docksim.scripting.scenario import Scenario
from docksim.simulation.channels.run import channels_of
from docksim.simulation.channels.some import Gauge
from docksim.simulation.commands import Commands
from docksim.simulation.run import Run, new_run

CHUNK = 512  # steps between two looks at Ctrl-C
NEAR = 1e-9
Where = float | str | Callable[["Simulation"], bool] | None


class Now(Mapping[str, Any]):
    """All channels at one instant: `state["dock.position_m"]`; codes as the words they stand for."""

    def __init__(self, channels: Sequence[Channel]) -> None:
        self.channels = {channel.name: channel for channel in channels}

    @property
    def time_s(self) -> float:
        return float(self.channels["time_s"].data[-1])

    def __getitem__(self, name: str) -> Any:
        if name not in self.channels:
            raise KeyError(unknown("channel", name, self.channels))
        channel = self.channels[name]
        value = channel.data[-1]
        if channel.labels:
            return channel.labels[int(value)]
        return value.copy() if channel.components else value.item()

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels)

    def __len__(self) -> int:
        return len(self.channels)

    def __repr__(self) -> str:
        return f"<state at {self.time_s:.6g} s, {len(self)} channels>"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


@dataclass(frozen=True)
class Saved:
    """Where a run was, in memory: all that it takes to go on with the same bits."""

    time_s: float
    model: Model
    state: State
    log: Log
    wanted_s: float
    asked: tuple[EventRecord, ...]
    ports: tuple[str, ...]
    thrusters: tuple[str, ...]
    due: tuple[int, ...]  # of the laws

    def __repr__(self) -> str:
        return f"<saved at {self.time_s:.6g} s>"


class Simulation:
    """A scenario under way: `step`, look at `state`, act, `save` and `restore`, and take the `result`."""

    def __init__(
        self,
        scenario: Scenario | Checked | str | PathLike[str] | Mapping[str, Any],
        overrides: Mapping[str, Any] | None = None,
    ) -> None:
        """At the start of a scenario: one of `Scenario`, a file, the name of a shipped one, or a dict."""
        given = scenario.resolved if isinstance(scenario, Scenario) else scenario
        self._run = new_run(load_scenario(given, overrides))
        self._do = Commands(self._run)
        self._wanted_s = 0.0
        self._laws: list[Law] = []
        self._asked: list[EventRecord] = []
        self._seen, self._copy = self._run.compiled, self._ending()

    # ---------------------------------------------------------------- time

    @property
    def time(self) -> float:
        """Where it stands [s]: the end of the last whole step."""
        return float(self._run.compiled.state.clock[0].t)

    @property
    def running(self) -> bool:
        """Has it not come to its end yet?"""
        return self._run.running

    def step(self, dt: float) -> bool:
        """Go on by dt seconds, in whole steps; what is left of dt counts for the next call. False at the end."""
        if not 0.0 < dt < math.inf:
            advice = "time goes forward; save() and restore() go back"
            raise ValueError(f"step({dt}): expected a finite time greater than 0 s: {advice}")
        self._wanted_s += dt
        self._go_to(self._steps_at(self._wanted_s))
        return self.running

    def run_until(self, when: Where = None, check_every_s: float | None = None) -> bool:
        """Go on to a time [s], until an event has fired, until a function of the simulation is true, or to the end.

        True if it came to that before the run ended. A function is asked every `check_every_s`; left out: as often as
        rows are logged.
        """
        if when is None:
            self._go_to(self._last + 1)
            return True
        if isinstance(when, str):
            return self._until_event(when)
        if not callable(when):
            if not self.time <= when < math.inf:
                raise ValueError(f"run_until({when}): the run is at {self.time:.6g} s; restore() goes back")
            self._wanted_s = float(when)
            self._go_to(self._steps_at(when))
            return self.time >= when - self._step_s
        every = self._run.compiled.scenario.outputs.every_s if check_every_s is None else check_every_s
        while not when(self):
            if not self.step(every):
                return bool(when(self))
        return True

    def _until_event(self, name: str) -> bool:
        events = list(self._run.compiled.scenario.events)
        if name not in events:
            raise ValueError(unknown("event", name, events))
        fired = self._run.compiled.state.event[events.index(name)]
        while not fired.fired and self.running:
            self._go_to(self._run.step + 1)
        self._wanted_s = self.time
        return bool(fired.fired)

    @property
    def _step_s(self) -> float:
        return float(self._run.compiled.model.settings[0].step)

    @property
    def _last(self) -> int:
        return int(self._run.compiled.model.settings[0].n_steps)

    def _steps_at(self, time_s: float) -> int:
        """Whole steps before a time; at the end of the run one more, which logs it."""
        if time_s >= self._run.compiled.scenario.solver.duration_s * (1.0 - NEAR):
            return self._last + 1
        return math.floor(time_s / self._step_s + 1e-6)

    def _go_to(self, goal: int) -> None:
        run = self._run
        while run.running and run.step < goal:
            if run.step == self._last:
                run.advance(1)
                return
            for law in self._laws:
                law.sample(self, run.step)
            coming = [law.due for law in self._laws]
            # the call that takes the last step also sees the end
            run.advance(min([goal, run.step + CHUNK, *coming]) - run.step)

    # ---------------------------------------------------------------- looking

    @property
    def state(self) -> Now:
        """All channels at this instant. It takes some milliseconds; a law that names what it measures is faster."""
        return Now(channels_of(self._run.compiled, self._rows()))

    def measure(self, gauge: Gauge) -> np.ndarray:
        """The channels of a gauge, one after the other."""
        return np.concatenate([channel.data[-1].reshape(-1) for channel in gauge.read(self._rows())]).astype(float)

    def _rows(self) -> Log:
        """The start, which residuals are counted from, and this instant, which a copy of the run logs as its end."""
        run, logged = self._run, int(self._run.log.rows[0])
        if not run.running:
            return run.log.picked(np.array([0, logged - 1]))
        if self._seen is not run.compiled:
            self._seen, self._copy = run.compiled, self._ending()
        for own, theirs in zip(self._copy.compiled.state, run.compiled.state, strict=True):
            own[...] = theirs
        log = self._copy.log
        log.rows[0] = 0
        if logged:
            log.append(run.log, 0)
        self._copy.compiled.model.settings[0].n_steps = run.step
        self._copy.work.current[0] = 0
        self._copy.advance(1)
        return log.picked(np.arange(int(log.rows[0])))

    def _ending(self) -> Run:
        """A copy of the run that can be ended anywhere."""
        compiled = self._run.compiled
        model = compiled.model._replace(settings=compiled.model.settings.copy())
        model.settings["tolerance"] = 0.0
        return Run(replace(compiled, model=model, state=copied(compiled.state)), new_log(model, 3))

    # ---------------------------------------------------------------- acting

    def wrench(
        self,
        port: str,
        force: Sequence[float] = (0.0, 0.0, 0.0),
        moment: Sequence[float] = (0.0, 0.0, 0.0),
        frame: Literal["port", "inertial"] = "port",
    ) -> None:
        """A force [N] and a moment [N m] at a port, on its axes or those of W, from now until the next call for it."""
        if frame not in ("port", "inertial"):
            raise ValueError(unknown("frame", frame, ("port", "inertial")))
        self._do.wrench(port, force, moment, frame == "inertial")
        self._note("wrench", f"at {port}")

    def fire(self, thruster: str, for_s: float | None = None) -> None:
        """Fire a thruster for so long; without a time, until it is fired for 0 s."""
        self._do.fire(thruster, for_s)
        self._note("fire", f"{thruster} {'on' if for_s is None else f'for {for_s:.6g} s'}")

    def set(self, device: str, **values: Any) -> None:
        """New values of a device of a mechanism or joint: the keys of the action `set`, `servo` as a dict."""
        self._do.set(device, values)
        self._note("set", f"{device} {', '.join(f'{key} {value}' for key, value in values.items())}")

    def control(
        self,
        law: Callable[..., Any],
        every_s: float,
        measure: str | Sequence[str] = (),
        act: str | Sequence[str] = (),
    ) -> None:
        """Call a law at the start and every `every_s` from then on, before the step that begins there.

        With `measure`, channels by name, it is called as law(time_s, values), values one array of their numbers in
        order, and may be a numba function, which is fast. Without, it is called as law(simulation), as plain Python,
        and may look at `state` and act itself: slow, some milliseconds a call. `act` names ports (six numbers each:
        force, moment, on the port's axes) and thrusters (one each: seconds to fire) for what it returns.
        """
        step = self._step_s
        steps = round(every_s / step) if 0.0 < every_s < math.inf else 0
        if steps < 1 or abs(steps * step - every_s) > 1e-6 * step:
            raise ValueError(f"every_s = {every_s} s: expected whole steps of {step:g} s (solver.step_s)")
        names, seen = ((one,) if isinstance(one, str) else tuple(one) for one in (act, measure))
        gauge = Gauge(self._run.compiled, seen)
        gauge.read(self._rows())
        self._laws.append(Law(law, steps, gauge, names, self._run.compiled, self._do))

    def _note(self, name: str, text: str) -> None:
        self._asked.append(EventRecord(self.time, name, f"{text}, from outside"))

    # ---------------------------------------------------------------- going back

    def save(self) -> Saved:
        """Where the run is now. What a law of one's own remembers is not part of it."""
        compiled, log = self._run.compiled, self._run.log.filled()
        rows = Log(*(table.copy() for table in log))
        model = compiled.model._replace(pulse=compiled.model.pulse.copy())
        own = (tuple(self._asked), tuple(self._do.ports), tuple(self._do.thrusters), tuple(x.due for x in self._laws))
        self._do.changed()
        return Saved(self.time, model, copied(compiled.state), rows, self._wanted_s, *own)

    def restore(self, saved: Saved) -> None:
        """Back, or forward, to where `save` was called, in this run."""
        log = self._run.log
        for own, kept in zip(log.tables().values(), saved.log.tables().values(), strict=True):
            if own.shape[1:] != kept.shape[1:]:
                raise ValueError(f"restore: {saved!r} is of another scenario")
            own[: len(kept)] = kept
        log.rows[0] = saved.log.rows[0]
        self._wanted_s, self._asked = saved.wanted_s, list(saved.asked)
        self._do.ports, self._do.thrusters = list(saved.ports), list(saved.thrusters)
        for law, due in zip(self._laws, saved.due, strict=False):
            law.due = due
        self._do.bind(saved.model._replace(pulse=saved.model.pulse.copy()), copied(saved.state))

    def result(self) -> Result:
        """What there is so far, as `docksim.run` returns it; of a run that is not at its end: interrupted."""
        told = f"stepped to {self.time:.6g} s of {self._run.compiled.scenario.solver.duration_s:g} s"
        run = self._run
        if not run.log.rows[0]:
            # nothing is logged before the first step: the copy has the start
            self._rows()
            run = self._copy
        result = Result.of(run.result(("interrupted", told) if self.running else None))
        result.events = sorted([*result.events, *self._asked], key=lambda event: event.time_s)
        return result

    def __repr__(self) -> str:
        stands = "running" if self.running else "at its end"
        return f"<Simulation '{self._run.compiled.scenario.name}' at {self.time:.6g} s, {stands}>"


def copied(state: State) -> State:
    return State(*(table.copy() for table in state))
