"""Control laws of one's own: sampled, checked, and told apart from what a run says of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from docksim.compiler import Compiled
from docksim.config.errors import unknown
from docksim.result.result import ResultError
from docksim.simulation.channels.some import Gauge
from docksim.simulation.commands import Commands, checked

if TYPE_CHECKING:
    from docksim.scripting.stepping import Simulation

WRENCH = 6


class ControlError(ResultError):
    """A control law that returns what cannot act."""


class Law:
    """A function, when it is called, what it measures and what it acts on."""

    def __init__(
        self,
        function: Callable[..., Any],
        steps: int,
        gauge: Gauge,
        act: Sequence[str],
        compiled: Compiled,
        commands: Commands,
    ) -> None:
        if not callable(function):
            raise TypeError(f"a control law is a function, not {type(function).__name__}")
        self.function, self.steps, self.gauge, self.act, self._commands = function, steps, gauge, tuple(act), commands
        self.name = getattr(function, "__name__", type(function).__name__)
        ports = compiled.assembly.markers
        known = [*ports, *commands.thruster_rows]
        if wrong := [name for name in self.act if name not in known]:
            raise ValueError(unknown("port or thruster", wrong[0], known))
        self._widths = [WRENCH if name in ports else 1 for name in self.act]
        self.due = 0  # the step at which it is called next

    def sample(self, simulation: Simulation, step: int) -> None:
        """Call it, if it is due, and do what it says."""
        if step < self.due:
            return
        self.due = (step // self.steps + 1) * self.steps
        if self.gauge.names:
            asked = self.function(simulation.time, simulation.measure(self.gauge))
        else:
            asked = self.function(simulation)
        if self.act:
            self._carry_out(asked, simulation.time)
        elif asked is not None:
            text = f"returned {type(asked).__name__}; name what it acts on (act=), or return nothing"
            raise ControlError(self._told(simulation.time, text))

    def _carry_out(self, asked: Any, time_s: float) -> None:
        try:
            values = checked("what it returned", asked, sum(self._widths))
        except ValueError as error:
            wanted = ", ".join(f"{width} of {name}" for name, width in zip(self.act, self._widths, strict=True))
            raise ControlError(self._told(time_s, f"{error}; wanted are {wanted}")) from None
        first = 0
        for name, width in zip(self.act, self._widths, strict=True):
            own = values[first : first + width]
            first += width
            if width == WRENCH:
                self._commands.wrench(name, own[:3], own[3:])
            elif own[0] > 0.0:
                self._commands.fire(name, float(own[0]))

    def _told(self, time_s: float, text: str) -> str:
        return f"control law '{self.name}' at t = {time_s:.6g} s: {text}"
