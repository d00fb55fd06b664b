"""The links of a chain as bodies and beams of a vehicle: keys of the scenario, with the place each came from."""

from __future__ import annotations

import math
from typing import Any

from docksim.algebra.quat import axis_quat
from docksim.algebra.vec3 import Vec3, cross, scale
from docksim.config.rigid import NO_TURN, Pose, inverse, quaternion_of
from docksim.config.schema.chain import Chain, ChainBody, Frame, LinkMass, LinkSights, PrismaticRow, RevoluteRow, Turn
from docksim.config.schema.chain_structure import links_of
from docksim.config.schema.elastic import ElasticLink
from docksim.config.schema.use_chain import UseChain
from docksim.config.tree import Keys

Keyed = dict[str, tuple[Keys, Any]]
# what joints of chains and of vehicles have alike; the keys of their axes
ALIKE = {
    True: (
        *("angle_deg", "lower_deg", "upper_deg", "stiffness_Nm_rad", "rest_deg", "damping_Nms_rad", "friction_Nm"),
        *("rotor_inertia_kg_m2", "stop_stiffness_Nm_rad", "stop_damping_s_rad"),
    ),
    False: (
        *("travel_m", "lower_m", "upper_m", "stiffness_N_m", "rest_m", "damping_Ns_m", "friction_N", "rotor_mass_kg"),
        *("stop_stiffness_N_m", "stop_damping_s_m"),
    ),
}
# limits of a drive, in a chain and in an actuator
DRIVES = {
    True: {"torque_limit_Nm": "torque_limit_Nm", "rate_limit_deg_s": "speed_limit_deg_s"},
    False: {"force_limit_N": "force_limit_N", "rate_limit_m_s": "speed_limit_m_s"},
}
THICK = math.sqrt(1.5)  # side of a brick with the rotary inertia of a thin tube, over the tube's diameter


class ChainParts:
    """Bodies and beams of a chain on a vehicle, parents first as far as the chain has them so."""

    def __init__(self, chain: Chain, how: UseChain) -> None:
        self.chain, self.how = chain, how
        self.bodies: Keyed = {}
        self.beams: Keyed = {}
        self.passive: set[str] = set()  # bodies whose joint has no drive
        self.base = pose_of(how.at or chain.base)
        self.parent = how.parent
        self._collect()
        if chain.source:
            for _, keys in (*self.bodies.values(), *self.beams.values()):
                keys["source"] = chain.source

    def _collect(self) -> None:
        root = self.chain.root
        if root is not None:
            name = self.how.prefix + root.name
            joint = {"type": "fixed", **self.base.keys()}
            self.bodies[name] = ("root",), {"parent": self.parent, **_masses(root), **_sights(root), "joint": joint}
            self.base, self.parent = Pose(), name
        before: tuple[str, Pose] = self.parent, self.base
        for name, (path, link) in links_of(self.chain).items():
            if isinstance(link, ChainBody):
                first = link.parent == "base"
                parent = self.parent if first else self._end_of(link.parent)
                place = pose_of(link.joint)
                self._link(name, path, link, parent, self.base.then(place) if first else place, Pose())
            else:
                parent, place = before
                theta = math.radians(link.theta_deg)
                turn = Pose(axis_quat((0.0, 0.0, 1.0), theta), rpy=(0.0, 0.0, theta))
                self._link(name, path, link, parent, place.then(turn), _row_end(link))
                before = self._end_of(name), Pose()

    def _end_of(self, link: str) -> str:
        """The body that carries what hangs on a link."""
        return self.how.prefix + link + ("_end" if links_of(self.chain)[link][1].elastic is not None else "")

    def _link(
        self, name: str, path: Keys, link: RevoluteRow | PrismaticRow | ChainBody, parent: str, place: Pose, frame: Pose
    ) -> None:
        """A link whose joint is at `place` on its parent, and whose own frame lies at `frame` in that of its joint."""
        name = self.how.prefix + name
        joint = self._joint(name, link, place)
        masses, sights = _masses(link), _sights(link) if isinstance(link, ChainBody) else {}
        if link.elastic is None:
            back = inverse(frame)
            if any(frame.p):
                joint["child_position_m"] = list(back.p)
            if frame.q != NO_TURN:
                joint["child_attitude"] = {"quaternion": list(back.q)}
            self.bodies[name] = path, {"parent": parent, **masses, **sights, "joint": joint}
            return
        to = link.end.position_m if isinstance(link, ChainBody) else frame.p
        axes = _beam_axes(to)
        nothing = {"mass_kg": 0.0, "inertia_kg_m2": [0.0, 0.0, 0.0]}
        self.bodies[name] = path, {"parent": parent, **nothing, "joint": joint}
        self.beams[f"{name}_beam"] = path, {"parent": name, **_beam(link.elastic, axes, to, link.structure)}
        tip = inverse(Pose(axes.q, to, None)).then(frame)
        fixed = {"type": "fixed", "position_m": list(tip.p), "attitude": {"quaternion": list(tip.q)}}
        self.bodies[f"{name}_end"] = path, {"parent": f"{name}_beam.tip", **masses, **sights, "joint": fixed}

    def _joint(self, name: str, link: RevoluteRow | PrismaticRow | ChainBody, place: Pose) -> dict[str, Any]:
        """With the limits of its drive, where joints are given drives."""
        joint = link.joint if isinstance(link, ChainBody) else link
        turns = isinstance(joint, Turn)
        axis = list(link.joint.axis) if isinstance(link, ChainBody) else [0.0, 0.0, 1.0]
        keys = {"type": "revolute" if turns else "prismatic", **place.keys(), "axis": axis}
        same = {key: getattr(joint, key) for key in ALIKE[turns] if getattr(joint, key) is not None}
        if joint.passive:
            self.passive.add(name)
        elif "actuator" in self.how.every_joint:
            given = {drive: getattr(joint, key) for key, drive in DRIVES[turns].items()}
            same["actuator"] = {drive: limit for drive, limit in given.items() if limit is not None}
        return {**keys, **same}


