"""A task of a chain: free motion, motion under constraints, or control along a program."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from docksim.config.schema.chain_conditions import AnyCondition, Poles
from docksim.config.schema.chain_loads import JointDrive, Load
from docksim.config.schema.fields import FileName, KeyFaults, NonNegative, Part, Positive, Reference, as_list

MOST_ROWS = 1_000_000


class JointStart(Part):
    """State of one joint at the start."""

    angle_deg: float | None = Field(None, description="Angle of a turning joint [deg]; its home if left out.")
    rate_deg_s: float = Field(0.0, description="Rate of a turning joint [deg/s].")
    travel_m: float | None = Field(None, description="Travel of a sliding joint [m]; its home if left out.")
    rate_m_s: float = Field(0.0, description="Rate of a sliding joint [m/s].")


class Redundancy(Part):
    """What the joints do with the freedom that the program leaves: the vector v of the law."""

    type: Literal["damping", "posture", "none"] = Field(
        "damping",
        description="damping: rates die out; posture: towards a configuration; none: v = 0, joints may drift.",
    )
    frequency_Hz: Positive = Field(0.5, description="How fast: natural frequency, critically damped [Hz].")
    posture: dict[Reference, JointStart] = Field(
        default_factory=dict, description="Configuration, by link; home where left out."
    )


class Adaptive(Part):
    """A controller that learns the masses: all joints follow their programs, whatever the links weigh."""

    convergence_1_s: Positive = Field(4.0, description="How fast errors die out once s is zero [1/s].")
    gain_1_s: Positive = Field(8.0, description="Gain on s, over the diagonal of A as known at the start [1/s].")
    adaptation_1_s2: NonNegative = Field(
        20.0, description="How fast masses are learnt, over their natural sizes [1/s²]; 0 learns nothing."
    )


class MassChange(Part):
    """A link that takes something up, or lets it go, during the run."""

    link: Reference = Field(description="The link.")
    time_s: Positive = Field(description="When [s].")
    factor: Positive = Field(description="Factor on its mass, first moment and inertia from then on.")


class ChainTask(Part):
    """A chain, how it starts, and what holds or drives it."""

    name: FileName = Field("task", description="The file's name if left out.")
    description: str = Field("", description="What it is for, in words.")
    chain: Reference = Field(description="Path of the chain file.")
    duration_s: Positive = Field(description="Length of the motion [s].")
    output_s: Positive = Field(0.01, description="Time between rows of the result [s].")
    tolerance: Annotated[float, Field(ge=1e-13, le=1e-3)] = Field(
        1e-9, description="Relative error allowed in a step of the integration."
    )
    initial: dict[Reference, JointStart] = Field(default_factory=dict, description="Joints that start off home.")
    drives: dict[Reference, JointDrive] = Field(
        default_factory=dict, description="Forces of the drives, of a free or a constrained motion."
    )
    loads: Annotated[list[Load], BeforeValidator(as_list)] = Field(
        default_factory=list, description="Wrenches from outside, at points of links."
    )
    constraint: Annotated[list[AnyCondition], BeforeValidator(as_list)] = Field(
        default_factory=list, description="What holds the chain."
    )
    program: Annotated[list[AnyCondition], BeforeValidator(as_list)] = Field(
        default_factory=list, description="What the chain shall follow."
    )
    poles: Poles = Field(
        default_factory=lambda: Poles(frequency_Hz=1.0),
        description="How errors of the program shall die out, where a condition has no poles of its own.",
    )
    redundancy: Redundancy = Field(
        default_factory=Redundancy, description="What the joints do with the freedom that the program leaves."
    )
    mass_error: dict[Reference, NonNegative] = Field(
        default_factory=dict, description="Factor on the mass of a link that the controller does not know of."
    )
    adaptive: Adaptive | None = Field(
        None, description="Adaptive control instead of poles; the program gives every joint its path."
    )
    mass_changes: Annotated[list[MassChange], BeforeValidator(as_list)] = Field(
        default_factory=list, description="With adaptive: masses that change during the run, unknown to the controller."
    )

    @property
    def kind(self) -> str:
        """What holds or leads the chain."""
        if self.adaptive is not None:
            return "adaptive"
        return "program" if self.program else "constraint" if self.constraint else "free"

    def check(self) -> KeyFaults:
        faults = []
        if self.constraint and self.program:
            faults.append(("program", "excludes 'constraint'; remove one of them"))
        if self.program and self.drives:
            text = "goes with free or constrained motion; along a program the controller drives the joints"
            faults.append(("drives", text))
        if self.adaptive is not None and not self.program:
            faults.append(("adaptive", "goes with program: give every joint a path, with conditions of type: joint"))
        if self.mass_changes and self.adaptive is None:
            faults.append(("mass_changes", "goes with adaptive: no other controller could know of it"))
        if self.adaptive is not None and {"poles", "redundancy"} & self.model_fields_set:
            key = next(key for key in ("poles", "redundancy") if key in self.model_fields_set)
            faults.append((key, "excludes 'adaptive', which has gains of its own"))
        if not self.program and self.mass_error:
            faults.append(("mass_error", "goes with program: there is no controller that could be wrong"))
        if self.duration_s / self.output_s > MOST_ROWS:
            faults.append(("output_s", f"makes more than {MOST_ROWS} rows; take a longer one"))
        return faults
