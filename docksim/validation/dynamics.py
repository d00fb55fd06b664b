"""Rows about motion and impact by themselves: a tumbling brick, two spheres, an arm's parameters."""

from __future__ import annotations

import numpy as np

from docksim.chain import base_parameters, load_chain
from docksim.chain.identification.baseparams import parameter_name
from docksim.config import load_scenario
from docksim.validation.bench import Bench, Job, path_of
from docksim.validation.row import Finding, Row

# rates of the brick after 30 s, converged [deg/s]; what the tools published with the case leave between each other
BRICK_DEG_S, TOOLS_DEG_S = (12.6183907759, -17.3974747616, 31.1195888869), 3.3e-5
# the two spheres: stiffness 20 lbf/in and damping 0.4 lbf s/in as given, and the closed form of their impact
SPHERES = {"law": "kelvin_voigt", "stiffness_N_m": 3502.54, "damping_Ns_m": 70.0507, "adhesive": True, "friction": 0.05}
DEPTH_M, PEAK_N, AFTER_M_S = 0.210903, 749.17, (-1.76808, -0.23192)
# five figures are given; the end of the pull falls within a step
SPHERES_REL = 3e-4
# the 36 base inertial parameters that are printed for the PUMA 560, in millimetres, restated
ALONE = (
    *("Iyy2", "Ixy2", "Iyz2", "Sy2", "Ixz3", "Iyz3", "Ixx4", "Ixy4", "Ixz4", "Iyz4", "Sx4", "Ixx5"),
    *("Ixy5", "Ixz5", "Iyz5", "Sx5", "Ixx6", "Iyy6", "Ixy6", "Ixz6", "Iyz6", "Sx6", "Sy6"),
)
BEYOND = {k: [f"m{j}" for j in range(k, 7)] for k in range(2, 7)}
Terms = list[tuple[float, list[str]]]
# each a sum of coefficient times the sum of parameters; the first parameter names it
PRINTED: list[Terms] = [
    [(1, ["Ixx1", "Izz1", "Izz2", "Iyy3"]), (300, ["Sz2", "Sy3"]), (22500, BEYOND[2])],
    [(1, ["Izz3", "Iyy4"]), (-866.2, ["Sy4"]), (187576, BEYOND[4])],
    [(1, ["Ixx2"]), (-186451, BEYOND[2])],
    [(1, ["Sx2"]), (431.8, BEYOND[2])],
    [(1, ["Ixx3"]), (-412.09, BEYOND[3])],
    [(1, ["Sz3"]), (-1, ["Sy4"]), (433.1, BEYOND[4])],
    [(1, ["Sx3"]), (-20.3, BEYOND[3])],
    [(1, ["Izz5", "Izz6"]), (140, ["Sz6"]), (4900, ["m6"])],
    [(1, ["Ixz2"]), (431.8, ["Sz2", "Sy3"])],
    [(1, ["Sz5", "Sz6"]), (70, ["m6"])],
    [(1, ["Ixy3"]), (-20.3, ["Sy3"])],
    [(1, ["Izz4", "Iyy5"])],
    [(1, ["Sz4", "Sy5"])],
]
PRINTED += [[(1.0, [name])] for name in ALONE]


def brick(bench: Bench, size: int) -> Finding:
    rates = bench.run("tumbling_brick", channels=["brick.rate_deg_s"]).channel("brick.rate_deg_s")[-1]
    error = float(np.abs(rates - BRICK_DEG_S).max())
    return Finding(f"{error:.1e} deg/s off", error < TOOLS_DEG_S, {"error_deg_s": error})


