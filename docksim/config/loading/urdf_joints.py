"""The joints of a URDF, as a chain file has them: place, axis, limits, damping, friction."""

from __future__ import annotations

import math
from typing import Any

from docksim.algebra.elementary import hypot
from docksim.config.errors import did_you_mean
from docksim.config.loading.urdf_values import Values
from docksim.config.loading.xml_elements import Element
from docksim.config.rigid import Pose

MOVING = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic"}
FAR = 1e9  # limits beyond it are written for none
TYPES = (*MOVING, "fixed")
REFUSED = {
    "floating": "leaves six directions free; let its child be the root of a file of its own, and place that by 'at'",
    "planar": "leaves three directions free; make two prismatic joints and a continuous one of it",
}
# keys of turning and sliding joints: start, lower, upper, rate limit, drive limit, damping, friction
KEYS = {
    "revolute": (
        *("angle_deg", "lower_deg", "upper_deg", "rate_limit_deg_s"),
        *("torque_limit_Nm", "damping_Nms_rad", "friction_Nm"),
    ),
    "prismatic": ("travel_m", "lower_m", "upper_m", "rate_limit_m_s", "force_limit_N", "damping_Ns_m", "friction_N"),
}


def type_fault(kind: str) -> str | None:
    """What is wrong with the type of a joint that shall move."""
    if kind in REFUSED:
        return f"type '{kind}' {REFUSED[kind]}; or hold it: --fix"
    if kind not in TYPES:
        given = f"type '{kind}' is unknown" if kind else "has no 'type'"
        return f"{given}; there is {', '.join(TYPES)}{did_you_mean(kind, TYPES)}"
    return None


def joint_keys(values: Values, joint: Element, place: Pose, where: str, notes: list[str]) -> dict[str, Any]:
    """A moving joint."""
    kind = joint.attributes["type"]
    keys: dict[str, Any] = {"type": MOVING[kind], **place.keys(), "axis": _axis(values, joint, where)}
    mimic = joint.first("mimic")
    if mimic is not None:
        other = mimic.attributes.get("joint", "")
        text = f"<mimic>: moves with '{other}', and coupled joints are not modelled; hold it (--fix), or remove <mimic>"
        values.fault(mimic, where, text)
    return {**keys, **_limits(values, joint, where, notes), **_dynamics(values, joint, where)}


def _axis(values: Values, joint: Element, where: str) -> list[float]:
    part = joint.first("axis")
    axis = values.numbers(part, where, "xyz", 3, (1.0, 0.0, 0.0)) if part is not None else (1.0, 0.0, 0.0)
    if part is not None and hypot(*axis) < 1e-9:
        values.fault(part, where, "<axis xyz>: has no direction; give a vector that is not zero")
        return [1.0, 0.0, 0.0]
    return list(axis)


def _limits(values: Values, joint: Element, where: str, notes: list[str]) -> dict[str, Any]:
    """Limits of place, rate and effort; a continuous joint has none of place."""
    kind = joint.attributes["type"]
    start, lower_key, upper_key, rate_key, effort_key, _, _ = KEYS[MOVING[kind]]
    unit = 1.0 if kind == "prismatic" else 180.0 / math.pi
    limit = joint.first("limit")
    if limit is None:
        if kind != "continuous":
            text = f"a {kind} joint needs <limit lower upper effort velocity>"
            values.fault(joint, where, text + ("; 'continuous' has no stops" if kind == "revolute" else ""))
        return {}
    keys: dict[str, Any] = {}
    if kind != "continuous":
        lower, upper = (values.number(limit, where, side, 0.0) or 0.0 for side in ("lower", "upper"))
        if lower >= upper:
            other = "'continuous' or 'fixed'" if kind == "revolute" else "'fixed'"
            text = f"<limit>: lower {lower:g} is not below upper {upper:g}; mend them, or make the joint {other}"
            values.fault(limit, where, text)
            return {}
        keys |= {lower_key: unit * lower} if lower > -FAR else {}
        keys |= {upper_key: unit * upper} if upper < FAR else {}
        if not lower <= 0.0 <= upper:
            keys[start] = 0.5 * unit * (lower + upper)
            notes.append(f"{where}: zero is beyond its limits; it starts half-way between them")
    for attribute, key, factor in (("velocity", rate_key, unit), ("effort", effort_key, 1.0)):
        value = values.number(limit, where, attribute)
        if value is not None and value < 0.0:
            values.fault(limit, where, f"<limit {attribute}>: {value:g} is negative; a limit is a size")
        elif value == 0.0:
            notes.append(f"{where}: {attribute} 0 is taken for no limit")
        elif value is not None and value < FAR:
            keys[key] = factor * value
    return keys


def _dynamics(values: Values, joint: Element, where: str) -> dict[str, Any]:
    part, own = joint.first("dynamics"), {}
    keys = KEYS[MOVING[joint.attributes["type"]]][5:]
    for attribute, key in zip(("damping", "friction"), keys, strict=True):
        value = values.number(part, where, attribute, 0.0) if part is not None else 0.0
        if value is not None and value < 0.0 and part is not None:
            values.fault(part, where, f"<dynamics {attribute}>: {value:g} is negative; it takes energy away, or none")
        elif value:
            own[key] = value
    return own
