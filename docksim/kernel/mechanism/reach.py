"""Closure of all legs at many poses of the ring: the workspace."""

from docksim.algebra.elementary import atan2
from docksim.algebra.vec3 import ZERO, load3, load9
from docksim.kernel.mechanism.legs import at_home, inputs_of, is_hunt, leg_motion
from docksim.native.decorators import kernel


@kernel
def joint_coordinates(leg, out, coordinates):
    """Angles of the kept joints, and the stroke. Reads out angle; writes coordinates."""
    n = inputs_of(leg)
    for j in range(n):
        if j == n - 1 and not is_hunt(leg):
            coordinates[j] = out.angle[j, 0]
        else:
            coordinates[j] = atan2(out.angle[j, 0], out.angle[j, 1])


@kernel
def close_poses(legs, work, r_C, R_C, coordinates, status):
    """Joint coordinates (poses, legs, 4) and status (poses, legs), for r_C (poses, 3) and R_C (poses, 9)."""
    for i in range(r_C.shape[0]):
        for k in range(legs.size):
            leg_motion(legs[k], work[k], load9(R_C[i]), load3(r_C[i]), ZERO, ZERO, ZERO, at_home(legs[k]))
            joint_coordinates(legs[k], work[k], coordinates[i, k])
            status[i, k] = work[k].status
