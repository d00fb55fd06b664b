"""Export of a scenario as an FMU for co-simulation (FMI 2.0).

In: wrenches at ports, torques of joints. Out: motions, contacts, coordinates and rates of those joints.

The FMU is a thin shell of PythonFMU around docksim: it holds the resolved scenario and calls the docksim that the
importing machine has installed, so it needs the same version there, and starts as slowly as docksim does. Inputs are
held for a communication step, which must be a whole number of the model's steps. Outputs are those of the instant
that a step ends at. Limits: no state to get, set or serialise, no derivatives, no step taken back, no rejected steps;
the run's own end (its duration, a stop, a failure) ends the co-simulation with an error status.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from docksim import __version__
from docksim.compiler import compile_scenario
from docksim.config.checks.scenario import multiple_message, whole_steps
from docksim.files.writing import write_bytes, write_text
from docksim.model.log import new_log
from docksim.realtime import packets
from docksim.realtime.inputs import Inputs
from docksim.realtime.session import UNPACED, spare
from docksim.realtime.telemetry import Telemetry, state_numbers
from docksim.simulation.run import Run, at_the_start, prepare_kernel

if TYPE_CHECKING:
    from docksim.config.schema.scenario import Scenario

SLAVE = '''"""Shell of an FMU: all work is done by docksim."""

from docksim.realtime.fmu_slave import DocksimSlave


class {name}(DocksimSlave):
    """{name} of docksim."""
'''
SCENARIO, WISH = "scenario.yaml", "docksim.json"
# outputs by the fields of a state packet
FRAME = {"position": "position_m", "quaternion": "attitude", "velocity": "velocity_m_s", "rate": "rate_rad_s"}
CONTACT = {"gap": "gap_m", "normal_force": "normal_force_N", "force": "load_force_N", "moment": "load_moment_Nm"}


class FmuError(Exception):
    """An FMU that cannot be made or used as asked."""


def export_fmu(scenario: Scenario, ports: Sequence[str], file: Path, torques: Sequence[str] = ()) -> Path:
    """Write an FMU of the scenario with wrenches at the ports and torques of the joints as inputs."""
    try:
        from pythonfmu import FmuBuilder
    except ImportError:
        raise FmuError("this needs PythonFMU, which is not installed: pip install 'docksim[fmi]'") from None
    Inputs(compile_scenario(scenario), ports, torques=torques)
    solver = scenario.solver
    if solver.tolerance is not None:
        raise FmuError(f"{scenario.name}: solver.tolerance: {solver.tolerance:g} {UNPACED}")
    if whole_steps(solver.duration_s, solver.step_s)[1] != 1.0:
        why = multiple_message(solver.duration_s, solver.step_s, "solver.step_s")
        raise FmuError(f"{scenario.name}: solver.duration_s: {why}; an FMU goes on by whole steps")
    name = "".join(word.capitalize() for word in scenario.name.replace("-", "_").replace(".", "_").split("_"))
    name = name if name[:1].isalpha() else f"Docksim{name}"
    with tempfile.TemporaryDirectory() as folder:
        script, wish, text = Path(folder) / f"{name.lower()}_fmu.py", Path(folder) / WISH, Path(folder) / SCENARIO
        try:
            write_text(script, SLAVE.format(name=name))
            write_text(
                wish, json.dumps({"docksim_version": __version__, "ports": list(ports), "torques": list(torques)})
            )
            write_text(text, scenario.to_yaml())
            made = Path(FmuBuilder.build_FMU(script, dest=folder, project_files={wish, text}))
            write_bytes(file, made.read_bytes())
        except OSError as error:
            raise FmuError(f"cannot write {file}: {error.strerror or error}") from error
    return file


class Instance:
    """One instance of an FMU: the run behind it, its inputs and outputs by name."""

    def __init__(self, resources: Path) -> None:
        from docksim.config import load_scenario

        wish = json.loads((resources / WISH).read_text(encoding="utf-8"))
        if wish["docksim_version"] != __version__:
            raise FmuError(f"this FMU was made by docksim {wish['docksim_version']}; installed is {__version__}")
        prepare_kernel()
        scenario = load_scenario(resources / SCENARIO)
        self._inputs = Inputs(at_the_start(scenario), wish["ports"], torques=wish["torques"])
        self._run = Run(self._inputs.compiled)
        self._telemetry = Telemetry(self._run.compiled)
        self._peek = new_log(self._run.compiled.model, 2)
        self.step_s, self.duration_s = scenario.solver.step_s, scenario.solver.duration_s
        self.inputs = {f"{port}.{what}[{i}]": 0.0 for port in wish["ports"] for what in ("force_N", "torque_Nm")
                       for i in (1, 2, 3)}  # fmt: skip
        self._joints = self._inputs.joints
        rotary = [unit == "rad" for unit in self._joints.units]
        self._torques = [
            f"{name}.{'torque_Nm' if turns else 'force_N'}" for name, turns in zip(wish["torques"], rotary)
        ]
        self.inputs |= dict.fromkeys(self._torques, 0.0)
        self.outputs: dict[str, float] = {}
        self._look()

    def _look(self) -> None:
        """Outputs of this instant, found by a step of a copy."""
        copy = spare(self._run, self._peek)
        copy.compiled.state.clock["log_every"], self._peek.rows[0] = 1, 0
        copy.advance(1)
        numbers = state_numbers(memoryview(self._telemetry.state(self._peek)))
        assert numbers is not None
        phase, frames, contacts = numbers
        self.outputs["phase"] = float(phase)
        for name, row in zip(self._telemetry.frames, frames, strict=True):
            self._tell(name, row, FRAME)
        for name, row in zip(self._telemetry.contacts, contacts, strict=True):
            self._tell(name, row, CONTACT)
        states = self._joints.states(self._peek)
        for name, unit, (x, rate, _) in zip(self._joints.names, self._joints.units, states, strict=True):
            self.outputs[f"{name}.{'angle_rad' if unit == 'rad' else 'travel_m'}"] = x
            self.outputs[f"{name}.{'rate_rad_s' if unit == 'rad' else 'rate_m_s'}"] = rate

    def _tell(self, name: str, row: np.void, keys: dict[str, str]) -> None:
        for field, key in keys.items():
            values = np.ravel(row[field])
            for i, value in enumerate(values.tolist()):
                index = f"[{i + 1}]" if len(values) > 1 else ""
                self.outputs[f"{name}.{key}{index}"] = value

    @property
    def time_s(self) -> float:
        """Where the model is."""
        return float(self._run.compiled.state.clock[0].t)

    def begin(self, start_s: float) -> None:
        """The importer's start of time must be the scenario's."""
        if start_s != 0.0:
            raise FmuError(f"a start at {start_s:g} s is asked for; the scenario begins at 0 s")

    def do_step(self, at_s: float, length_s: float) -> bool:
        """A communication step from where the model is; False if the run has ended."""
        if abs(at_s - self.time_s) > 1e-3 * self.step_s:
            raise FmuError(f"a step from {at_s:.9g} s is asked for, and the model is at {self.time_s:.9g} s")
        steps = round(length_s / self.step_s)
        if steps < 1 or abs(length_s - steps * self.step_s) > 1e-6 * self.step_s:
            whole = f"a whole number of steps of {self.step_s:g} s"
            raise FmuError(f"a communication step of {length_s:g} s is not {whole}")
        values = list(self.inputs.values())
        payload = b"".join(
            packets.WRENCH_ENTRY.pack(i, 0, *values[6 * i : 6 * i + 6]) for i in range(len(self._inputs.ports))
        )
        torques = (packets.TORQUE_ENTRY.pack(i, self.inputs[name]) for i, name in enumerate(self._torques))
        for kind, content in ((packets.WRENCH, payload), (packets.TORQUE, b"".join(torques))):
            packet = packets.Packet(kind, 0, 0, 0, 0, 0.0, memoryview(content))
            if content and self._inputs.take(packet):
                raise FmuError("an input is not finite, or beyond 1e7")
        if not self._run.running or self._run.step + steps > int(self._run.compiled.model.settings[0].n_steps):
            return False
        self._run.advance(steps)
        self._look()
        return self._run.running
