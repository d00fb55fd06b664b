"""Events: what happens when. Each fires once, when all its conditions have held for `persistence` steps in a row.

References are "vehicle.thing": joints go by their body ("chaser.panel_1") or by beam and segment ("chaser.array.2",
from 1); ports are "vehicle.port" on the base, "vehicle.body.port" elsewhere.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from docksim.config.schema.actions import (
    CutAction,
    DriveAction,
    FireAction,
    HoldAction,
    JettisonAction,
    JoinAction,
    LockAction,
    PhaseAction,
    ReleaseAction,
    RetractAction,
    SeparateAction,
    StopAction,
    ThrustersAction,
    TorqueAction,
)
from docksim.config.schema.closures import CloseAction, LoadOnCondition, OpenAction
from docksim.config.schema.conditions import (
    AfterCondition,
    AlignedCondition,
    CommandCondition,
    DistanceCondition,
    InReachCondition,
    JointCondition,
    NotFiredCondition,
    RateCondition,
    TimeCondition,
)
from docksim.config.schema.contact_events import (
    ArmLatchesAction,
    ContactCondition,
    LatchedCondition,
    OpenLatchesAction,
    SeparatedCondition,
    SettledCondition,
)
from docksim.config.schema.device_events import DeviceCondition, SetAction
from docksim.config.schema.fields import (
    OR_SINGLE,
    NonNegative,
    Part,
    as_list,
    check_keys,
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
from docksim.config.schema.programs import ProgramAction

CONDITION_KEYS = (
    "time_s", "after", "joint", "distance", "in_reach", "aligned", "rate_of", "device", "not_fired", "contact",
    "latched", "separated", "load_on", "hooks_closed", "hooks_open", "tight", "leaks", "command", "settled",
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
    | Annotated[CommandCondition, Tag("<command>")]
    | Annotated[SettledCondition, Tag("<settled>")],
    Discriminator(tag_of_keys(CONDITION_KEYS)),
    check_keys("a condition", CONDITION_KEYS, "put several conditions in a list, each in its own mapping"),
]

ACTION_KEYS = (
    "lock", "release", "drive", "torque", "join", "separate", "close", "open", "jettison", "fire", "cut", "thrusters",
    "attitude_hold", "program", "set", "retract", "open_latches", "arm_latches", "open_hooks", "pressurise", "vent",
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
    | Annotated[ProgramAction, Tag("<program>")]
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
