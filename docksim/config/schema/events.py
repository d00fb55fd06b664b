"""Events: what happens when. Each fires once, when all its conditions have held for `persistence` steps in a row.

References are "vehicle.thing": joints go by their body ("chaser.panel_1") or by beam and segment ("chaser.array.2",
from 1); ports are "vehicle.port" on the base, "vehicle.body.port" elsewhere.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

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
    KeyFaults,
    NonNegative,
    Part,
    as_list,
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
from docksim.config.schema.unions import ToldByKey

Condition = Annotated[
    TimeCondition | AfterCondition | JointCondition | DistanceCondition | InReachCondition | AlignedCondition |
    RateCondition | DeviceCondition | NotFiredCondition | ContactCondition | LatchedCondition | SeparatedCondition |
    LoadOnCondition | HooksClosedCondition | HooksOpenCondition | TightCondition | LeaksCondition | CommandCondition |
    SettledCondition,
    ToldByKey("a condition", "put several conditions in a list, each in its own mapping"),
]  # fmt: skip

Action = Annotated[
    LockAction | ReleaseAction | DriveAction | TorqueAction | JoinAction | SeparateAction | CloseAction | OpenAction |
    JettisonAction | FireAction | CutAction | ThrustersAction | HoldAction | ProgramAction | SetAction |
    RetractAction | OpenLatchesAction | ArmLatchesAction | OpenHooksAction | PressuriseAction | VentAction |
    PhaseAction | StopAction,
    ToldByKey("an action", "put several actions in a list, each in its own mapping"),
]  # fmt: skip


class Lasting(Part):
    """What begins when conditions have held for some time."""

    persistence: int = Field(
        1, ge=1, le=1_000_000_000, description="Consecutive steps for which all conditions must hold."
    )
    for_s: NonNegative | None = Field(
        None, description="How long all conditions must hold without a break, instead of persistence [s]."
    )

    def check(self) -> KeyFaults:
        if self.for_s is not None and self.persistence > 1:
            yield "for_s", f"excludes 'persistence: {self.persistence}'; give the time or the number of steps"


class Event(Lasting):
    """Actions that happen once, when all conditions hold."""

    when: Annotated[list[Condition], BeforeValidator(as_list), Field(min_length=1), OR_SINGLE] = Field(
        description="One condition, or a list of conditions that must all hold."
    )
    do: Annotated[list[Action], BeforeValidator(as_list), Field(min_length=1), OR_SINGLE] = Field(
        description="One action, or a list of actions in the order in which they happen."
    )
