"""A chain from the bodies of a vehicle: all that hangs on one of them, or only the way from it to others.

The body it begins with stands still, or floats on three slides and three turns without drives. Joints off the way stay
where they start, as wheels do: what they carry becomes part of the link that carries them. A joint of two coordinates
becomes two with a massless link between, and so does an element of a beam. Ports are frames of the links. Drives,
loads, locks, rates and closures stay behind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docksim.algebra.joints import FIXED, FREE, SPHERICAL
from docksim.algebra.vec3 import Vec3
from docksim.compiler.assembly import Assembly, assemble, full_name
from docksim.compiler.parts import Coordinate, JointPart
from docksim.compiler.standing import X, Y, Z, axes_of, is_element, pose_of, standing
from docksim.config.errors import one_of, unknown
from docksim.config.rigid import Mass, Pose, inverse
from docksim.config.schema.chain import Chain
from docksim.config.schema.scenario import Scenario

AFLOAT = (("x", "m", X), ("y", "m", Y), ("z", "m", Z), ("yaw", "rad", Z), ("pitch", "rad", Y), ("", "rad", X))
# keys of a coordinate of a chain, by its unit, and what they are in the parts list
FIELDS = (
    *("start", "lower", "upper", "rest", "stiffness", "damping", "friction", "armature"),
    *("stop_stiffness", "stop_damping"),
)
KEYS = {
    "rad": (
        *("angle_deg", "lower_deg", "upper_deg", "rest_deg", "stiffness_Nm_rad", "damping_Nms_rad", "friction_Nm"),
        *("rotor_inertia_kg_m2", "stop_stiffness_Nm_rad", "stop_damping_s_rad"),
    ),
    "m": (
        *("travel_m", "lower_m", "upper_m", "rest_m", "stiffness_N_m", "damping_Ns_m", "friction_N", "rotor_mass_kg"),
        *("stop_stiffness_N_m", "stop_damping_s_m"),
    ),
}


class NoChain(ValueError):
    """What was asked for is not in the vehicle, or makes no chain; the message says what to do."""


@dataclass
class Link:
    """A link on its way: its joint, and what is fixed to it, in its frame."""

    name: str
    parent: str
    joint: dict[str, Any]
    mass: Mass = field(default_factory=Mass)
    frames: dict[str, Pose] = field(default_factory=dict)
    end: Pose | None = None


@dataclass(frozen=True)
class FoundChain:
    """A chain, and what a user should know of it."""

    chain: Chain
    notes: tuple[str, ...]


def chain_of_vehicle(
    scenario: Scenario, vehicle: str, start: str = "base", tips: Sequence[str] = (), floating: bool = False
) -> FoundChain:
    """What hangs on the body `start`, or only the way to `tips`: bodies, or ports as BODY.PORT; NoChain otherwise."""
    if vehicle not in scenario.vehicles:
        raise NoChain(unknown("vehicle", vehicle, scenario.vehicles))
    wheels = set(scenario.vehicles[vehicle].wheels)
    chain = _Reading(assemble(scenario), vehicle, wheels, start, tips).chain(floating)
    loops = f"closures of the scenario stay behind: {one_of(scenario.closures)}"
    return replace(chain, notes=(*chain.notes, loops)) if scenario.closures else chain


class _Reading:
    """One vehicle on its way."""

    def __init__(self, assembly: Assembly, vehicle: str, wheels: set[str], start: str, tips: Sequence[str]) -> None:
        self.assembly, self.vehicle, self.wheels = assembly, vehicle, wheels
        self.carried: dict[int, list[JointPart]] = {}
        for joint in assembly.joints:
            if joint.succ > 0 and not joint.is_weld:
                self.carried.setdefault(joint.pred, []).append(joint)
        self.start = self._marker(start, ports=False)[0]
        self.tips = {tip: self._marker(tip) for tip in tips}
        self.way = {body for tip in self.tips for body in self._way(tip)}
        self.links: list[Link] = []
        self.link_of: dict[int, tuple[Link, Pose]] = {}  # of a body, and where the body is in it
        self.held: list[str] = []
        self.notes: list[str] = []

    def _marker(self, name: str, ports: bool = True) -> tuple[int, Pose]:
        """The body of that name, or that of a port, and the port's place on it."""
        reference, places = full_name(self.vehicle, name), self.assembly.frames
        known = {**places, **(self.assembly.markers if ports else {})}
        if reference not in known:
            own = [key.split(".", 1)[1] for key in known if key.startswith(f"{self.vehicle}.")]
            raise NoChain(unknown("body or port" if ports else "body", name, ["base", *own]))
        marker = known[reference]
        return marker.body, pose_of(marker.place)

    def _way(self, tip: str) -> list[int]:
        """Bodies from a tip to the start."""
        above = {joint.succ: joint.pred for joints in self.carried.values() for joint in joints}
        bodies = [self.tips[tip][0]]
        while bodies[-1] != self.start:
            if above.get(bodies[-1], 0) == 0:
                raise NoChain(f"'{tip}' does not hang on the body the chain begins with; begin nearer to the base")
            bodies.append(above[bodies[-1]])
        return bodies

    def _name(self, body: int) -> str:
        return self.assembly.bodies[body].name.removeprefix(f"{self.vehicle}.").replace(".", "_")

    # ------------------------------------------------------------ from body to body

    def chain(self, floating: bool) -> FoundChain:
        root = Link(self._name(self.start), "base", {})
        if floating:
            root = self._afloat(root.name)
        waiting: list[tuple[int, Link, Pose]] = [(self.start, root, Pose())]
        while waiting:
            body, link, place = waiting.pop()
            self._add(body, link, place)
            below = []
            for joint in self.carried.get(body, []):
                there, back = place.then(pose_of(joint.F)), inverse(pose_of(joint.M))
                if self._moves(joint):
                    below.append((joint.succ, self._link(joint, link, there, root, floating), back))
                else:
                    below.append((joint.succ, link, there.then(standing(joint)).then(back)))
            waiting += below[::-1]
        if len(self.links) == (len(AFLOAT) if floating else 0):
            raise NoChain("no joint that moves is on the way; begin nearer to the base, or go on to another body")
        for body, port in self.tips.values():
            link, place = self.link_of[body]
            link.end = place.then(port)
        if self.held:
            self.notes.append(f"held where they start: {one_of(self.held)}")
        return FoundChain(self._chain(None if floating else root), tuple(self.notes))

    def _moves(self, joint: JointPart) -> bool:
        """Whether a joint is one of the chain's; what is refused, what is noted."""
        name = joint.name.removeprefix(f"{self.vehicle}.")
        if joint.type == FIXED or (self.way and joint.succ not in self.way):
            if joint.type != FIXED:
                self.held.append(name)
            return False
        if name in self.wheels:
            self.held.append(name)
            return False
        if joint.mechanism >= 0:
            raise NoChain(f"'{name}' stands on legs, which close loops; give --to, on a way that leaves it out")
        if joint.type == FREE or (joint.type == SPHERICAL and not is_element(joint)):
            kind = "free" if joint.type == FREE else "spherical"
            raise NoChain(f"joint '{name}' is {kind}, and links of a chain turn or slide; give --to, past it")
        return True

    def _add(self, body: int, link: Link, place: Pose) -> None:
        """A body to the link that carries it, in whose frame it lies at `place`."""
        part = self.assembly.bodies[body]
        J = part.inertia
        inertia = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        link.mass = link.mass.with_other(Mass(part.mass, part.com, tuple(map(float, inertia))).seen_from(place))  # type: ignore[arg-type]
        self.link_of[body] = link, place
        for reference, marker in self.assembly.markers.items():
            if marker.body == body:
                name = reference.rsplit(".", 1)[1]
                taken = name in link.frames
                link.frames[f"{self._name(body)}_{name}" if taken else name] = place.then(pose_of(marker.place))

    def _link(self, joint: JointPart, carrier: Link, place: Pose, root: Link, floating: bool) -> Link:
        """The link that a joint moves, after massless ones if it has several coordinates."""
        name, parent = self._name(joint.succ), "base" if carrier is root and not floating else carrier.name
        *before, last = axes_of(joint)
        for coordinate, axis in before:
            own = f"{name}_{coordinate.name}"
            self.links.append(Link(own, parent, _joint_keys(coordinate, axis, place, is_element(joint))))
            parent, place = own, Pose()
        self.links.append(Link(name, parent, _joint_keys(*last, place, is_element(joint))))
        return self.links[-1]

    def _afloat(self, name: str) -> Link:
        """Three slides and three turns, without drives, and the base on the last."""
        parent = "base"
        for suffix, unit, axis in AFLOAT:
            own = f"{name}_{suffix}" if suffix else name
            keys = {"type": "prismatic" if unit == "m" else "revolute", "axis": list(axis), "passive": True}
            self.links.append(Link(own, parent, keys))
            parent = own
        return self.links[-1]

    def _chain(self, root: Link | None) -> Chain:
        content: dict[str, Any] = {"source": f"vehicle '{self.vehicle}' of a scenario"}
        if root is not None:
            content["root"] = {"name": root.name, **root.mass.keys(), **_frames(root)}
        content["bodies"] = {link.name: _body_keys(link) for link in self.links}
        return Chain.model_validate(content)


