"""What a program asks of a run between two steps: wrenches at ports, firings of thrusters, settings of devices.

They go through the tables that the kernel reads anyway. A port, or a thruster, gets its row when it is first used, so
that a run of which nothing was asked has the bits of any other. Settings run the kernel's own source as plain Python.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from pydantic import ValidationError

from docksim.algebra import elementary
from docksim.compiler.device_events import set_rows
from docksim.compiler.drives import DriveTables
from docksim.compiler.loads import load_tables
from docksim.compiler.shaft_tables import shaft_names
from docksim.config.checks.events import check_events
from docksim.config.errors import Problem, ScenarioError, unknown
from docksim.config.loading.explain import explain
from docksim.config.schema.device_events import SetAction
from docksim.config.schema.events import Event
from docksim.kernel.mechanism.shafts import set_shaft
from docksim.model import Model, State, table
from docksim.model.events import EXTERNAL, ON_BODY_AXES, ON_WORLD_AXES, PULSE
from docksim.numbers.plain import plain
from docksim.simulation.run import Run

LARGEST_FORCE = 1e7  # [N], [N m]: more than any docking bears
FOREVER = 1e15  # [steps]


class _Maths:
    """Elementary functions with the bits of compiled code, and what is exact anyway."""

    def __getattr__(self, name: str) -> Any:
        own = getattr(elementary, name, None)
        return getattr(own, "py_func", own) or getattr(math, name)


class Commands:
    """Writes what is asked into the tables of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.ports: list[str] = []
        self.thrusters: list[str] = []
        self._own_pulses = len(run.compiled.model.pulse)
        self._allowed: set[tuple[str, tuple[str, ...]]] = set()

    @property
    def state(self) -> State:
        return self.run.compiled.state

    @property
    def steps(self) -> float:
        """Where the run is [steps]."""
        clock = self.state.clock[0]
        return float(clock.step + clock.since)

    def changed(self) -> None:
        """Something else acts from here on: the state is evaluated anew."""
        self.run.work.current[0] = 0

    def wrench(self, port: str, force: Any, moment: Any, world: bool = False) -> None:
        """A force and a moment at a port's origin, on its own axes or those of W, from now on."""
        markers = self.run.compiled.assembly.markers
        if port not in markers:
            raise ValueError(unknown("port", port, markers))
        vectors = [checked(f"{what} at {port}", value, 3) for what, value in (("force", force), ("moment", moment))]
        if port not in self.ports:
            self.ports.append(port)
            self._widen(list(markers).index(port), markers[port])
        turn = np.eye(3) if world else markers[port].place.axes
        row = self.state.external[self.ports.index(port)]
        row.axes = ON_WORLD_AXES if world else ON_BODY_AXES
        row.force[:], row.torque[:] = (turn @ vector for vector in vectors)
        self.changed()

    def _widen(self, place: int, marker: Any) -> None:
        row = table(EXTERNAL, 1)
        row[0].marker = place
        row[0].body, row[0].p[:] = marker.body, marker.place.position
        self.bind(state=self.state._replace(external=joined(self.state.external, row)))

    def fire(self, thruster: str, for_s: float | None) -> None:
        """Thrust from now on for so long; without end if None, and no longer if 0."""
        rows = self.thruster_rows
        if thruster not in rows:
            raise ValueError(unknown("thruster", thruster, rows))
        if for_s is not None and not 0.0 <= for_s < math.inf:
            raise ValueError(f"fire {thruster}: {for_s} s; give a time of zero or more, or None: until told otherwise")
        model = self.run.compiled.model
        if thruster not in self.thrusters:
            self.thrusters.append(thruster)
            pulse = table(PULSE, 1)
            pulse[0].load, pulse[0].event = rows[thruster], -1
            model = model._replace(pulse=joined(model.pulse, pulse))
            self.bind(model=model)
        step = float(model.settings[0].step)
        row = model.pulse[self._own_pulses + self.thrusters.index(thruster)]
        row.start = self.steps
        row.end = self.steps + (FOREVER if for_s is None else for_s / step)
        self.changed()

    @cached_property
    def thruster_rows(self) -> dict[str, int]:
        """Of the thrusters by name, in the table of loads."""
        compiled = self.run.compiled
        return load_tables(compiled.scenario, compiled.assembly, compiled.scenario.solver.step_s)[2]

    def set(self, device: str, values: dict[str, Any]) -> None:
        """New values of a device, as the action `set` of an event gives them."""
        command = self._checked(device, values).set
        compiled = self.run.compiled
        if command.servo is not None and command.servo.path is not None:
            raise ValueError(f"set {device}: paths belong to events; here, set one target after the other")
        self.run.advance(0)
        set_one = plain(set_shaft, _Maths())
        for _, k, code, value in set_rows(command, shaft_names(compiled.assembly), DriveTables()):
            set_one(compiled.model, compiled.state, self.run.work, k, code, value)
        self.changed()

    def _checked(self, device: str, values: dict[str, Any]) -> SetAction:
        """The same words as for an event of the scenario; what was allowed once is looked at for its values alone."""
        origin = f"set {device}"
        try:
            action = SetAction.model_validate({"set": {"device": device, **values}})
        except ValidationError as error:
            faults = explain(error.errors(include_url=False), {"set": {"device": device, **values}}, SetAction)
            raise ScenarioError(
                Problem(origin, None, ".".join(map(str, path)), text) for path, text in faults
            ) from None
        keys = (device, tuple(sorted(values)))
        if keys not in self._allowed:
            event = Event.model_validate({"when": {"time_s": 0.0}, "do": [{"set": {"device": device, **values}}]})
            scenario = self.run.compiled.scenario.model_copy(update={"events": {"set": event}})
            own = [(path, text) for path, text in check_events(scenario) if path[:3] == ("events", "set", "do")]
            if own:
                raise ScenarioError(Problem(origin, None, str(path[-1]), text) for path, text in own)
            self._allowed.add(keys)
        return action

    def bind(self, model: Model | None = None, state: State | None = None) -> None:
        """Other tables for the run."""
        run = self.run
        run.compiled = replace(run.compiled, model=model or run.compiled.model, state=state or run.compiled.state)
        run.log = run.log
        self.changed()


def joined(rows: np.ndarray, more: np.ndarray) -> np.ndarray:
    """A table with more rows."""
    longer = table(rows.dtype, len(rows) + len(more))
    longer[: len(rows)], longer[len(rows) :] = rows, more
    return longer


def checked(what: str, given: Any, count: int) -> np.ndarray:
    """So many finite numbers of a sensible size; ValueError says which is none."""
    try:
        values = np.asarray(given, float)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected {count} numbers, got {type(given).__name__}") from None
    if values.shape != (count,):
        got = "None" if given is None else f"the shape {values.shape}"
        raise ValueError(f"{what}: expected {count} numbers, got {got}")
    if wrong := [f"number {i} is {value}" for i, value in enumerate(values, 1) if not abs(value) <= LARGEST_FORCE]:
        raise ValueError(f"{what}: {', '.join(wrong)}; finite numbers up to {LARGEST_FORCE:g} act, others would end it")
    return values
