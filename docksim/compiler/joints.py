"""Joints of the schema to joints of the parts list."""

from __future__ import annotations

import math
from functools import singledispatch

from docksim.algebra.joints import CYLINDRICAL, FIXED, FREE, PRISMATIC, REVOLUTE, SPHERICAL, UNIVERSAL
from docksim.compiler.parts import Coordinate, JointPart, placed, radians3, six_coordinates
from docksim.compiler.shafts import axis_shaft
from docksim.config.schema import joints as schema
from docksim.config.schema.joints import JointPlace
from docksim.config.schema.leg_geometry import unit
from docksim.model.tree import BALL


def coordinate(axis: schema.RotaryAxis | schema.LinearAxis, name: str = "") -> Coordinate:
    """A rotation in radians or a translation in metres."""
    measure = "rad" if isinstance(axis, schema.RotaryAxis) else "m"
    start, lower, upper = axis.si(axis.START), axis.si("lower"), axis.si("upper")
    return Coordinate(
        name=name,
        unit=measure,
        start=start,
        rate=axis.si(axis.RATE),
        stiffness=axis.si("stiffness"),
        rest=axis.si("rest"),
        damping=axis.si("damping"),
        friction=axis.si("friction"),
        presliding=axis.si("presliding"),
        lower=-math.inf if lower is None else lower,
        upper=math.inf if upper is None else upper,
        stop_stiffness=axis.si("stop_stiffness"),
        stop_damping=axis.si("stop_damping"),
        armature=axis.rotor,
        torque=axis.si("force"),
        locked=axis.locked,
        drive=axis.drive,
        devices=axis_shaft(axis.actuator, measure, start, name),
    )


def joint_part(joint: JointPlace, name: str, pred: int, succ: int) -> JointPart:
    """The joint with its place on both bodies; the rest by its type."""
    part = JointPart(
        name,
        FIXED,
        pred,
        succ,
        placed(joint.position_m, joint.attitude),
        placed(joint.child_position_m, joint.child_attitude),
    )
    _fill(joint, part)
    return part


@singledispatch
def _fill(joint: JointPlace, part: JointPart) -> None:
    raise TypeError(f"{part.name}: no compiler for a joint of {type(joint).__name__}")


@_fill.register
def _(joint: schema.FixedJoint, part: JointPart) -> None:
    part.type = FIXED


@_fill.register
def _(joint: schema.RevoluteJoint, part: JointPart) -> None:
    part.type, part.axis, part.coordinates = REVOLUTE, unit(joint.axis), [coordinate(joint)]


@_fill.register
def _(joint: schema.PrismaticJoint, part: JointPart) -> None:
    part.type, part.axis, part.coordinates = PRISMATIC, unit(joint.axis), [coordinate(joint)]


@_fill.register
def _(joint: schema.CylindricalJoint, part: JointPart) -> None:
    part.type, part.axis = CYLINDRICAL, unit(joint.axis)
    part.coordinates = [coordinate(joint.rotation, "rotation"), coordinate(joint.translation, "translation")]


@_fill.register
def _(joint: schema.UniversalJoint, part: JointPart) -> None:
    part.type, part.axis, part.axis_2 = UNIVERSAL, unit(joint.axis), unit(joint.axis_2)
    part.coordinates = [coordinate(joint.first, "first"), coordinate(joint.second, "second")]


@_fill.register
def _(joint: schema.SphericalJoint, part: JointPart) -> None:
    part.type, part.quaternion = SPHERICAL, joint.initial.quaternion_wxyz()
    part.coordinates = [
        Coordinate(n, "rad", BALL, rate=w, stiffness=k, damping=c, locked=joint.locked)
        for n, w, k, c in zip("xyz", radians3(joint.rate_deg_s), joint.stiffness_Nm_rad, joint.damping_Nms_rad)
    ]


@_fill.register
def _(joint: schema.FreeJoint, part: JointPart) -> None:
    part.type, part.quaternion = FREE, joint.initial.quaternion_wxyz()
    part.coordinates = six_coordinates(joint.locked, joint.velocity_m_s, radians3(joint.rate_deg_s), joint.offset_m)
