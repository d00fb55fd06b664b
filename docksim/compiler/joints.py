"""Joints of the schema to joints of the parts list."""

from __future__ import annotations

import math
from functools import singledispatch

from docksim.algebra.joints import CYLINDRICAL, FIXED, FREE, PRISMATIC, REVOLUTE, SPHERICAL, UNIVERSAL
from docksim.compiler.parts import (
    DEG,
    Coordinate,
    JointPart,
    Place,
    Vector,
    radians3,
    rotation_matrix,
    six_coordinates,
    unit,
)
from docksim.compiler.shafts import axis_shaft
from docksim.config.schema import scenario as schema
from docksim.config.schema.joints import JointPlace
from docksim.model.tree import BALL


def placed(position: Vector, attitude: schema.Attitude) -> Place:
    return Place(position, rotation_matrix(attitude.quaternion_wxyz()))


def rotary(axis: schema.RotaryAxis, name: str = "") -> Coordinate:
    """A rotation in radians."""
    return Coordinate(
        name=name,
        unit="rad",
        start=axis.angle_deg * DEG,
        rate=axis.rate_deg_s * DEG,
        stiffness=axis.stiffness_Nm_rad,
        rest=axis.rest_deg * DEG,
        damping=axis.damping_Nms_rad,
        friction=axis.friction_Nm,
        presliding=axis.presliding_deg * DEG,
        lower=-math.inf if axis.lower_deg is None else axis.lower_deg * DEG,
        upper=math.inf if axis.upper_deg is None else axis.upper_deg * DEG,
        stop_stiffness=axis.stop_stiffness_Nm_rad,
        stop_damping=axis.stop_damping_s_rad,
        armature=axis.rotor,
        torque=axis.torque_Nm,
        locked=axis.locked,
        drive=axis.drive,
        devices=axis_shaft(axis.actuator, "rad", axis.angle_deg * DEG, name),
    )


def linear(axis: schema.LinearAxis, name: str = "") -> Coordinate:
    """A translation in metres."""
    return Coordinate(
        name=name,
        unit="m",
        start=axis.travel_m,
        rate=axis.velocity_m_s,
        stiffness=axis.stiffness_N_m,
        rest=axis.rest_m,
        damping=axis.damping_Ns_m,
        friction=axis.friction_N,
        presliding=axis.presliding_m,
        lower=-math.inf if axis.lower_m is None else axis.lower_m,
        upper=math.inf if axis.upper_m is None else axis.upper_m,
        stop_stiffness=axis.stop_stiffness_N_m,
        stop_damping=axis.stop_damping_s_m,
        armature=axis.rotor,
        torque=axis.force_N,
        locked=axis.locked,
        drive=axis.drive,
        devices=axis_shaft(axis.actuator, "m", axis.travel_m, name),
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
    part.type, part.axis, part.coordinates = REVOLUTE, unit(joint.axis), [rotary(joint)]


@_fill.register
def _(joint: schema.PrismaticJoint, part: JointPart) -> None:
    part.type, part.axis, part.coordinates = PRISMATIC, unit(joint.axis), [linear(joint)]


@_fill.register
def _(joint: schema.CylindricalJoint, part: JointPart) -> None:
    part.type, part.axis = CYLINDRICAL, unit(joint.axis)
    part.coordinates = [rotary(joint.rotation, "rotation"), linear(joint.translation, "translation")]


@_fill.register
def _(joint: schema.UniversalJoint, part: JointPart) -> None:
    part.type, part.axis, part.axis_2 = UNIVERSAL, unit(joint.axis), unit(joint.axis_2)
    part.coordinates = [rotary(joint.first, "first"), rotary(joint.second, "second")]


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
