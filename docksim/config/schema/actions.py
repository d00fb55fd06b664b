"""Actions of events: what happens to joints, ports, pushers, thrusters, the attitude hold, the mechanism and the run.

Those of contact, hooks and devices are in the files of these.
"""

from __future__ import annotations

from pydantic import Field

from docksim.config.outcomes import DockingOutcome
from docksim.config.schema.conditions import COORDINATE, JOINT, References
from docksim.config.schema.drives import DriveProfile
from docksim.config.schema.fields import (
    KeyFaults,
    Name,
    Part,
    PortPair,
    Positive,
    Reference,
    Schedule,
    exactly_one,
    overlap,
)
from docksim.config.schema.parting import PushOff, SeparateCommand
from docksim.config.schema.vehicle import HoldMode, ThrusterMode


class DriveCommand(Part):
    """Which coordinate is driven, and how."""

    joint: Reference = Field(description=JOINT)
    coordinate: int = Field(0, ge=0, description=COORDINATE)
    profile: DriveProfile = Field(description="The motion; keys in deg for rotations, in m for translations.")


class TorqueCommand(Part):
    """A new constant motor torque or force."""

    joint: Reference = Field(description=JOINT)
    coordinate: int = Field(0, ge=0, description=COORDINATE)
    torque_Nm: float | None = Field(None, description="Motor torque of a rotation [N m].")
    force_N: float | None = Field(None, description="Motor force of a translation [N].")

    def check(self) -> KeyFaults:
        return exactly_one(self, "torque_Nm", "force_N")


class JettisonCommand(Part):
    """A body that is let go, with all that it carries."""

    body: Reference = Field(description="Body ('chaser.cover') whose joint is cut.")
    push_off: PushOff | None = Field(None, description="Push-off spring along x of the joint frame; none if left out.")


class FireCommand(Part):
    """Thrusters firing, once or on a schedule."""

    thruster: References = Field(description="Thruster ('chaser.aft'), or a list of those that fire together.")
    duration_s: Positive | None = Field(None, description="Length of one firing that begins at once [s].")
    schedule: Schedule | None = Field(
        None, description="Firings as [start_s, duration_s], counted from the event; excludes duration_s."
    )

    def check(self) -> KeyFaults:
        faults = exactly_one(self, "duration_s", "schedule")
        twice = next((name for name in self.thruster if self.thruster.count(name) > 1), None)
        if twice is not None:
            faults.append(("thruster", f"names '{twice}' twice; a thruster is on or off"))
        if self.schedule is not None and overlap(self.schedule):
            faults.append(("schedule", overlap(self.schedule)))
        return faults

    @property
    def pulses(self) -> list[tuple[float, float]]:
        """Start, counted from the event, and duration of each firing [s]."""
        return self.schedule or [(0.0, self.duration_s or 0.0)]


class ThrustersCommand(Part):
    """Thrusters inhibited, or no longer."""

    of: References = Field(description="Thruster ('chaser.aft'), vehicle ('chaser': all it has), or a list of them.")
    mode: ThrusterMode = Field(description="inhibited: pulses and firings pass without thrust; on: they fire.")


class HoldCommand(Part):
    """Attitude hold on, off or inhibited."""

    vehicle: Name = Field(description="Vehicle whose attitude hold is switched.")
    mode: HoldMode = Field(
        description="on: it acts; inhibited: it goes on sampling, but no torque acts; off: it does neither."
    )


class RetractCommand(Part):
    """Base joints of a docking mechanism are moved along their ways, from the motion they have to rest."""

    mechanism: Reference = Field(description="Vehicle that carries the mechanism ('chaser').")
    fraction: float = Field(1.0, ge=0.0, le=1.0, description="Where to, as a part of the whole travel; 0: at home.")
    duration_s: Positive | None = Field(
        None, description="How long it takes [s]; to be left out where a retraction_drive goes as fast as it can."
    )
    force_N: Positive | None = Field(None, description="Most that the retraction_drive pushes with now [N].")
    rate_m_s: Positive | None = Field(None, description="Fastest that the retraction_drive goes now [m/s].")


class LockAction(Part):
    """Lock a joint where it is; the energy lost is reported."""

    lock: Reference = Field(description=JOINT)


class ReleaseAction(Part):
    """Let a locked or driven joint go free."""

    release: Reference = Field(description=JOINT)


class DriveAction(Part):
    """Prescribe the motion of a joint coordinate from now on."""

    drive: DriveCommand = Field(description="The coordinate and its motion.")


class TorqueAction(Part):
    """Set a joint's motor torque or force."""

    torque: TorqueCommand = Field(description="The coordinate and its torque or force.")


class JoinAction(Part):
    """Join two ports rigidly in their present relative pose; momentum is conserved, the energy lost is reported."""

    join: PortPair = Field(description="The two ports.")


class SeparateAction(Part):
    """Part two joined ports."""

    separate: SeparateCommand = Field(description="The ports and the push-off spring.")


class JettisonAction(Part):
    """Let a body go."""

    jettison: JettisonCommand = Field(description="The body and the push-off spring.")


class FireAction(Part):
    """Fire thrusters."""

    fire: FireCommand = Field(description="The thrusters, and for how long or by which schedule.")


class ThrustersAction(Part):
    """Inhibit thrusters, or let them fire again."""

    thrusters: ThrustersCommand = Field(description="The thrusters, and on or inhibited.")


class CutAction(Part):
    """End a thruster's firing, or the pulse of a schedule that is on; later pulses come as planned."""

    cut: Reference = Field(description="Thruster ('chaser.aft').")


class HoldAction(Part):
    """Switch an attitude hold."""

    attitude_hold: HoldCommand = Field(description="The vehicle, and on, off or inhibited.")


class RetractAction(Part):
    """Retract, or deploy, a docking mechanism."""

    retract: RetractCommand = Field(description="The mechanism, how far and how fast.")


class PhaseAction(Part):
    """Begin a phase; it is logged and named in messages."""

    phase: Name = Field(description="Name of the phase.")


class StopAction(Part):
    """End the run."""

    stop: str = Field(min_length=1, description="The reason, in words.")
    outcome: DockingOutcome | None = Field(None, description="Outcome of the run; 'stopped' if left out.")