def _body_keys(link: Link) -> dict[str, Any]:
    end = {"end": link.end.keys()} if link.end is not None else {}
    return {"parent": link.parent, **link.mass.keys(), "joint": link.joint, **_frames(link), **end}


def _frames(link: Link) -> dict[str, Any]:
    return {"frames": {name: pose.keys() for name, pose in link.frames.items()}} if link.frames else {}


def _joint_keys(coordinate: Coordinate, axis: Vec3, place: Pose, passive: bool) -> dict[str, Any]:
    """A joint of a chain; what is not there is left out."""
    kind = "prismatic" if coordinate.unit == "m" else "revolute"
    keys: dict[str, Any] = {"type": kind, **place.keys(), "axis": list(axis)}
    stops = math.isfinite(coordinate.lower) or math.isfinite(coordinate.upper)
    for key, name in zip(KEYS[coordinate.unit], FIELDS, strict=True):
        value = float(getattr(coordinate, name))
        needless = value == 0.0 or not math.isfinite(value) or (name.startswith("stop_") and not stops)
        if name == "stop_damping":
            needless = not stops
        if name in ("lower", "upper"):
            needless = not math.isfinite(value)
        if not needless:
            keys[key] = math.degrees(value) if key.endswith("_deg") else value
    return {**keys, **({"passive": True} if passive else {})}
