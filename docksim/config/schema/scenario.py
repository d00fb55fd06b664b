"""The scenario schema: the only source of keys, defaults, units and their documentation.

One file describes one run: vehicles, contacts, environment, solver, outputs and events. The parts live in `vehicle`,
`joints`, `interface`, `contact`, `events`, `sequence` and `fields`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from docksim.config.schema.closures import Closure
from docksim.config.schema.contact import Approach, ContactPair
from docksim.config.schema.events import Event
from docksim.config.schema.fields import (
    ZERO3,
    FileName,
    KeyFaults,
    Name,
    Part,
    Positive,
    Vec3,
    exactly_one,
)
from docksim.config.schema.sequence import Phase, events_of
from docksim.config.schema.unions import ToldByValue
from docksim.config.schema.vehicle import (
    Vehicle,
)
from docksim.config.schema.writer import scenario_to_yaml


class FreeSpace(Part):
    """No gravity; W is an inertial frame."""

    kind: Literal["free_space"] = Field("free_space", description="Free space, the default.")


class ClohessyWiltshire(Part):
    """Linearised motion about a circular Earth orbit. W turns with it: x radially out, y along track, z normal."""

    kind: Literal["clohessy_wiltshire"] = Field(
        "clohessy_wiltshire", description="Relative motion about a circular orbit."
    )
    altitude_km: Positive | None = Field(
        None, description="Altitude of the circular Earth orbit [km]; excludes mean_motion_rad_s."
    )
    mean_motion_rad_s: Positive | None = Field(None, description="Orbital rate [rad/s]; excludes altitude_km.")
    gravity_gradient: bool = Field(True, description="Whether gravity-gradient torques act on the bodies.")

    def check(self) -> KeyFaults:
        return exactly_one(self, "altitude_km", "mean_motion_rad_s")


Environment = Annotated[FreeSpace | ClohessyWiltshire, ToldByValue("kind")]


class ReferencePoint(Part):
    """A point that moves uniformly in W; vehicles are placed against it, energies and momenta seen from it."""

    position_m: Vec3 = Field(ZERO3, description="Where it is in W at the start [m].")
    velocity_m_s: Vec3 = Field(ZERO3, description="Its velocity in W, which stays [m/s].")


class Solver(Part):
    """Time span and integration."""

    duration_s: Positive = Field(description="Simulated time [s]; the last step is cut to it.")
    step_s: float = Field(0.001, ge=1e-9, description="Integration step [s]; cut where something begins or ends in it.")
    integrator: Literal["rk4", "semi_implicit_euler", "linearly_implicit"] = Field(
        "rk4",
        description="rk4: fourth order; semi_implicit_euler: first; linearly_implicit: stable for stiff joints.",
    )
    tolerance: Positive | None = Field(
        None,
        description="Error that a step may make in the rates [m/s, rad/s]: rk4 steps get as long as it lets them. "
        "Fixed steps if left out.",
    )


class Outputs(Part):
    """What is logged."""

    every_s: Positive = Field(0.05, description="Time between logged rows, a whole multiple of solver.step_s [s].")
    joint_loads: bool = Field(
        True, description="Whether the reactions of the joints are logged; peaks are known anyway."
    )
    contact_rows: bool = Field(False, description="Whether the force between every two features is logged.")


class Scenario(Part):
    """One run of docksim."""

    name: FileName = Field(
        "scenario",
        description="Name, also of the result folder: letters, digits, '_', '-', '.'; the file's name if left out.",
    )
    description: str = Field("", description="What the scenario shows, in words.")
    seed: int = Field(0, ge=0, le=2**63 - 1, description="Seed of all random numbers.")
    vehicles: dict[Name, Vehicle] = Field(min_length=1, description="The spacecraft, by name.")
    environment: Environment = Field(
        default_factory=FreeSpace, description="Free space, or motion about a circular orbit."
    )
    reference: ReferencePoint | None = Field(
        None,
        description="Point that position_m and velocity_m_s of vehicles are measured from; W's origin if left out. "
        "Far from it, or fast, one is chosen inside the run.",
    )
    solver: Solver = Field(description="Time span and integration.")
    outputs: Outputs = Field(default_factory=Outputs, description="What is logged.")
    events: dict[Name, Event] = Field(default_factory=dict, description="What happens when, by name.")
    closures: dict[Name, Closure] = Field(
        default_factory=dict, description="What ties two bodies beside the joints of their trees, by name."
    )
    contacts: dict[Name, ContactPair] = Field(
        default_factory=dict, description="Pairs of ports whose interfaces touch, by name."
    )
    approach: Approach | None = Field(
        None, description="Initial state of one vehicle, given at the ports; none if left out."
    )
    sequence: list[Phase] = Field(
        default_factory=list, description="Docking phases, each after the other; read as events."
    )

    def to_yaml(self) -> str:
        """The whole scenario with all defaults written out; loading it gives an equal Scenario, bit for bit."""
        return scenario_to_yaml(self)


def with_sequence(scenario: Scenario) -> Scenario:
    """The scenario with the events of its sequence, and the sequence gone. Events with the same name stay."""
    if not scenario.sequence:
        return scenario
    events = {**events_of(scenario.sequence), **scenario.events}
    return scenario.model_copy(update={"events": events, "sequence": []})