def spheres(bench: Bench, size: int) -> Finding:
    """Head on: the second, 12 m away, comes at 2 m/s."""
    body = {"use": path_of("configs/vehicles", "check_sphere")}
    ball = {"spheres": [{"center_m": [0.0, 0.0, 0.0], "radius_m": 1.0}], "contact": SPHERES}
    a = {**body, "ports": {"front": {"position_m": [0.0, 0.0, 0.0], "interface": ball}}}
    b = {**a, "position_m": [12.0, 0.0, 0.0], "velocity_m_s": [-2.0, 0.0, 0.0]}
    content = {
        "name": "jeod_spheres",
        "vehicles": {"a": a, "b": b},
        "contacts": {"hit": {"ports": ["a.front", "b.front"], "substeps": 8}},
        "solver": {"duration_s": 10.0, "step_s": 0.0005},
        "outputs": {"every_s": 0.002},
    }
    channels = ("hit.gap_m", "hit.normal_force_N", "a.velocity_m_s", "b.velocity_m_s")
    (told,) = bench.runs([Job(load_scenario(content), channels)])
    depth = -float(told.channel("hit.gap_m").min())
    force = float(told.channel("hit.normal_force_N").max())
    after = [float(told.channel(f"{name}.velocity_m_s")[-1, 0]) for name in ("b", "a")]
    # JEOD's bodies: the one at rest leaves at -1.768 m/s, the other keeps -0.232 m/s
    answer = np.array([depth, force, *sorted(after)])
    error = float(np.max(np.abs(answer / np.array([DEPTH_M, PEAK_N, *sorted(AFTER_M_S)]) - 1.0)))
    words = f"{depth:.6f} m, {force:.2f} N, {answer[2]:.5f} and {answer[3]:.5f} m/s"
    figures = {"depth_m": depth, "force_N": force, "fast_m_s": answer[2], "slow_m_s": answer[3], "error": error}
    return Finding(words, error < SPHERES_REL, {key: float(value) for key, value in figures.items()})


def puma(bench: Bench, size: int) -> Finding:
    """The printed expressions against the base parameters, coefficient for coefficient."""
    base = base_parameters(load_chain(path_of("configs/chains", "puma560")))
    ours = {
        name: {parameter_name(int(j)): float(row[j]) for j in np.flatnonzero(row)}
        for name, row in zip(base.names, base.in_length(1e-3), strict=True)
    }
    same = sum(_same(ours.get(terms[0][1][0], {}), terms) for terms in PRINTED)
    passes = same == len(PRINTED) == len(ours)
    return Finding(f"{same} of {len(PRINTED)}, and {len(ours) - same} others", passes, {"same": same})


def _same(row: dict[str, float], terms: Terms) -> bool:
    printed = {name: value for value, names in terms for name in names}
    # squares of lengths are printed to whole mm2: half a unit; all else to the last digit
    near = [
        abs(row[name] - value) <= (0.5 if abs(value) > 1e5 else 1e-9) for name, value in printed.items() if name in row
    ]
    return set(row) == set(printed) and all(near)


ROWS = (
    Row(
        name="nesc_brick",
        published="brick tumbling freely from 10, 20, 30 deg/s: 12.6184, -17.3975, 31.1196 deg/s after 30 s",
        source="NESC check case 2, NASA/TM-2015-218675; rates: converged",
        band="within 3.3e-5 deg/s",
        reason="the tools published with the case differ among each other by so much",
        experiment=brick, short=1, full=1,
    ),
    Row(
        name="jeod_spheres",
        published="two 100 kg spheres, 2 m/s, k 3502.54 N/m, b 70.05 N s/m: 0.210903 m deep, 749.17 N, then "
        "-1.76808 and -0.23192 m/s",
        source="NASA JEOD, contact verification (inputs); closed form of the damped oscillator (answer)",
        band="within 3e-4 of each figure",
        reason="figures are given to five digits; the pull of this law ends within a step, worth half a step's impulse",
        experiment=spheres, short=1, full=1,
    ),
    Row(
        name="puma_parameters",
        published="the 36 base inertial parameters of the PUMA 560, as expressions in mm",
        source="table of 36 expressions in the article on the method of projections (docs/chains.md)",
        band="all 36, every coefficient to its last printed digit, and no other",
        reason="the expressions are exact; squares of lengths are printed to whole mm²",
        experiment=puma, short=36, full=36, unit="expressions",
    ),
)  # fmt: skip