def _masses(link: LinkMass) -> dict[str, Any]:
    inertia = link.inertia_kg_m2
    return {
        "mass_kg": link.mass_kg,
        "center_of_mass_m": list(link.center_of_mass_m or (0.0, 0.0, 0.0)),
        "inertia_kg_m2": inertia.model_dump() if inertia is not None else [0.0, 0.0, 0.0],
    }


def _sights(link: LinkSights) -> dict[str, Any]:
    """Frames as ports, and shapes."""
    ports = {name: frame.model_dump(exclude_none=True) for name, frame in link.frames.items()}
    shapes = [shape.model_dump(exclude_none=True) for shape in link.visuals]
    return {**({"ports": ports} if ports else {}), **({"visuals": shapes} if shapes else {})}


def pose_of(place: Frame | Any) -> Pose:
    """Of a part with position and attitude."""
    q = place.attitude.quaternion_wxyz()
    turns = place.attitude.yaw_pitch_roll_deg
    if q == NO_TURN:
        return Pose(p=place.position_m)
    if turns is None:
        return Pose(q, place.position_m, None)
    yaw, pitch, roll = map(math.radians, turns)
    return Pose(q, place.position_m, (roll, pitch, yaw))


def _row_end(row: RevoluteRow | PrismaticRow) -> Pose:
    """Frame k in the frame of its joint: d along z, a along x, alpha about x."""
    return Pose(axis_quat((1.0, 0.0, 0.0), math.radians(row.alpha_deg)), (row.a_m, 0.0, row.d_m), None)


def _beam_axes(to: Vec3) -> Pose:
    """x to the far end, y across z as far as that is possible."""
    x = scale(1.0 / math.sqrt(sum(c * c for c in to)), to)
    y = cross((0.0, 0.0, 1.0), x)
    size = math.sqrt(sum(c * c for c in y))
    y = scale(1.0 / size, y) if size >= 1e-6 else (0.0, 1.0, 0.0)
    return Pose(quaternion_of(x, y, cross(x, y)), rpy=None)


def _beam(elastic: ElasticLink, axes: Pose, to: Vec3, structure: Any) -> dict[str, Any]:
    keys: dict[str, Any] = {"attitude": {"quaternion": list(axes.q)}, "length_m": math.sqrt(sum(c * c for c in to))}
    same = ("mass_kg", "segments", "flex", "EI_y_Nm2", "EI_z_Nm2", "GJ_Nm2", "damping_s")
    keys |= {key: getattr(elastic, key) for key in same if getattr(elastic, key) is not None}
    keys |= {"width_m": THICK * elastic.width_m, "thickness_m": THICK * elastic.width_m}
    if structure is not None:
        keys["structure"] = structure.model_dump(exclude_none=True, exclude={"mass_along"})
    return keys
