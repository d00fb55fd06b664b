"""A petal that strikes a ring, two free bodies: the same impact in docksim and in MuJoCo, made of capsules there.

MuJoCo sees a petal as a fan of capsules, one along each of some rulings, joined by arcs of short ones along tip and
base, and a ring as a polygon of capsules that touches its circle. Its contact is soft in acceleration, with an
impedance d between 0 and 1: a force f makes the surfaces part with A f, and (A + R) f = k' depth + b' rate, where
R = A' (1 - d)/d and A' is the sum of the inverse masses at rest. With d at its least, 1e-4, R is ten thousand times A,
and what is left is the law of Kelvin and Voigt, cut at zero force: stiffness k' / R and damping b' / R.
Friction is an elliptic cone whose rows have a damping of their own: it must be small, or slip adds to the normal force,
and not so small that the direction of slip is lost beside the accelerations. From 1e-5 to 1e-2 of critical, with
`impratio` from 1e8 to 1e5 to match, impulses change by 0.4 % at a coefficient of 0.3; 1e-3, the middle, is used, and of
those tried it comes nearest to docksim.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np
from scipy.optimize import minimize, newton
from scipy.spatial.transform import Rotation

import docksim
from docksim.result.result import Result
from tests.oracle.contact_shapes import Petal, Rim
from tests.support.rigs import Keys, lone

Piece = tuple[np.ndarray, np.ndarray]  # ends of a capsule, interface axes
LEAST_IMPEDANCE = 1e-4
# friction rows: damping against that of a critically damped contact, and how much stiffer they are than the normal
FRICTION_DAMPING, FRICTION_RATIO = 1e-3, 1e6
FACING = Rotation.from_euler("z", 180.0, degrees=True)
# interface axes, z out of the mating plane, to port axes, x out of it
TO_PORT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True)
class Craft:
    """A free body; its frame is at its mass centre, its port has the frame's axes."""

    mass: float
    inertia: tuple[float, float, float]
    port: tuple[float, float, float]


PETALS, RING = (
    Craft(3000.0, (2000.0, 2500.0, 2600.0), (1.5, 0.02, -0.03)),
    Craft(5000.0, (4000.0, 4500.0, 4600.0), (2.0, -0.05, 0.04)),
)


@dataclass(frozen=True)
class Impact:
    """The ring comes to the petals, which are at rest; on the axes of the petals' port, metres and degrees."""

    at: tuple[float, float, float]  # origin of the ring's port
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)  # rotation vector, beyond facing each other
    velocity: tuple[float, float, float] = (-0.03, 0.0, 0.0)  # of the ring's mass centre
    rate: tuple[float, float, float] = (0.0, 0.0, 0.0)  # own axes, per second
    duration: float = 0.4
    stiffness: float = 6.5e6
    damping: float = 0.0  # of Kelvin and Voigt
    friction: float = 0.0
    petals: tuple[Petal, ...] = field(default_factory=lambda: (Petal(),))

    @property
    def attitude(self) -> Rotation:
        return Rotation.from_rotvec(self.turn, degrees=True) * FACING

    @property
    def position(self) -> np.ndarray:
        """Mass centre of the ring's craft in W, which has its origin at that of the petals'."""
        return np.array(PETALS.port) + self.at - self.attitude.apply(RING.port)


@dataclass(frozen=True)
class Outcome:
    """After the impact: velocity (W axes) and rate (own axes) of both bodies, petals first; and the largest force."""

    velocity: np.ndarray
    rate: np.ndarray
    peak: float
    touches: int

    def impulse(self, impact: Impact) -> np.ndarray:
        """On the ring [N s]."""
        return RING.mass * (self.velocity[1] - impact.velocity)


# docksim


