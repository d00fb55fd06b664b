from docksim.native.decorators import kernel
from docksim.scratch_room.helpers import grown, moved, whole


@kernel
def middle(x):
    return grown(x) + 0.25


@kernel
def with_melted(x):
    return 2.0 * moved(x)


@kernel
def halved(x):
    return whole(x) / 2


@kernel
def outer(x):
    """Through three levels."""
    return middle(x), with_melted(x), halved(x)


@kernel
def last(points):
    """Of the last row."""
    point = points.points[points.points.size - 1]
    return point.x - point.y
