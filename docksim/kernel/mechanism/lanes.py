"""The legs of one mechanism, block by block: five straight-line kernels, and the sums of what they add."""

from docksim.kernel.mechanism.hunt import rsu_lanes, rus_lanes
from docksim.kernel.mechanism.stewart import ups_lanes
from docksim.kernel.mechanism.stewart_spun import spu_lanes, ucu_lanes
from docksim.model.mechanism import RSU, RUS, SHARES, SPU, UCU, UPS
from docksim.native.decorators import kernel


@kernel
def close_block(block, out, ring, w_0):
    """Closure and shares of the legs of one block, into its row of Work; ring = (R_C, r_C, w_C, v_C), w_0 on B axes."""
    kind = block.type
    if kind == UPS:
        ups_lanes(block, out, ring, w_0)
    elif kind == SPU:
        spu_lanes(block, out, ring, w_0)
    elif kind == UCU:
        ucu_lanes(block, out, ring, w_0)
    elif kind == RUS:
        rus_lanes(block, out, ring, w_0)
    elif kind == RSU:
        rsu_lanes(block, out, ring, w_0)


@kernel
def sum_block(out, total):
    """Adds a block's shares to the mechanism's; False at the first that is not a number.

    A mechanism has six legs, so the last two lanes are empty. The exit also keeps the loop as it is written, row by
    row, which is its fastest form.
    """
    s = out.share
    for i in range(SHARES):
        x = ((s[i, 0] + s[i, 2]) + s[i, 4]) + ((s[i, 1] + s[i, 3]) + s[i, 5])
        if x != x:
            return False
        total[i] += x
    return True
