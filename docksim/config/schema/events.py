"""Events: what happens when. Each fires once, when all its conditions have held for `persistence` steps in a row.

References are "vehicle.thing": joints go by their body ("chaser.panel_1") or by beam and segment ("chaser.array.2",
from 1); ports are "vehicle.port" on the base, "vehicle.body.port" elsewhere.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from docksim.config.errors import one_of
from docksim.config.outcomes import DockingOutcome
from docksim.config.schema.closures import CloseAction, LoadOnCondition, OpenAction
from docksim.config.schema.contact_events import (
    ArmLatchesAction,
    ContactCondition,
    LatchedCondition,
    OpenLatchesAction,
    SeparatedCondition,
)
from docksim.config.schema.device_events import DeviceCondition, SetAction
from docksim.config.schema.drives import DriveProfile
from docksim.config.schema.fields import (
    OR_SINGLE,
    Name,
    NonNegative,
    Part,
    PortPair,
    Positive,
    Reference,
    Schedule,
    as_list,
    as_names,
    check_keys,
    exactly_one,
    overlap,
    refuse,
    tag_of_keys,
)
from docksim.config.schema.hook_events import (
    HooksClosedCondition,
    HooksOpenCondition,
    LeaksCondition,
    OpenHooksAction,
    PressuriseAction,
    TightCondition,
    VentAction,
)
from docksim.config.schema.parting import PushOff, SeparateCommand
from docksim.config.schema.vehicle import HoldMode, ThrusterMode

References = Annotated[list[Reference], BeforeValidator(as_names), Field(min_length=1), OR_SINGLE]

JOINT = "Joint, by its body ('chaser.panel_1') or beam segment ('chaser.array.2')."
COORDINATE = "Which coordinate of the joint: 0, or 1 for the second of cylindrical and universal joints and so on."

# ---------------------------------------------------------------- conditions


class TimeCondition(Part):
    """Holds from a time on."""

    time_s: NonNegative = Field(description="Time from which the condition holds [s].")


class AfterCondition(Part):
    """Holds after another event has fired."""

    after: Name = Field(description="Name of the other event.")
    delay_s: NonNegative = Field(0.0, description="Time after that event [s].")


class NotFiredCondition(Part):
    """Holds until another event fires."""

    not_fired: Name = Field(description="Name of the other event.")


class CommandCondition(Part):
    """Holds from a command of a test rig on; without one, never. See `docksim realtime`."""

    command: Name = Field(max_length=32, description="Name of the command, as the rig sends it.")


class JointCondition(Part):
    """Holds while a joint coordinate is beyond a value."""

    joint: Reference = Field(description=JOINT)
    coordinate: int = Field(0, ge=0, description=COORDINATE)
    above_deg: float | None = Field(None, description="Holds while the angle is above this [deg].")
    below_deg: float | None = Field(None, description="Holds while the angle is below this [deg].")
    above_m: float | None = Field(None, description="Holds while the travel is above this [m].")
    below_m: float | None = Field(None, description="Holds while the travel is below this [m].")

    @model_validator(mode="after")
    def _check(self) -> JointCondition:
        refuse(exactly_one(self, "above_deg", "below_deg", "above_m", "below_m"))
        return self


class DistanceCondition(Part):
    """Holds while two ports are near, or far."""

    distance: PortPair = Field(description="The two ports between whose origins the distance is taken.")
    below_m: Positive | None = Field(None, description="Holds while the distance is below this [m].")
    above_m: NonNegative | None = Field(None, description="Holds while the distance is above this [m].")

    @model_validator(mode="after")
    def _check(self) -> DistanceCondition:
        refuse(exactly_one(self, "below_m", "above_m"))
        return self


class InReachCondition(Part):
    """Holds while two ports are where their hooks can close: near, straight and slow enough for a join."""

    in_reach: PortPair = Field(description="The two ports; at least one of them has hooks.")
    speed_below_m_s: Positive | None = Field(
        None, description="Holds only while one port's origin moves slower than this against the other [m/s]."
    )
    rate_below_deg_s: Positive | None = Field(
        None, description="Holds only while one port turns slower than this against the other [deg/s]."
    )


class AlignedCondition(Part):
    """Holds while two ports, however far apart, are straight before each other, or move little against each other."""

    aligned: PortPair = Field(description="The two ports.")
    tilt_below_deg: Positive | None = Field(
        None, description="Holds only while the angle between the ports' axes is below this [deg]."
    )
    speed_below_m_s: Positive | None = Field(
        None, description="Holds only while one port's origin moves slower than this against the other [m/s]."
    )
    rate_below_deg_s: Positive | None = Field(
        None, description="Holds only while one port turns slower than this against the other [deg/s]."
    )

    @model_validator(mode="after")
    def _check(self) -> AlignedCondition:
        bounds = list(type(self).model_fields)[1:]
        if all(getattr(self, key) is None for key in bounds):
            refuse([("", f"asks for nothing; give at least one of {one_of(bounds)}")])
        return self


class RateCondition(Part):
    """Holds while a body turns slowly, or fast."""

    rate_of: Reference = Field(
        description="Vehicle ('chaser') or body ('chaser.arm', 'chaser.array.tip') whose rate is taken."
    )
    below_deg_s: Positive | None = Field(None, description="Holds while the rate is below this [deg/s].")
    above_deg_s: NonNegative | None = Field(None, description="Holds while the rate is above this [deg/s].")

    @model_validator(mode="after")
    def _check(self) -> RateCondition:
        refuse(exactly_one(self, "below_deg_s", "above_deg_s"))
        return self


CONDITION_KEYS = (
    "time_s", "after", "joint", "distance", "in_reach", "aligned", "rate_of", "device", "not_fired", "contact",
    "latched", "separated", "load_on", "hooks_closed", "hooks_open", "tight", "leaks", "command",
)  # fmt: skip

Condition = Annotated[
    Annotated[TimeCondition, Tag("<time_s>")]
    | Annotated[AfterCondition, Tag("<after>")]
    | Annotated[NotFiredCondition, Tag("<not_fired>")]
    | Annotated[JointCondition, Tag("<joint>")]
    | Annotated[DistanceCondition, Tag("<distance>")]
    | Annotated[InReachCondition, Tag("<in_reach>")]
    | Annotated[AlignedCondition, Tag("<aligned>")]
    | Annotated[RateCondition, Tag("<rate_of>")]
    | Annotated[DeviceCondition, Tag("<device>")]
    | Annotated[ContactCondition, Tag("<contact>")]
    | Annotated[LatchedCondition, Tag("<latched>")]
    | Annotated[SeparatedCondition, Tag("<separated>")]
    | Annotated[LoadOnCondition, Tag("<load_on>")]
    | Annotated[HooksClosedCondition, Tag("<hooks_closed>")]
    | Annotated[HooksOpenCondition, Tag("<hooks_open>")]
    | Annotated[TightCondition, Tag("<tight>")]
    | Annotated[LeaksCondition, Tag("<leaks>")]
    | Annotated[CommandCondition, Tag("<command>")],
    Discriminator(tag_of_keys(CONDITION_KEYS)),
    check_keys("a condition", CONDITION_KEYS, "put several conditions in a list, each in its own mapping"),
]


# ---------------------------------------------------------------- actions


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

    @model_validator(mode="after")
    def _check(self) -> TorqueCommand:
        refuse(exactly_one(self, "torque_Nm", "force_N"))
        return self


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

    @model_validator(mode="after")
    def _check(self) -> FireCommand:
        faults = exactly_one(self, "duration_s", "schedule")
        twice = next((name for name in self.thruster if self.thruster.count(name) > 1), None)
        if twice is not None:
            faults.append(("thruster", f"names '{twice}' twice; a thruster is on or off"))
        if self.schedule is not None and overlap(self.schedule):
            faults.append(("schedule", overlap(self.schedule)))
        refuse(faults)
        return self

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


ACTION_KEYS = (
    "lock", "release", "drive", "torque", "join", "separate", "close", "open", "jettison", "fire", "cut", "thrusters",
    "attitude_hold", "set", "retract", "open_latches", "arm_latches", "open_hooks", "pressurise", "vent",
    "phase", "stop",
)  # fmt: skip

Action = Annotated[
    Annotated[LockAction, Tag("<lock>")]
    | Annotated[ReleaseAction, Tag("<release>")]
    | Annotated[DriveAction, Tag("<drive>")]
    | Annotated[TorqueAction, Tag("<torque>")]
    | Annotated[JoinAction, Tag("<join>")]
    | Annotated[SeparateAction, Tag("<separate>")]
    | Annotated[CloseAction, Tag("<close>")]
    | Annotated[OpenAction, Tag("<open>")]
    | Annotated[JettisonAction, Tag("<jettison>")]
    | Annotated[FireAction, Tag("<fire>")]
    | Annotated[CutAction, Tag("<cut>")]
    | Annotated[ThrustersAction, Tag("<thrusters>")]
    | Annotated[HoldAction, Tag("<attitude_hold>")]
    | Annotated[SetAction, Tag("<set>")]
    | Annotated[RetractAction, Tag("<retract>")]
    | Annotated[OpenLatchesAction, Tag("<open_latches>")]
    | Annotated[ArmLatchesAction, Tag("<arm_latches>")]
    | Annotated[OpenHooksAction, Tag("<open_hooks>")]
    | Annotated[PressuriseAction, Tag("<pressurise>")]
    | Annotated[VentAction, Tag("<vent>")]
    | Annotated[PhaseAction, Tag("<phase>")]
    | Annotated[StopAction, Tag("<stop>")],
    Discriminator(tag_of_keys(ACTION_KEYS)),
    check_keys("an action", ACTION_KEYS, "put several actions in a list, each in its own mapping"),
]


class Lasting(Part):
    """What begins when conditions have held for some time."""

    persistence: int = Field(
        1, ge=1, le=1_000_000_000, description="Consecutive steps for which all conditions must hold."
    )
    for_s: NonNegative | None = Field(
        None, description="How long all conditions must hold without a break, instead of persistence [s]."
    )

    @model_validator(mode="after")
    def _check_lasting(self) -> Self:
        if self.for_s is not None and self.persistence > 1:
            refuse([("for_s", f"excludes 'persistence: {self.persistence}'; give the time or the number of steps")])
        return self


class Event(Lasting):
    """Actions that happen once, when all conditions hold."""

    when: Annotated[list[Condition], BeforeValidator(as_list), Field(min_length=1), OR_SINGLE] = Field(
        description="One condition, or a list of conditions that must all hold."
    )
    do: Annotated[list[Action], BeforeValidator(as_list), Field(min_length=1), OR_SINGLE] = Field(
        description="One action, or a list of actions in the order in which they happen."
    )
