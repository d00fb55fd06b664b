"""Two results side by side: what of the scenario differs and where it is written, and the metrics with their ratio."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any

import yaml

from docksim.config.errors import unknown
from docksim.result.bands import is_band_end
from docksim.result.reading import UNREADABLE
from docksim.result.result import Metrics, Result, ResultError
from docksim.result.scatter import HIGH, LOW, OF_LIMIT
from docksim.result.summary_text import number

LONGEST_LABEL, LONGEST_VALUE = 28, 60
ROUNDING = 1e-9  # relative: less is no difference
UNTOLD = ("name", "description")
SINGLE = (
    "one run each: peaks after several knocks scatter by themselves; docksim study compare tells design from chance"
)
BALANCES = ("energy.", "momentum.", "budget.residual")  # of the computation, not of the design
RANGES = (LOW, HIGH, HIGH + OF_LIMIT)


@dataclass(frozen=True)
class KeyDifference:
    """A key of the scenario that differs; None where one of them does not have it. Places are file:line, "default", or
    nothing where a result does not know."""

    key: str
    first: Any
    second: Any
    first_place: str
    second_place: str


@dataclass(frozen=True)
class MetricPair:
    """A metric of both, with its range over repeats where both have one."""

    name: str
    unit: str
    first: float | str
    second: float | str
    ranges: tuple[tuple[float, float], tuple[float, float]] | None = None

    @property
    def ratio(self) -> float | None:
        """The second over the first, where that says something."""
        if isinstance(self.first, str) or isinstance(self.second, str) or self.first == 0.0:
            return None
        return self.second / self.first if math.isfinite(self.first) and math.isfinite(self.second) else None

    @property
    def differs(self) -> bool:
        a, b = self.first, self.second
        if isinstance(a, str) or isinstance(b, str):
            return a != b
        return not (a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=ROUNDING))

    @property
    def apart(self) -> bool | None:
        """Do their ranges have nothing in common? None where they are not known."""
        if self.ranges is None:
            return None
        (low, high), (other_low, other_high) = self.ranges
        return high < other_low or other_high < low


@dataclass(frozen=True)
class Comparison:
    """Everything `docksim compare` shows of two results."""

    labels: tuple[str, str]
    outcomes: tuple[str, str]
    keys: list[KeyDifference]
    origin: list[tuple[str, str, str]]  # versions and such that differ
    metrics: list[MetricPair]
    notes: list[str]

    @property
    def rows_of_keys(self) -> list[list[str]]:
        """As text: key, value and place of the first, of the second."""
        return [
            [one.key, value_text(one.first), one.first_place, value_text(one.second), one.second_place]
            for one in self.keys
        ]

    @property
    def rows_of_metrics(self) -> list[list[str]]:
        """As text, of those that differ."""
        return [
            [one.name, number(one.first), number(one.second), one.unit, "" if one.ratio is None else f"{one.ratio:.3f}"]
            for one in self.metrics
            if one.differs
        ]

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "metrics": [{**asdict(one), "ratio": one.ratio} for one in self.metrics]}


def value_text(value: Any) -> str:
    """A value as a scenario file writes it, shortened."""
    text = "not there" if value is None else number(value) if isinstance(value, float) else str(value)
    return text if len(text) < LONGEST_VALUE else f"{text[: LONGEST_VALUE - 4]} ..."


def compare_results(first: Result, second: Result, labels: tuple[str, str], patterns: Iterable[str] = ()) -> Comparison:
    """Of the metrics those that fit any of the patterns, all if there are none."""
    return Comparison(
        labels=labels,
        outcomes=(first.outcome, second.outcome),
        keys=key_differences(first, second),
        origin=list(_origins(first.manifest, second.manifest)),
        metrics=list(metric_pairs(first.metrics, second.metrics, list(patterns))),
        notes=list(_notes(first, second)),
    )


def labels_of(first: Result, second: Result) -> tuple[str, str] | None:
    """Names from what differs, where that is one key or two; None if there is no such name."""
    keys = key_differences(first, second)
    if not 1 <= len(keys) <= 2 or any(
        isinstance(value, dict | list) for one in keys for value in (one.first, one.second)
    ):
        return None
    a, b = (", ".join(f"{one.key.rpartition('.')[2]} {number(value)}" for one, value in zip(keys, side, strict=True))
            for side in ([one.first for one in keys], [one.second for one in keys]))  # fmt: skip
    return (a, b) if max(len(a), len(b)) <= LONGEST_LABEL else None


# ---------------------------------------------------------------- the scenario


def key_differences(first: Result, second: Result) -> list[KeyDifference]:
    """Keys of the resolved scenarios that differ, in their order."""
    return content_differences(_content(first), _content(second), first.given, second.given)


def content_differences(
    first: Any, second: Any, first_given: Mapping[str, Any], second_given: Mapping[str, Any]
) -> list[KeyDifference]:
    """Of two scenarios as data; events that a sequence was written out as are told by its keys alone."""
    one, other = dict(_values(first, ())), dict(_values(second, ()))
    rows = [
        (key, one.get(key), other.get(key))
        for key in dict.fromkeys([*one, *other])
        if key not in UNTOLD and one.get(key) != other.get(key)
    ]
    told = [(a, b) for key, a, b in rows if key.startswith("sequence.")]
    rows = [row for row in rows if not row[0].startswith("events.") or row[1:] not in told]
    return [
        KeyDifference(
            key.removeprefix("vehicles."),
            a,
            b,
            "" if a is None else _place(first_given, key),
            "" if b is None else _place(second_given, key),
        )
        for key, a, b in rows
    ]


def yaml_content(text: str) -> Any:
    """What a text holds, by the loader that makes plain values only, in C where it is there."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _content(result: Result) -> Any:
    try:
        return yaml_content(result.scenario_yaml)
    except (yaml.YAMLError, *UNREADABLE) as error:
        raise ResultError(f"{result.folder}/scenario.yaml: cannot be read: {error}") from error


