"""The 36 base inertial parameters that are printed for the PUMA 560, in millimetres, restated."""

from __future__ import annotations

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
