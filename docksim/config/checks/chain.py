"""What only the whole of a chain can tell: names, parents, lengths, sizes."""

from __future__ import annotations

from collections.abc import Iterator

from docksim.algebra.elementary import hypot
from docksim.config.checks.cycles import find_cycle
from docksim.config.errors import unknown
from docksim.config.schema.chain import Chain, Row
from docksim.config.schema.chain_structure import structure_faults
from docksim.config.tree import Fault, Keys

BASE = "base"
MOST_JOINTS = 300
LONGEST_M = 1e3


def check_chain(chain: Chain) -> list[Fault]:
    """What only the whole chain can tell."""
    rows = _row_faults(chain.denavit_hartenberg or [])
    return [*rows, *_body_faults(chain), *_size_faults(chain), *structure_faults(chain)]


def _row_faults(rows: list[Row]) -> Iterator[Fault]:
    seen: set[str] = set()
    for k, row in enumerate(rows):
        path: Keys = ("denavit_hartenberg", k)
        name = row.name or f"link{k + 1}"
        if name in seen:
            yield (*path, "name"), f"'{name}' is the name of another row"
        seen.add(name)
        for key in ("a_m", "d_m", "center_of_mass_m"):
            yield from _length_faults((*path, key), getattr(row, key))
        if row.elastic is not None and hypot(row.a_m, row.d_m) == 0.0:
            yield (*path, "elastic"), "a link with a_m 0 and d_m 0 has no length to bend along"


def _body_faults(chain: Chain) -> Iterator[Fault]:
    bodies = chain.bodies or {}
    parents = {name: body.parent for name, body in bodies.items()}
    for name, body in bodies.items():
        path: Keys = ("bodies", name)
        if name == BASE:
            yield path, "'base' is the name of what carries the chain; choose another"
        if body.parent != BASE and body.parent not in bodies:
            yield (*path, "parent"), unknown("body", body.parent, [BASE, *bodies])
        cycle = find_cycle(name, lambda below: [parents[below]] if below in parents else [])
        if cycle:
            yield (*path, "parent"), f"cyclic parents: {' -> '.join(cycle)}; one of them must hang on 'base'"
        yield from _length_faults((*path, "center_of_mass_m"), body.center_of_mass_m)
        yield from _length_faults((*path, "end", "position_m"), body.end.position_m)
        if body.parent != BASE:
            yield from _length_faults((*path, "joint", "position_m"), body.joint.position_m)
        if body.elastic is not None and not any(body.end.position_m):
            yield (*path, "elastic"), "needs the far end of the link: give 'end' with its position_m"


def _length_faults(path: Keys, value: float | tuple[float, ...]) -> Iterator[Fault]:
    """Far from any arm: millimetres taken for metres."""
    longest = max(map(abs, value if isinstance(value, tuple) else (value,)))
    if longest > LONGEST_M:
        yield path, f"{longest:g} m is no length of a link; lengths are in metres"


def _size_faults(chain: Chain) -> Iterator[Fault]:
    links = [*(chain.denavit_hartenberg or ()), *(chain.bodies or {}).values()]
    joints = sum(1 + (len(link.elastic.flex) * link.elastic.segments if link.elastic else 0) for link in links)
    if joints > MOST_JOINTS:
        yield (), f"has {joints} joints with those of its elastic links; at most {MOST_JOINTS} are computed"
