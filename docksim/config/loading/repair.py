"""The checks of the whole scenario in spite of faults in its parts, so that all faults are reported at once.

The checks need a valid scenario, so they get a repaired copy. A broken value is dropped where the schema can do without
(an unknown or optional key, a named item) and replaced by a stand-in where it is required; if neither helps, it is the
turn of the mapping around it. Then all faults are left out that the repair may have caused: at or beside a change,
references to something broken, and what a change elsewhere has a say in (times, joins, wheels, contacts). When in doubt
a fault is left out: it shows when the others are mended.

Limit: rules between the keys of one mapping (a beam's flex and its stiffnesses) belong to the schema, which looks at
them only when each of the keys is right.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any, get_origin

from pydantic import ValidationError

from docksim.config.checks.events import CONTACT_KEYS, HOOK_KEYS
from docksim.config.checks.scenario import Fault, check_scenario
from docksim.config.loading.explain import data_path, explain
from docksim.config.loading.shape import annotation_at, child
from docksim.config.schema.fields import NAME_PATTERN, Part
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Body, Vehicle
from docksim.config.tree import Keys

MOST_ROUNDS = 20  # each goes at least one level up from what is still broken
EVENTS = ("events", "sequence")
# what is judged by two ports, their interfaces and hooks, and the events that join them
PAIR_KEYS = {"count", "in_reach", "aligned", "separate", *CONTACT_KEYS, *HOOK_KEYS}
NUMBERS = (
    "mass_kg", "length_m", "force_N", "torque_limit_Nm", "spin_inertia_kg_m2", "stiffness_Nm_rad", "damping_Nms_rad",
)  # fmt: skip
STAND_INS: dict[str | int, Any] = {
    **dict.fromkeys((*NUMBERS, "duration_s"), 1.0),
    "inertia_kg_m2": [1.0, 1.0, 1.0],
    "axis": [1.0, 0.0, 0.0],
    "direction": [1.0, 0.0, 0.0],
    "joint": {"type": "fixed"},
    "solver": {"duration_s": 1.0},
    "vehicles": {"stand_in": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}},
    "when": {"time_s": 0.0},
    "do": {"phase": "stand_in"},
}
# outside events: keys that no check reads, or finds fault with once they are dropped
UNREAD = {
    *NUMBERS, "name", "description", "seed", "environment", "integrator", "joint_loads", "source", "center_of_mass_m",
    "inertia_kg_m2", "position_m", "attitude", "velocity_m_s", "rate_deg_s", "anchored", "direction", "parent", "body",
    "delay_s",
}  # fmt: skip


def check_repaired(data: Any, broken: list[Keys]) -> list[Fault]:
    """What check_scenario would say, as far as that is certain, about data that are broken at the given paths."""
    repair = _Repair(deepcopy(data))
    scenario = repair.scenario(broken)
    faults = check_scenario(scenario) if scenario is not None else []
    located = [(data_path(path, repair.data), message) for path, message in faults]
    return [(path, message) for path, message in located if not repair.may_cause(path)]


class _Repair:
    """Data on the way to a valid scenario, and the changes on this way that matter to the checks."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.tried: set[Keys] = set()
        self.changes: set[Keys] = set()
        self.around: set[Keys] = set()  # the changes, and every mapping that holds one
        self.groups: set[str | int] = set()  # top keys that were changed, or in whose mapping a key was
        self.suspects: set[str | int] = set()  # names of vehicles and of things in them

    def scenario(self, broken: list[Keys]) -> Scenario | None:
        """The repaired scenario; None when it is beyond repair."""
        for _ in range(MOST_ROUNDS):
            mended: set[Keys] = set()
            for path in broken:
                if mended.isdisjoint(path[:size] for size in range(len(path) + 1)):
                    mended.add(self.mend(path))
            self.tried |= mended
            try:
                return Scenario.model_validate(self.data)
            except ValidationError as error:
                broken = [path for path, _ in explain(error.errors(include_url=False), self.data)]
        return None

    def mend(self, path: Keys) -> Keys:
        """Change the value at the path, or the nearest one around it that can be changed and has not been yet."""
        while path and (path in self.tried or not self.change(path)):
            path = path[:-1]
        return path

    def change(self, path: Keys) -> bool:
        """Drop or replace a value, if the schema allows it."""
        *above, key = path
        parent, kind = self.value(path[:-1]), annotation_at(self.data, path[:-1])
        part = kind if isinstance(kind, type) and issubclass(kind, Part) else None
        field = part.model_fields.get(str(key)) if part is not None else None
        value = child(parent, key)
        if isinstance(parent, list) and above[0] in EVENTS and len(above) == 3:
            parent[int(key)] = deepcopy(STAND_INS["do" if above[2] == "on_timeout" else above[2]])
        elif not isinstance(parent, dict) or (part is None and get_origin(kind) is not dict):
            return False
        elif field is None or not field.is_required():
            parent.pop(key, None)
        elif key in STAND_INS:
            parent[key] = deepcopy(STAND_INS[key])
        else:
            return False
        # in these parts the checks read mappings and references only: an unknown word or number means nothing to them
        numbers = not isinstance(value, dict) and all(isinstance(item, (int, float)) for item in _items(value))
        aside = part in (Scenario, Vehicle, Body) and (numbers or isinstance(value, str))
        harmless = aside if field is None else key in UNREAD and path[0] not in EVENTS
        if not harmless and path[0] != "environment":
            self.note(path)
        return True

    def note(self, path: Keys) -> None:
        """Remember a change that matters to the checks."""
        self.changes.add(path)
        self.around |= {path[:size] for size in range(1, len(path) + 1)}
        if len(path) <= 2:
            self.groups.add(path[0])
        elif path[0] == "vehicles":
            # a broken group, or an item in want of another name, can be anything in its vehicle
            item = len(path) > 3 and re.search(NAME_PATTERN, str(path[3]))
            self.suspects.add(path[3] if item else path[1])
            if path[2] == "mechanism":
                self.suspects.add("ring")  # and its ports

    def value(self, path: Keys) -> Any:
        """The value at a path, None where there is none."""
        value = self.data
        for key in path:
            value = child(value, key)
        return value

    def may_cause(self, path: Keys) -> bool:
        """Whether a fault found at this path could be due to the repair."""
        value = self.value(path)
        if path[0] == "vehicles" and isinstance(value, dict):
            return False  # a name that is reserved or used twice, whatever it stands for
        texts = [text for text in (*_items(value), *_items(self.value(path[:-1]))) if isinstance(text, str)]
        words = {word for text in texts for word in text.split(".")} | set(path[1:2])
        strange = any(text.split(".")[0] not in self.data["vehicles"] for text in texts)
        return (
            not words.isdisjoint(self.suspects)
            or any(path[:size] in self.changes for size in range(1, len(path) + 1))
            or (not isinstance(value, str) and path[:-1] in self.around)
            or (path[-1] in ("step_s", "every_s", "sample_s") and not self.groups <= {"vehicles", *EVENTS})
            or (path[-1] == "actuator" and (*path[:2], "wheels") in self.around)
            or (path[-1] in ("after", "not_fired", "phase") and not self.groups.isdisjoint(EVENTS))
            or ("by_phase" in path and not self.groups.isdisjoint(EVENTS))
            or (bool(self.changes) and (path[0] in ("contacts", "approach") or not PAIR_KEYS.isdisjoint(path[2:])))
            or (path[0] == "vehicles" and ("approach",) in self.around)
            or (path[0] in EVENTS and strange and "vehicles" in self.groups)
            or (path[0] in EVENTS and not self.groups <= set(Scenario.model_fields))
            or self.on_broken_mechanism(path)
        )

    def on_broken_mechanism(self, path: Keys) -> bool:
        """Whether a fault concerns a device of a mechanism that was changed."""
        above = [self.value(path[:size]) for size in range(len(path))]
        devices = [str(value["device"]) for value in above if isinstance(value, dict) and "device" in value]
        return any(("vehicles", device.split(".")[0], "mechanism") in self.around for device in devices)


def _items(value: Any) -> list[Any]:
    """What a mapping or list holds; of anything else, itself."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else [value]
