from docksim.native.decorators import kernel, melted, pure
from docksim.scratch_room.tables import FACTOR


@pure
def grown(x):
    """Three times x."""
    return FACTOR * x


@melted
def moved(x):
    y = x + 1.0
    return y


@kernel
def whole(x):
    return float(int(x))