def in_docksim(impact: Impact, step: float = 5e-4) -> Outcome:
    petal, law = impact.petals[0], {"law": "kelvin_voigt", "damping_Ns_m": impact.damping}
    law |= {"stiffness_N_m": impact.stiffness, "friction": impact.friction}
    keys = {
        "count": len(impact.petals), "base_radius_m": petal.base_radius, "length_m": petal.length,
        "half_angle_deg": float(np.degrees(petal.half_angle)), "cant_deg": float(np.degrees(petal.cant)),
        "first_azimuth_deg": float(np.degrees(petal.azimuth)), "tip_half_width_m": petal.tip_half_width,
        "plate_radius_m": petal.plate_radius, "below_m": petal.below,
    }  # fmt: skip
    rim = {"radius_m": Rim().radius, "height_m": Rim().height, "tube_m": Rim().tube}
    a, b = vehicle(PETALS, {"petals": keys, "contact": law}), vehicle(RING, {"rim": rim})
    b["position_m"], b["velocity_m_s"] = impact.position.tolist(), list(impact.velocity)
    b["attitude"] = {"quaternion": np.roll(impact.attitude.as_quat(), 1).tolist()}
    b["rate_deg_s"] = list(impact.rate)
    scenario = {
        "vehicles": {"a": a, "b": b}, "contacts": {"hit": {"ports": ["a.dock", "b.dock"]}},
        "solver": {"duration_s": impact.duration, "step_s": step, "integrator": "rk4"},
        "outputs": {"every_s": impact.duration},
    }  # fmt: skip
    result = docksim.run(scenario)
    assert result.outcome == "completed", result.reason
    return Outcome(
        last(result, "velocity_m_s"),
        np.radians(last(result, "rate_deg_s")),
        float(result["hit.peak_petals_force_N"][-1]),
        int(result["hit.contact_count"][-1]),
    )


def vehicle(craft: Craft, interface: Keys) -> Keys:
    return lone(craft.mass, craft.inertia, ports={"dock": {"position_m": list(craft.port), "interface": interface}})


def last(result: Result, name: str) -> np.ndarray:
    return np.array([result[f"{craft}.{name}"][-1] for craft in "ab"])


# MuJoCo


@dataclass(frozen=True)
class Capsules:
    """How fine: rulings of a petal, an odd number, and segments of the whole ring.

    Rulings lie evenly from edge to edge but for the middle one, which goes to `angle`; the ring's `azimuth` is in the
    middle of a segment. Only the arc of the ring that far to both sides is laid out.
    """

    rulings: int = 7
    segments: int = 72
    angle: float = 0.0
    azimuth: float = 0.0
    arc: float = np.pi / 6.0


@dataclass(frozen=True)
class Touch:
    """When and where the surfaces meet, by brute force: angle of the ruling, azimuth on the ring."""

    time: float
    angle: float
    azimuth: float


def first_touch(impact: Impact) -> Touch:
    """For a ring that does not turn: distances of a grid on the petal, the best of them polished; secants in time."""
    petal, velocity = impact.petals[0], np.array(impact.velocity)

    def meeting(time: float) -> tuple[float, np.ndarray, float]:
        return nearest(petal, TO_PORT.T @ (impact.at + time * velocity), impact)

    def gap(time: float) -> float:
        return meeting(time)[0] - petal.plate_radius - Rim().tube

    # the gap shuts no faster than the ring comes, so this is before the touch
    time = float(newton(gap, 0.0, x1=gap(0.0) / np.linalg.norm(velocity), tol=1e-9))
    _, u, azimuth = meeting(time)
    return Touch(time, float(u[1]), azimuth)


def nearest(petal: Petal, origin: np.ndarray, impact: Impact) -> tuple[float, np.ndarray, float]:
    """Distance of the skeletons, parameters on the petal, azimuth on the ring; interface axes."""
    R = TO_PORT.T @ impact.attitude.as_matrix() @ TO_PORT

    def distance(u: np.ndarray) -> float:
        x = R.T @ (petal.point(u) - origin)
        return float(np.hypot(np.hypot(x[0], x[1]) - Rim().radius, x[2] - Rim().height))

    grid = [(t, phi) for t in np.linspace(*petal.box()[0], 15) for phi in np.linspace(*petal.box()[1], 31)]
    start = min(grid, key=distance)
    found = minimize(distance, start, bounds=petal.box(), method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-12})
    x = R.T @ (petal.point(found.x) - origin)
    return float(found.fun), found.x, float(np.arctan2(x[1], x[0]))


