"""A chain or a URDF that floats, by Pinocchio: its own reader of URDFs, and a free flyer for the base.

The base's rates are [omega on its axes; velocity of its origin on world axes], as those of a vehicle.
"""

from __future__ import annotations

import re

import numpy as np
import pinocchio as pin

from tests.oracle.rotations import quat_matrix

# name and child; the joints of transmissions have no type
JOINT = r'<joint\b(?=[^>]*\btype\s*=)[^>]*\bname\s*=\s*"([^"]+)".*?<child\s+link\s*=\s*"([^"]+)"'


def of_urdf(text, prefix=""):
    """Pinocchio's own model of a URDF, without weight, and its joints by docksim's name for the link they move."""
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    model.gravity = pin.Motion.Zero()
    found = re.findall(JOINT, text, re.DOTALL)
    links = {joint: prefix + re.sub(r"\W", "_", child) for joint, child in found}
    return model, {links[name]: k for k, name in enumerate(model.names) if name in links}


def of_chain(chain):
    """The links of a ChainModel on a free flyer without mass."""
    model = pin.Model()
    model.gravity = pin.Motion.Zero()
    root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    joints = {}
    for k in range(chain.n):
        above = root if chain.parent[k] < 0 else joints[chain.names[chain.parent[k]]]
        kind = pin.JointModelPrismaticUnaligned if chain.prismatic[k] else pin.JointModelRevoluteUnaligned
        place = pin.SE3(chain.R_fix[k], chain.p_fix[k])
        joint = model.addJoint(above, kind(np.array(chain.axis[k])), place, f"{k}")
        mass, centre = chain.mass[k], chain.com[k]
        central = chain.inertia[k] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        model.appendBodyToJoint(joint, pin.Inertia(mass, centre, central), pin.SE3.Identity())
        joints[chain.names[k]] = joint
    model.armature = np.concatenate([np.zeros(6), chain.rotor])  # joints were added in the chain's order
    return model, joints


def with_base(model, mass, inertia):
    """What the base itself weighs, about its origin."""
    model.appendBodyToJoint(1, pin.Inertia(mass, np.zeros(3), inertia), pin.SE3.Identity())


def accelerations(model, joints, base, q, rates, forces):
    """Of the base, as its rates, and of joints, by link: forward dynamics by ABA.

    `base` is (quaternion wxyz, omega, velocity); q, rates and forces go by the joints' links.
    """
    quaternion, omega, velocity = base
    R = quat_matrix(quaternion)
    Q, V, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    Q[3:7] = [*quaternion[1:], quaternion[0]]
    V[:6] = [*(R.T @ velocity), *omega]
    for link, joint in joints.items():
        part = model.joints[joint]
        Q[part.idx_q : part.idx_q + part.nq] = q[link] if part.nq == 1 else (np.cos(q[link]), np.sin(q[link]))
        V[part.idx_v], tau[part.idx_v] = rates[link], forces[link]
    a = pin.aba(model, model.createData(), Q, V, tau)
    linear = R @ (a[:3] + np.cross(omega, R.T @ velocity))
    return np.concatenate([a[3:6], linear]), {link: a[model.joints[joint].idx_v] for link, joint in joints.items()}
