"""URDFs to read: a random tree with every kind of joint that is read, and public arms from a package of them."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np

KINDS = ("revolute", "continuous", "fixed", "prismatic", "revolute", "fixed", "continuous")
PARENTS = (0, 1, 2, 3, 2, 5, 6)  # of link k + 1
FOLDER = "airo_models"
# serial arms, and a gripper: a tree whose fingers are coupled, which is left out here
PUBLIC = ("arms/ur3e/ur3e.urdf", "arms/ur5e/ur5e.urdf", "grippers/robotiq_2f_85/urdf/robotiq_2f_85.urdf")


def numbers(values):
    return " ".join(f"{value:.9f}" for value in values)


def origin(rng, size):
    return f'<origin xyz="{numbers(rng.normal(size=3) * size)}" rpy="{numbers(rng.normal(size=3))}"/>'


def inertial(rng, mass):
    """Of six points, so that the inertia is a real one."""
    X = rng.normal(size=(6, 3)) * 0.2
    S = mass * X.T @ X / 6
    I = np.trace(S) * np.eye(3) - S
    pairs = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    entries = " ".join(f'{key}="{I[place]:.9f}"' for key, place in pairs.items())
    return f'<inertial>{origin(rng, 0.2)}<mass value="{mass}"/><inertia {entries}/></inertial>'


def random_urdf(rng):
    parts = [f'<link name="l0">{inertial(rng, 60.0)}</link>']
    for k, (kind, parent) in enumerate(zip(KINDS, PARENTS, strict=True)):
        axis = rng.normal(size=3)
        limit = '<limit lower="-3" upper="3" effort="10" velocity="1"/>' if kind in ("revolute", "prismatic") else ""
        ends = f'<parent link="l{parent}"/><child link="l{k + 1}"/>'
        turn = f'<axis xyz="{numbers(axis / np.linalg.norm(axis))}"/>'
        parts.append(f'<link name="l{k + 1}">{inertial(rng, 3.0 + k)}</link>')
        parts.append(f'<joint name="j{k + 1}" type="{kind}">{ends}{origin(rng, 0.4)}{turn}{limit}</joint>')
    return '<?xml version="1.0"?>\n<robot name="random">\n' + "\n".join(parts) + "\n</robot>\n"


def uncoupled(text):
    """A URDF without what makes one joint move with another."""
    return re.sub(r"<mimic [^>]*/>", "", text)


def public(name):
    """Text of a public URDF, with its joints uncoupled."""
    return uncoupled(files(FOLDER).joinpath(name).read_text(encoding="utf-8"))
