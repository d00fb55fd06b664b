"""Where a load moves the tool: sag and compliance, of elastic links and of drives that give way; statics, linear.

    k_e d = J_eT W + Q_e          elements of elastic links and other passive joints, k_e their springs
    k_m dq = J_mT W + Q_m         driven joints, k_m that of their servos; rigid where the file gives none
    error = J_e d + J_m dq        of the tool [displacement; rotation], at a configuration as it is without load
    C = J_e k_e^-1 J_eT + J_m k_m^-1 J_mT

W is the wrench [force; moment] on the tool, on the world's axes, and Q what the weight of the links does on the joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.build import build_chain
from docksim.chain.dynamics.formulations import Dynamics
from docksim.chain.kinematics.links import kinematics
from docksim.config.schema.chain import Chain, ChainBody, Turn
from docksim.config.schema.chain_structure import links_of


@dataclass(frozen=True, eq=False)
class ToolAccuracy:
    """Of the far end of the last link; SI and radians, world axes."""

    sag_m: np.ndarray  # (3,)
    tilt_rad: np.ndarray  # (3,)
    compliance: np.ndarray  # (6, 6) [displacement; rotation] by [force; moment]
    yields: np.ndarray  # (n,) how far each joint or element gives way
    rigid: tuple[str, ...]  # links whose drives are taken as rigid

    def stiffness_N_m(self) -> tuple[float, float]:
        """Of the tool against forces: in its softest and its hardest direction."""
        soft = np.linalg.eigvalsh(self.compliance[:3, :3])[::-1]
        softest, hardest = (1.0 / value if value > 1e-12 * soft[0] else np.inf for value in (soft[0], soft[-1]))
        return float(softest), float(hardest)


def servo_stiffness(chain: Chain) -> np.ndarray:
    """(n,) what holds each joint of the built chain: spring without a drive, servo with one; infinite if rigid."""
    model = build_chain(chain)
    stiffness = np.full(model.n, np.inf)
    for name, (_, link) in links_of(chain).items():
        joint = link.joint if isinstance(link, ChainBody) else link
        servo = joint.servo_stiffness_Nm_rad if isinstance(joint, Turn) else joint.servo_stiffness_N_m
        stiffness[model.names.index(name)] = servo or np.inf
    # a passive joint without a spring gives no answer: it is taken as it stands
    sprung = model.passive & (model.stiffness > 0.0)
    stiffness[sprung] = model.stiffness[sprung]
    return stiffness


def tool_accuracy(chain: Chain, q: np.ndarray, wrench: np.ndarray | None = None) -> ToolAccuracy:
    """At a configuration, under gravity and a wrench (6,) on the tool."""
    model = build_chain(chain)
    W = np.zeros(6) if wrench is None else np.asarray(wrench, float)
    state = kinematics(model, q, np.zeros(model.n))
    J, _ = state.twists(model.n - 1, state.p[-1] + state.R[-1] @ model.p_end[-1])
    gives = 1.0 / servo_stiffness(chain)
    weight = -Dynamics(model, joints=False).bias(q, np.zeros(model.n))
    yields = gives * (J.T @ W + weight)
    moved = J @ yields
    rigid = tuple(name for name in links_of(chain) if gives[model.names.index(name)] == 0.0)
    return ToolAccuracy(moved[:3], moved[3:], (J * gives) @ J.T, yields, rigid)
