"""The tables of contact between docking interfaces: their columns, codes and integer sizes.

A table is a structured array that kernels see as a recarray; an interface's petals, face points, spheres, capsules,
pins and holes are rows of shared tables. SI units; everything in the frame of its interface: origin in the middle of
the mating plane, z out of it, towards the mate. How the numbers follow from a drawing is in
docksim/compiler/interface_shapes.py. A pair of interfaces lies in frame A, that of the first.

`FEATURE_PAIRS` is the one list of what can touch what. The rows of gaps of two interfaces A and B, their order, groups
and names follow from it and from how many features of each kind the two have.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

_F, _I = np.float64, np.int64
# contact laws
HUNT_CROSSLEY, KELVIN_VOIGT, WALTON_BRAUN = range(3)
# groups of forces: those of gap rows, and the pulls of latches. Rims count as faces: they are the same solids
GROUP_NAMES = ("petals", "edges", "faces", "spheres", "pins", "latches")
PETALS, EDGES, FACES, SPHERES, PINS, LATCHES = range(len(GROUP_NAMES))
NO_GROUP = -1  # of a row that bears no force
N_GROUPS = len(GROUP_NAMES)
# a latch waits for its striker, holds it, was opened by an event, is broken, or let go at more than it holds
ARMED, ENGAGED, OPENED, FAILED, LOST = range(5)
LATCH_MODES = ("armed", "engaged", "opened", "failed", "lost")
# a striker not yet seen; before its pawl; come over it; behind the pawl by another way
UNSEEN, BEFORE, PASSED, BEHIND = range(4)
# peaks of the load on B: along the axis by sign, across it, and the same for the moment
N_PEAKS = 5
# fixed rulings, edge to edge, on which the search of a petal's minima starts: 3.9 deg apart for a petal of 58 deg
RULINGS = 16
# fixed angles all around a rim, and the parts of an arc between two of them
AROUND, ARC_PARTS = 16, 8
# two rings set off sideways cross twice
CROSSINGS = 2
# a petal is covered by rows of this many spheres, from the base to the tip
COVER_ROWS = (6, 5, 3, 2)
COVER = sum(COVER_ROWS)

# kinds of features by their names, counted from one; those of a kind with several names take them in turn
FEATURE_NAMES = (
    ("rim",),
    ("face",),
    ("face point {}",),
    ("petal {}",),
    ("right edge of petal {}", "left edge of petal {}"),
    ("sphere {}",),
    ("capsule {}",),
    ("nose of pin {}", "flank of pin {}"),
    ("hole {}",),
)
F_RIM, F_FACE, F_POINT, F_PETAL, F_EDGE, F_SPHERE, F_CAPSULE, F_PIN, F_HOLE = range(len(FEATURE_NAMES))
N_KINDS = len(FEATURE_NAMES)

# gap functions: which function of docksim/kernel/contact/interface_gaps.py fills the rows of a pair of kinds
(
    PETALS_ON_RIM,
    RIM_ON_PETALS,
    EDGES_ON_EDGES,
    RIM_ON_RIM,
    POINTS_ON_FACE,
    FACE_ON_POINTS,
    SPHERES_ON_SPHERES,
    SPHERES_ON_RIM,
    RIM_ON_SPHERES,
    SPHERES_ON_PETALS,
    PETALS_ON_SPHERES,
    SPHERES_ON_FACE,
    FACE_ON_SPHERES,
    CAPSULES_ON_CAPSULES,
    PINS_IN_HOLES,
    HOLES_ON_PINS,
) = range(16)


class FeaturePair(NamedTuple):
    """Features of one kind of A that may touch those of one kind of B: a row for each feature of A and each of B."""

    kind_A: int
    kind_B: int
    group: int
    gap_function: int
    name: str = "{A} of A on {B} of B"
    matched: bool = False  # one row for each feature of A instead; none unless B has as many of them
    own: int = 0  # 1: one row for each feature of A, which has its own of B, if B has any; 2: the same of B
    by_B: bool = False  # all rows of the first feature of B come first, not those of the first one of A
    crossings: int = 0  # so many rows for each feature of A and each of B, if not one


# in the order of the rows
FEATURE_PAIRS = (
    FeaturePair(F_PETAL, F_RIM, PETALS, PETALS_ON_RIM),
    FeaturePair(F_RIM, F_PETAL, PETALS, RIM_ON_PETALS),
    FeaturePair(F_EDGE, F_EDGE, EDGES, EDGES_ON_EDGES, "{A} of A on its neighbour", matched=True),
    FeaturePair(F_RIM, F_RIM, FACES, RIM_ON_RIM, "rim on rim, crossing {n}", crossings=CROSSINGS),
    FeaturePair(F_POINT, F_FACE, FACES, POINTS_ON_FACE, "{A} of A"),
    FeaturePair(F_FACE, F_POINT, FACES, FACE_ON_POINTS, "{B} of B"),
    FeaturePair(F_SPHERE, F_SPHERE, SPHERES, SPHERES_ON_SPHERES),
    FeaturePair(F_SPHERE, F_RIM, SPHERES, SPHERES_ON_RIM),
    FeaturePair(F_RIM, F_SPHERE, SPHERES, RIM_ON_SPHERES),
    FeaturePair(F_SPHERE, F_PETAL, SPHERES, SPHERES_ON_PETALS),
    FeaturePair(F_PETAL, F_SPHERE, SPHERES, PETALS_ON_SPHERES, by_B=True),
    FeaturePair(F_SPHERE, F_FACE, SPHERES, SPHERES_ON_FACE),
    FeaturePair(F_FACE, F_SPHERE, SPHERES, FACE_ON_SPHERES),
    FeaturePair(F_CAPSULE, F_CAPSULE, SPHERES, CAPSULES_ON_CAPSULES),
    FeaturePair(F_PIN, F_HOLE, PINS, PINS_IN_HOLES, "{A} of A in its hole", own=1),
    FeaturePair(F_HOLE, F_PIN, PINS, HOLES_ON_PINS, "{B} of B in its hole", own=2),
)

PETAL = np.dtype(
    [
        ("apex", _F, 3),  # interface frame [m]
        ("G", _F, 3),  # from the apex to the centre of the base circle [m]
        ("e1", _F, 3),  # base circle's radius towards the petal's middle [m]
        ("e2", _F, 3),  # the same, a quarter turn on [m]
        ("s_tip", _F),  # a ruling is apex + s (G + e1 cos phi + e2 sin phi), from s_tip ...
        ("s_low", _F),  # ... through 1 in the mating plane to s_low below it
        ("radius", _F),  # of the sphere that sweeps the patch: half the plate's thickness [m]
        ("cover_x", _F, COVER),  # centres of spheres that cover the patch, without its thickness [m]
        ("cover_y", _F, COVER),
        ("cover_z", _F, COVER),
        ("cover_radius", _F),  # of each of them [m]
        ("left_from", _F, 3),  # side edge at -phi: its low end [m]
        ("left_along", _F, 3),  # from there to the tip corner [m]
        ("right_from", _F, 3),  # side edge at +phi
        ("right_along", _F, 3),
        ("ruling_step", _F),  # [rad]
        ("ruling_tau", _F, RULINGS),  # tan(phi / 2) of the fixed rulings; the first and the last are the edges
        ("ruling_cos", _F, RULINGS),
        ("ruling_sin", _F, RULINGS),
    ],
    align=True,
)

# scratch of the searches: what they find on the fixed rulings and angles
SWEEP = np.dtype(
    [(name, _F, RULINGS) for name in ("cos", "sin", "s", "step", "f", "slope")]
    + [(f"around_{name}", _F, AROUND) for name in ("cos", "sin", "E", "slope")]
    + [("cover", _F, COVER)]
    # share of the rims at their crossings, and what it changes by as B moves: force at the origin of A, and moment
    + [("share", _F, CROSSINGS), ("share_force", _F, (CROSSINGS, 3)), ("share_moment", _F, (CROSSINGS, 3))],
    align=True,
)

FACE_POINT = np.dtype([("position", _F, 3)], align=True)

SPHERE = np.dtype([("centre", _F, 3), ("radius", _F)], align=True)

CAPSULE = np.dtype([("start", _F, 3), ("along", _F, 3), ("radius", _F)], align=True)  # along: from the start to the end

# a pin or a hole: its place, and its meridian, a convex chain shrunk by its rounding, of which (x, y) are the distance
# from the axis and the height; of a hole, less the distance. A nose as wide as its pin has both corners in its centre
GUIDE = np.dtype(
    [
        ("position", _F, 3),  # in the mating plane [m]
        ("out", _F, 3),  # unit, outward from the interface's axis
        ("x_1", _F),  # corner of cylinder and taper, of bore and chamfer [m]
        ("y_1", _F),
        ("x_2", _F),  # centre of the nose; corner of chamfer and face [m]
        ("y_2", _F),
        ("cos", _F),  # normal of taper or chamfer
        ("sin", _F),
        ("radius", _F),  # of the rounding: nose of a pin, edges of a hole [m]
        ("half", _F),  # hole: half of what it is lengthened by, along `out` [m]
        ("face", _F),  # hole: radius of the flat face around it [m]
        ("depth", _F),  # hole: of the bore [m]
    ],
    align=True,
)

INTERFACE = np.dtype(
    [
        ("rim_radius", _F),  # circle about z [m]
        ("rim_height", _F),  # its z, negative behind the mating plane [m]
        ("rim_tube", _F),  # [m]
        ("around_cos", _F, AROUND),  # fixed angles around the rim
        ("around_sin", _F, AROUND),
        ("part_cos", _F),  # part of an arc between two of them
        ("part_sin", _F),
        ("part_tau", _F),  # tan of half of it
        ("face_inner", _F),  # ring face: a solid between two cylinders, behind the mating plane [m]
        ("face_outer", _F),
        ("face_depth", _F),  # how far it reaches behind the mating plane
        ("ring_width", _F),  # rings off by less lean on their faces, not on their rims; 0: no face [m]
        ("reach", _F),  # radius of a sphere about the origin that holds everything [m]
        ("top", _F),  # largest z of petals, spheres, capsules and pins, thickness included [m]
        ("tip_radius", _F),  # the solid lies in the convex hull of a disc of this radius at z = top ...
        ("base_radius", _F),  # ... and one of this radius at z = 0 and below [m]
        ("half_pitch_cos", _F),  # of half the angle from petal to petal
        ("half_pitch_sin", _F),
        ("count", _I, N_KINDS),  # features of each kind
        ("first", _I, N_KINDS),  # row of the first one, where the kind has a table
    ],
    align=True,
)

GAP = np.dtype(
    [
        ("gap", _F),  # negative in penetration; inf where farther than the margin [m]
        ("point", _F, 3),  # midway between the surfaces, frame of A [m]
        ("normal", _F, 3),  # unit, from A to B, frame of A
        ("room", _F),  # the gap, or the margin beyond it: nothing touches that has moved by less since [m]
        ("mate", _I),  # an edge: the petal of its neighbour
    ],
    align=True,
)

# two interfaces that may touch
CONTACT = np.dtype(
    [
        ("body_A", _I),
        ("p_aA", _F, 3),  # interface frame on its body
        ("R_aA", _F, 9),
        ("body_B", _I),
        ("p_bB", _F, 3),
        ("R_bB", _F, 9),
        ("interface_A", _I),
        ("interface_B", _I),
        ("first_row", _I),  # of its gaps
        ("rows", _I),
        ("near", _F),  # farther apart than this, nothing acts [m]
        ("margin", _F),  # nearer than this, steps are cut into `substeps` parts [m]
        ("substeps", _I),
        ("law", _I),
        ("damping", _F),  # factor [s/m] or, Kelvin-Voigt, damping [N s/m]
        ("adhesive", _I),  # 1: the law may pull until the surfaces part
        ("regained", _F),  # of the work of loading, by unloading: e^2 of Walton and Braun
        ("friction", _F),
        ("tangential", _F),  # tangential over normal stiffness
        ("first_latch", _I),
        ("latches", _I),
        ("latches_on_B", _I),  # 1 where B has the latches, and A the strikers
        ("first_striker", _I),
        ("strikers", _I),
        ("window", _F, 3),  # axial, radial, tangential [m]
        ("travel", _F),  # of a pawl
        ("pawl_presliding", _F),  # way over which a pawl's friction builds up [m]
        ("play", _F),
        ("latch_stiffness", _F),
        ("latch_damping", _F),  # [s/m]
        ("latch_holds", _F),  # a latch that pulls harder lets go; inf: never [N]
        ("latch_aside", _F),  # a latch whose striker is farther beside the window lets go; inf: never [m]
    ],
    align=True,
)

# one gap of a pair
CONTACT_ROW = np.dtype(
    [
        ("group", _I),
        ("crossing", _I),  # of two rims, from 0; -1: another contact
        ("stiffness", _F),
        ("share", _F),  # of Kelvin-Voigt damping
    ],
    align=True,
)

LATCH = np.dtype(
    [
        ("position", _F, 3),  # of the pawl's working point [m]
        ("radial", _F, 3),  # unit, outward from the axis, square to z
        ("delay", _F),  # from the striker's arrival to the grip [s]
        ("first_pawl", _I),  # its pawl: pieces of the way over it, rows of Model.pawl
        ("pawls", _I),
    ],
    align=True,
)

# a piece of the way over a pawl; each force by its value at the start of the piece and its slope [N], [N/m]
PAWL = np.dtype(
    [
        ("start", _F),  # compression [m]
        ("push", _F, 2),  # on the striker, outward, in the middle between going in and going out
        ("rub", _F, 2),  # half of what is between them: dry friction
        ("spring", _F, 2),  # what the spring stores, a unit of way
        ("stored", _F),  # up to the start of the piece [J]
    ],
    align=True,
)

STRIKER = np.dtype([("position", _F, 3)], align=True)

CONTACT_STATE = np.dtype(
    [
        ("placed", _I),  # 1 where the pose is known
        ("R_AB", _F, 9),  # pose of B in A at the start of the step
        ("p_AB", _F, 3),
        ("touching", _I),  # at the latest accepted state, as the next three
        ("normal_force", _F),  # sum over all rows [N]
        ("engaged", _I),  # latches
        ("touches", _I),  # how often contact began
        ("first_contact", _F),  # when; -1 before [s]
        ("capture", _F),  # when all latches held for the first time; -1 before [s]
        ("clearance", _F),  # ways shorter than this bring no feature within the margin, no pawl to its striker [m]
        ("fastest", _F),  # rate of penetration so far [m/s]
        ("peak", _F, N_PEAKS),  # tension, compression, shear, bending, torsion [N], [N m]
        ("group_peak", _F, N_GROUPS),
    ],
    align=True,
)

ROW_STATE = np.dtype(
    [
        ("bristle", _F, 3),  # stretch at the start of the step, axes of A [m]
        ("deepest", _F),  # penetration since the surfaces met, up to the start of the step [m]
    ],
    align=True,
)

LATCH_STATE = np.dtype(
    [
        ("mode", _I),
        ("striker", _I),  # UNSEEN, BEFORE, PASSED or BEHIND
        ("arrival", _F),  # of the striker over the pawl, -1 while it is away [s]
        ("compression", _F),  # of the pawl at the start of the step, as all that follows [m]
        ("met", _F),  # the least since its striker met it, and pushes beyond; inf: not met [m]
        ("bristle", _F),  # direction of the pawl's friction: 1 going in, -1 going out, or between
        ("stored", _F),  # in its spring [J]
    ],
    align=True,
)

WORK_CONTACT = np.dtype(
    [
        ("known", _I),  # 0: far apart; 1: pose is there; 2: gaps and forces too
        ("R_WA", _F, 9),
        ("p_WA", _F, 3),
        ("R_AB", _F, 9),
        ("p_AB", _F, 3),
        ("w_AB", _F, 3),  # B against A: angular velocity, and velocity at the origin of A, axes of A
        ("v_AB", _F, 3),
        ("look", _F),  # only gaps less than this are asked for [m]
        ("measured", _I),  # 1: every row has its room, at this pose of B in A
        ("measured_R_AB", _F, 9),
        ("measured_p_AB", _F, 3),
        ("gap", _F),  # the least; inf beyond look
        ("gap_start", _F),  # the same at the start of a step under a tolerance
        ("clearance", _F),  # as found at this evaluation; see CONTACT_STATE
        ("normal_force", _F),
        ("fastest", _F),  # rate of penetration, of all rows [m/s]
        ("force", _F, 3),  # of A on B, axes of A
        ("moment", _F, 3),  # about the origin of A
        ("group", _F, N_GROUPS),  # sums of normal forces; latches: of their pull
        ("stored", _F),  # [J]
    ],
    align=True,
)

WORK_ROW = np.dtype(
    [
        ("gap", _F),  # as in GAP
        ("point", _F, 3),
        ("normal", _F, 3),
        ("room", _F),
        ("mate", _I),
        ("force", _F),  # normal force [N]
        ("stretch", _F, 3),  # of the bristle
    ],
    align=True,
)

WORK_LATCH = np.dtype(
    [
        ("force", _F),  # how hard it pulls; negative while the pawl pushes [N]
        ("axial", _F),  # height of the striker above the pawl's working point [m]
        ("aside", _F),  # how far the striker is beside the window; not positive within it [m]
    ],
    align=True,
)


class ContactTables(NamedTuple):
    """All interfaces of a scene."""

    interface: Annotated[np.recarray, INTERFACE]
    petal: Annotated[np.recarray, PETAL]
    face_point: Annotated[np.recarray, FACE_POINT]
    sphere: Annotated[np.recarray, SPHERE]
    capsule: Annotated[np.recarray, CAPSULE]
    pin: Annotated[np.recarray, GUIDE]
    hole: Annotated[np.recarray, GUIDE]