def in_mujoco(impact: Impact, fine: Capsules, step: float = 5e-4) -> Outcome:
    model = mujoco.MjModel.from_xml_string(xml(impact, fine, step))
    data = mujoco.MjData(model)
    data.qpos[7:10], data.qpos[10:14] = impact.position, np.roll(impact.attitude.as_quat(), 1)
    data.qvel[6:9], data.qvel[9:12] = impact.velocity, np.radians(impact.rate)
    peak, touches, touching = 0.0, 0, False
    for _ in range(round(impact.duration / step)):
        mujoco.mj_step(model, data)
        normals = [data.efc_force[c.efc_address] for c in data.contact if c.efc_address >= 0]
        touches += bool(normals) and not touching
        touching = bool(normals)
        peak = max(peak, sum(normals))
    velocity, rate = data.qvel.reshape(2, 6)[:, :3], data.qvel.reshape(2, 6)[:, 3:]
    return Outcome(velocity.copy(), rate.copy(), peak, touches)


def xml(impact: Impact, fine: Capsules, step: float) -> str:
    law = contact_law(impact)
    plates = [piece for petal in impact.petals for piece in petal_pieces(petal, fine)]
    arcs = ring_pieces(fine)
    bodies = body(PETALS, plates, "p", impact.petals[0].plate_radius) + body(RING, arcs, "r", Rim().tube)
    pairs = "".join(f'<pair geom1="p{i}" geom2="r{j}" {law}/>' for i in range(len(plates)) for j in range(len(arcs)))
    option = f'timestep="{step!r}" integrator="RK4" gravity="0 0 0" cone="elliptic" impratio="{FRICTION_RATIO!r}"'
    return f"""<mujoco><compiler angle="radian"/><option {option} tolerance="0" iterations="100"/>
        <worldbody>{bodies}</worldbody><contact>{pairs}</contact></mujoco>"""


def contact_law(impact: Impact) -> str:
    """Stiffness and damping for the impedance; the sum of inverse masses is what MuJoCo scales a contact by."""
    d = LEAST_IMPEDANCE
    inverse = (1.0 / PETALS.mass + 1.0 / RING.mass) * (1.0 - d)
    k, c = impact.stiffness * inverse, impact.damping * inverse
    slide = FRICTION_DAMPING * 2.0 * np.sqrt(k)
    mu = max(impact.friction, 1e-5)
    return (
        f'condim="{3 if impact.friction > 0.0 else 1}" friction="{mu!r} {mu!r}" solref="{-k!r} {-max(c, 1e-9)!r}" '
        f'solreffriction="-1e-9 {-float(slide)!r}" solimp="{d} {d} 0.001 0.5 1"'
    )


def body(craft: Craft, pieces: list[Piece], name: str, radius: float) -> str:
    """Its capsules belong to no class of collisions: only pairs that are named touch."""
    inertial = f'<inertial pos="0 0 0" mass="{craft.mass!r}" diaginertia="{text(craft.inertia)}"/>'
    geoms = ""
    for k, ends in enumerate(pieces):
        a, b = (text(TO_PORT @ end + craft.port) for end in ends)
        shape = f'type="capsule" fromto="{a} {b}" size="{radius!r}" mass="0"'
        geoms += f'<geom name="{name}{k}" {shape} contype="0" conaffinity="0"/>'
    return f"<body><freejoint/>{inertial}{geoms}</body>"


def petal_pieces(petal: Petal, fine: Capsules) -> list[Piece]:
    (low, high), (left, right) = petal.box()
    half = fine.rulings // 2
    # an edge that is touched is a ruling already
    middle = fine.angle if left < fine.angle < right else 0.0
    angles = np.concatenate([np.linspace(left, middle, half + 1), np.linspace(middle, right, half + 1)[1:]])
    pieces = [(petal.point((low, phi)), petal.point((high, phi))) for phi in angles]
    for t in (low, high):
        pieces += list(pairwise(petal.point((t, phi)) for phi in angles))
    return pieces


def ring_pieces(fine: Capsules) -> list[Piece]:
    """Tangents to the circle, half a segment to both sides."""
    half = np.pi / fine.segments
    some = round(0.5 * fine.arc / half)
    angles = fine.azimuth + half * (2.0 * np.arange(-some, some + 2) - 1.0)
    out = Rim().radius / np.cos(half)
    points = np.stack([out * np.cos(angles), out * np.sin(angles), np.full(len(angles), Rim().height)], axis=1)
    return list(pairwise(points))


def text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)
