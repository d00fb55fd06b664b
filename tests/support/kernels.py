"""Inner functions of the kernel that tests call one by one, as a library of their own: compiled once, as the kernel is.

The loops of the benchmarks are in it as well, which tests call too.
"""

from pathlib import Path

from benchmarks.library import LIBRARY as BENCHMARKS
from benchmarks.library import SOURCES as BENCHMARK_SOURCES
from docksim.kernel.library import SOURCES
from docksim.model import Model, State, Work
from docksim.model.contact import PETAL, SWEEP
from docksim.model.mechanism import LEG, LEG_BLOCK, WORK_BLOCK, WORK_LEG, MechanismWork
from docksim.model.tree import WORK_BODY
from docksim.native.kinds import Items, floats, row, vector
from docksim.native.libraries import library

TREE = (Model, State, Work)
V3, R9 = vector(3), vector(9)

LIBRARY = library(
    "inner",
    __name__,
    (*SOURCES, Path(__file__).resolve(), *BENCHMARK_SOURCES),
    {
        **BENCHMARKS.entries,
        "docksim.kernel.step:evaluate": TREE,
        "docksim.kernel.loop:decide": TREE,
        "docksim.kernel.tree.closures:note_closures": TREE,
        "docksim.kernel.tree.passes:tree_motion": TREE,
        "docksim.kernel.tree.passes:tree_articulation": TREE,
        "docksim.kernel.tree.passes:tree_acceleration": TREE,
        "docksim.kernel.tree.passes:prescribed_forces": TREE,
        "docksim.kernel.tree.passes:joint_wrench": (row(WORK_BODY),),
        "docksim.kernel.tree.environment:switch_loads": (Model, State),
        "docksim.kernel.basis.coordinates:remember_start": (State, Work),
        "docksim.kernel.basis.coordinates:displace": TREE,
        "docksim.kernel.basis.coordinates:drive_coordinates": TREE,
        "docksim.kernel.tree.energy:kinetic_energy": TREE,
        "docksim.kernel.tree.energy:total_momentum": TREE,
        "docksim.kernel.run.budget:note_budget": TREE,
        "docksim.kernel.mechanism.ring:leg_momenta": (Model, Work, int),
        "docksim.kernel.mechanism.ring:leg_sums": (*TREE, int),
        "docksim.kernel.mechanism.ring:leg_details": TREE,
        "docksim.kernel.mechanism.ring:mechanism_leg_loads": (*TREE, int),
        "docksim.kernel.mechanism.couplings:actuated": (row(LEG),),
        "docksim.kernel.mechanism.lanes:close_block": (row(LEG_BLOCK), row(WORK_BLOCK), Items((R9, V3, V3, V3)), V3),
        "docksim.kernel.mechanism.lanes:sum_block": (row(WORK_BLOCK), floats()),
        "docksim.kernel.mechanism.reduction:add_leg": (row(LEG), row(WORK_LEG), MechanismWork, R9),
        "docksim.kernel.mechanism.ring_equations:add_total": (MechanismWork, floats(), float),
        "docksim.kernel.contact.friction:dragged": (V3, V3, float),
        "docksim.kernel.contact.gaps:sphere_sphere": (V3, float, V3, float),
        "docksim.kernel.contact.gaps:sphere_plane": (V3, float, V3, V3),
        "docksim.kernel.contact.gaps:sphere_rim": (V3, float, float, float, float),
        "docksim.kernel.contact.gaps:sphere_face": (V3, float, float, float, float),
        "docksim.kernel.contact.gaps:point_face": (V3, float, float, float),
        "docksim.kernel.contact.gaps:capsule_capsule": (V3, V3, float, V3, V3, float),
        "docksim.kernel.contact.gaps:latch_offset": (V3, V3, V3),
        "docksim.kernel.contact.petal:petal_on_rim": (row(PETAL), R9, V3, float, float, float, float, row(SWEEP)),
        "docksim.kernel.contact.petal:rim_on_petal": (float, float, float, row(PETAL), R9, V3, float, row(SWEEP)),
        "docksim.kernel.contact.petal:petal_on_sphere": (row(PETAL), V3, float, float, row(SWEEP)),
    },
)