def _values(content: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Values that are no mappings; lists of plain values count as one."""
    if isinstance(content, Mapping) and content:
        for key, value in content.items():
            yield from _values(value, (*path, str(key)))
    elif isinstance(content, list) and any(isinstance(item, Mapping) for item in content):
        for index, value in enumerate(content):
            yield from _values(value, (*path, str(index)))
    else:
        yield ".".join(path), content


def _place(told: Mapping[str, Any], key: str) -> str:
    """Where a value is written; one of a case says so."""
    if not told:
        return ""
    own = key.removeprefix("vehicles.")
    if any(one == own or one.startswith(f"{own}.") for one in told.get("inputs", {})):
        return f"case {told.get('case')} of {told.get('study')}"
    return place_of(key, told)


def place_of(key: str, told: Mapping[str, Any]) -> str:
    """Where a key of the resolved scenario is written, as file:line: itself, or the nearest mapping around it that has
    values; "default" where no file gives it."""
    key = _in_sequence(key, told)
    words = key.split(".")
    least = 3 if words[0] == "vehicles" else 2
    for size in range(len(words), min(least, len(words)) - 1, -1):
        start = ".".join(words[:size])
        for file, keys in told.get("places", {}).items():
            if lines := [line for own, line in keys.items() if own == start or own.startswith(f"{start}.")]:
                first = min((line for line in lines if line is not None), default=None)
                return f"{file}:{first}" if first is not None else str(file)
    return "default"


def _in_sequence(key: str, told: Mapping[str, Any]) -> str:
    """The key of the phase that an event was written out of, by the end that they have in common; else the key itself.
    The first thing that the event does is to begin the phase, so all others stand one place further on."""
    start, _, rest = key.removeprefix("events.").partition(".")
    late = next((i for n, i in told.get("phases", {}).items() if f"{n.lower()}_timeout" == start), None)
    if key.startswith("events.") and late is not None:
        return f"sequence.{late}.timeout_s"
    name, index = next(((n, i) for n, i in told.get("phases", {}).items() if n.lower() == start.lower()), ("", -1))
    if not key.startswith("events.") or not name:
        return key
    rest = re.sub(r"^do\.(\d+)", lambda place: f"do.{int(place[1]) - 1}", rest)
    own = [k for keys in told.get("places", {}).values() for k in keys if k.startswith(f"sequence.{index}.")]
    return max(own, key=lambda one: _common_end(one, rest), default=key)


def _common_end(one: str, other: str) -> int:
    """How many words are alike from the end on."""
    pairs = zip(reversed(one.split(".")), reversed(other.split(".")), strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(one.count("."), other.count(".")) + 1)


def _origins(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key in ("docksim_version", "commit", "commit_modified", "seed", "libraries", "platform"):
        a, b = first.get(key), second.get(key)
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            yield from ((f"{name}", str(a.get(name)), str(b.get(name))) for name in a if a.get(name) != b.get(name))
        elif a != b:
            yield key, str(a), str(b)


# ---------------------------------------------------------------- metrics


def metric_pairs(first: Metrics, second: Metrics, patterns: list[str]) -> Iterator[MetricPair]:
    """What both have, a range behind its metric."""
    common = [name for name in first if name in second]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in common):
            raise ResultError(f"{unknown('metric', pattern, common)}; * stands for any part of a name")
    for name in common:
        wanted = any(fnmatchcase(name, pattern) for pattern in patterns)
        if wanted or not (patterns or name.startswith(BALANCES) or name.endswith(RANGES) or is_band_end(name)):
            yield MetricPair(name, first.unit(name), first[name], second[name], _ranges(first, second, name))


def _ranges(first: Metrics, second: Metrics, name: str) -> tuple[tuple[float, float], tuple[float, float]] | None:
    ends = [some.get(name + end) for some in (first, second) for end in (LOW, HIGH)]
    if not all(isinstance(end, int | float) for end in ends):
        return None
    a, b, c, d = (float(end) for end in ends if end is not None)
    return (a, b), (c, d)


def _notes(first: Result, second: Result) -> Iterator[str]:
    """What keeps the numbers from saying what they seem to say."""
    touched = any(name.endswith(".first_contact_s") for name in first.metrics)
    if touched and not ("scatter" in first.manifest and "scatter" in second.manifest):
        yield SINGLE
    for result, which in ((first, "first"), (second, "second")):
        if not result.given:
            yield f"the {which} result does not say where its values are written: an older docksim made it"
