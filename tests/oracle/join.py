"""Welding one point of tree A to one point of tree B by an impulse, dense numpy, two ways.

M (n, n): mass matrix; J (6, n): velocity [omega; v] of the weld point per generalised speed; beta (n,): speeds before.
Both Jacobians on the same axes, at the same point in space. The impulse Lambda = [moment; force] acts on A at that
point, -Lambda on B. Only the speeds change, not the coordinates. Source: Carnot's theorem and Gauss' principle for
impulses (Pars, A Treatise on Analytical Dynamics).
"""

from typing import NamedTuple

import numpy as np


class Weld(NamedTuple):
    """Speeds after the weld, impulse on A, kinetic energy lost [J]."""

    beta_a: np.ndarray
    beta_b: np.ndarray
    impulse: np.ndarray
    loss: float


def weld_kkt(M_a, J_a, beta_a, M_b, J_b, beta_b):
    """Smallest change of speeds in the kinetic metric that closes the velocity gap: [[M, J^T], [J, 0]], one solve.

    M d - G^T Lambda = 0 and G (beta + d) = 0, with G = [J_a, -J_b]; the loss is the difference of kinetic energies.
    """
    n_a, n_b = len(beta_a), len(beta_b)
    M = np.zeros((n_a + n_b, n_a + n_b))
    M[:n_a, :n_a], M[n_a:, n_a:] = M_a, M_b
    G = np.hstack([J_a, -J_b])
    beta = np.concatenate([beta_a, beta_b])

    kkt = np.block([[M, G.T], [G, np.zeros((6, 6))]])
    solution = np.linalg.solve(kkt, np.concatenate([np.zeros(n_a + n_b), -G @ beta]))
    after = beta + solution[: n_a + n_b]
    loss = 0.5 * beta @ M @ beta - 0.5 * after @ M @ after
    return Weld(after[:n_a], after[n_a:], -solution[n_a + n_b :], loss)


def response(M, J):
    """Omega = J M^-1 J^T: velocity of the point per unit impulse applied to it."""
    return J @ np.linalg.solve(M, J.T)


def weld_response(M_a, J_a, beta_a, M_b, J_b, beta_b):
    """(Omega_A + Omega_B) Lambda = V_B - V_A; +Lambda on A, -Lambda on B; loss = (V_B - V_A)^T Lambda / 2."""
    gap = J_b @ beta_b - J_a @ beta_a
    impulse = np.linalg.solve(response(M_a, J_a) + response(M_b, J_b), gap)
    after_a = beta_a + np.linalg.solve(M_a, J_a.T @ impulse)
    after_b = beta_b - np.linalg.solve(M_b, J_b.T @ impulse)
    return Weld(after_a, after_b, impulse, 0.5 * gap @ impulse)
