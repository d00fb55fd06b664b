"""From a study file to a checked study, with its base scenario ready for the values of the cases.

Every varied key is tried on the base scenario with a representative value, so that a key that does not exist, or does
not take numbers, is refused with the study's file and line and a suggestion before anything runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from docksim.config.errors import Problem, ScenarioError, did_you_mean, shown, unknown
from docksim.config.loading.files import display, found_file, named_study, used_file
from docksim.config.loading.given import given
from docksim.config.loading.overrides import full_path
from docksim.config.loading.scenario import Loading, load_changed
from docksim.config.outcomes import CASE_OUTCOMES
from docksim.config.schema import names
from docksim.config.schema.contact import latching
from docksim.config.schema.dispersions import Cone, Disc, Discrete, LogNormal, Normal, OneKey, TruncatedNormal, Uniform
from docksim.config.schema.fields import is_number
from docksim.config.schema.scenario import Scenario, with_sequence
from docksim.config.schema.study import DESIGNS, Captured, EventHappens, OutcomeIs, Study
from docksim.config.tree import Entry, Keys, Place, dotted, entry_of, nearest, places, plain

STEEPEST_DEG = 85.0


SETTLED_EVENT = "events.settled"  # that ends fast cases


@dataclass(frozen=True)
class LoadedStudy:
    """A study, and its base scenario: checked, as data in which every varied key is present, and the keys' paths."""

    study: Study
    file: str
    base: Scenario
    data: Any
    paths: tuple[Keys, ...]
    nominal: tuple[Any, ...]  # the base scenario's own value of each key, None where it has none
    places: dict[Keys, Place]
    reference: LoadedStudy | None = None  # the same without what makes it fast
    base_file: Path | None = None

    def problem(self, path: Keys, message: str) -> Problem:
        """A fault of the study file, at its line."""
        place = nearest(self.places, path)
        return Problem(place.file, place.line, dotted(path), message)


def is_study(file: str | Path) -> bool:
    """Whether a file is a study rather than a scenario: it has the key `base`. What cannot be read is no study."""
    loading = Loading(file, str(file))
    try:
        tree = loading.tree()
    except (ScenarioError, RecursionError):
        return False
    return isinstance(tree.value, dict) and "base" in tree.value


def load_study(file: str | Path | Mapping[str, Any], cases: int | None = None, fast: bool = False) -> LoadedStudy:
    """The checked study in a file, or the same content as a mapping; ScenarioError with every problem.

    `cases` replaces its number of cases; `fast` makes it fast, if it is not.
    """
    file = file if isinstance(file, Mapping) else named_study(str(file))
    name = "<dict>" if isinstance(file, Mapping) else file or "."
    loading = Loading(file, name)
    with loading.within_depth():
        tree = loading.with_name(loading.tree())
    if cases is not None and isinstance(tree.value, dict):
        tree = Entry({**tree.value, "cases": Entry(cases, Place("--cases"))}, tree.place)
    if fast and isinstance(tree.value, dict) and "fast" not in tree.value:
        tree = Entry({**tree.value, "fast": Entry({}, Place("--fast"))}, tree.place)
    study = loading.checked(tree, Study, lambda study: [*_doubles(study), *_correlations(study)])
    if cases is not None and study.sampling in DESIGNS:
        text = f"a {study.sampling} design is laid out for its number of cases; change 'cases' in the file"
        raise ScenarioError([Problem("--cases", None, "", text)])
    folder = Path.cwd() if isinstance(file, Mapping) else found_file(Path(file)).resolve().parent
    loaded = _with_base(study, name, tree, folder)
    if study.fast is None:
        return loaded
    usual = _with_base(study.model_copy(update={"fast": None}), name, tree, folder)
    return replace(loaded, reference=usual)


# ---------------------------------------------------------------- the study by itself


def _doubles(study: Study) -> Iterator[tuple[Keys, str]]:
    seen: set[str] = set()
    for path, key in _key_paths(study):
        if key in seen:
            yield path, f"'{key}' varies twice"
        seen.add(key)


def _correlations(study: Study) -> Iterator[tuple[Keys, str]]:
    single = [item.key for item in study.dispersions if isinstance(item, OneKey)]
    grouped: set[str] = set()
    for i, group in enumerate(study.correlations):
        for j, key in enumerate(group.keys):
            path: Keys = ("correlations", i, "keys", j)
            if key not in single:
                yield path, f"'{key}' is not dispersed by itself{did_you_mean(key, single)}"
            if key in grouped:
                yield path, f"'{key}' stands in two places; one group holds all that vary together"
            grouped.add(key)
        if len(group.rows()) != len(group.keys):
            yield ("correlations", i, "matrix"), f"has {len(group.rows())} rows for {len(group.keys)} keys"


def _key_paths(study: Study) -> Iterator[tuple[Keys, str]]:
    """Every varied key with its place in the study, in the order of Study.keys."""
    for i, item in enumerate(study.dispersions):
        if isinstance(item, OneKey):
            yield ("dispersions", i, "key"), item.key
        else:
            for j, key in enumerate(item.targets):
                yield ("dispersions", i, "keys", j), key
    for name in ("grid", "sweep"):
        for i, axis in enumerate(getattr(study, name)):
            yield (name, i, "key"), axis.key


# ---------------------------------------------------------------- the study on its base


def _with_base(study: Study, name: str, tree: Entry, folder: Path) -> LoadedStudy:
    where = dict(places(tree))
    # a scenario that comes along goes by its name
    shipped = not Path(study.base).suffix and len(Path(study.base).parts) == 1
    file = used_file(f"scenarios/{study.base}.yaml" if shipped else study.base, folder, where[("base",)], "base")
    fixed = _fixed_changes(tree) | _fast_changes(study, where)
    base, data = load_changed(file, display(file), fixed)
    nominal = tuple(_nominal(base, data, key) for key in study.keys)
    varied = {
        key: Entry(value, where[path])
        for (path, key), value in zip(_key_paths(study), _tried(study, nominal), strict=True)
    }
    _, data = load_changed(file, display(file), fixed | varied)
    paths = tuple(_data_path(data, key) for key in study.keys)
    study = _without_waiting(study)
    loaded = LoadedStudy(study, name, with_sequence(base), data, paths, nominal, where, base_file=file)
    faults = [*_same_place(loaded), *_missing_nominal(loaded), *_success_faults(loaded)]
    problems = [loaded.problem(path, text) for path, text in faults]
    if problems:
        raise ScenarioError(problems)
    return loaded


def given_of(loaded: LoadedStudy) -> dict[str, Any]:
    """What the base was given, with the study's changes where the study has them, and where its keys are dispersed."""
    if loaded.base_file is None:
        return {}
    fast = _fast_changes(loaded.study, loaded.places)
    own = {key: loaded.places[("set", key)] for key in loaded.study.set if ("set", key) in loaded.places}
    own |= {key: entry.place for key, entry in fast.items()}
    changes = {**loaded.study.set, **{key: plain(entry) for key, entry in fast.items()}}
    told = given(display(loaded.base_file), changes, loaded.file, own)
    where = {key: loaded.places[path] for path, key in _key_paths(loaded.study)}
    dispersed = {key: f"{place.file}:{place.line}" if place.line else place.file for key, place in where.items()}
    return {**told, "dispersed": dispersed}


def study_again(
    study: Study, base: Mapping[str, Any], data: Mapping[str, Any], nominal: Sequence[Any], name: str
) -> LoadedStudy:
    """A study from what its table keeps of it, `name` in messages: no file is read."""
    scenario, _ = load_changed(base, name, {})
    paths = tuple(_data_path(data, key) for key in study.keys)
    loaded = LoadedStudy(study, name, with_sequence(scenario), data, paths, tuple(nominal), {(): Place(name)})
    # what the table says of the base may be anything
    for _, text in _missing_nominal(loaded):
        raise ValueError(text)
    return loaded


def _fixed_changes(tree: Entry) -> dict[str, Entry]:
    """The study's `set`, each change with its place."""
    changes = tree.value.get("set") if isinstance(tree.value, dict) else None
    return dict(changes.value) if changes is not None and isinstance(changes.value, dict) else {}


def _fast_changes(study: Study, where: Mapping[Keys, Place]) -> dict[str, Entry]:
    """What makes cases fast, at its place in the study."""
    fast = study.fast
    if fast is None:
        return {}
    place = where[("fast",)]
    changes = {"solver.tolerance": Entry(fast.tolerance, where.get(("fast", "tolerance"), place))}
    if fast.settled is not None:
        end = {
            "when": [{"settled": fast.settled, "slower_than_m_s": fast.slower_than_m_s}],
            "for_s": fast.lasting_s,
            "do": [{"stop": f"{fast.settled} has settled", "outcome": "captured"}],
        }
        changes[SETTLED_EVENT] = entry_of(end, where.get(("fast", "settled"), place))
    return changes


def _without_waiting(study: Study) -> Study:
    """Where cases end once a pair has settled, its capture is a success however short the run."""
    if study.fast is None or study.fast.settled is None:
        return study
    pair = study.fast.settled
    success = [
        one.model_copy(update={"for_s": 0.0}) if isinstance(one, Captured) and one.captured == pair else one
        for one in study.success
    ]
    return study.model_copy(update={"success": success})


def _data_path(data: Any, key: str) -> Keys:
    """A dotted key as the path into the data, items of lists by number."""
    path: list[str | int] = []
    place = Place("")
    for part in full_path(Entry({name: _shell(name, value) for name, value in data.items()}, place), key):
        step: str | int = int(part) if isinstance(data, list) else part
        path.append(step)
        data = data[step]
    return tuple(path)


def _shell(name: str, value: Any) -> Entry:
    """As much of an entry as full_path looks at: the names of the vehicles."""
    place = Place("")
    if name == "vehicles" and isinstance(value, dict):
        return Entry({vehicle: Entry(None, place) for vehicle in value}, place)
    return Entry(None, place)


def _nominal(base: Scenario, data: Any, key: str) -> Any:
    """The value of a key in the base scenario: as written there, or by default; None where there is none."""
    parts = key.split(".")
    path = parts if parts[0] in Scenario.model_fields else ["vehicles", *parts]
    written, checked = data, base
    for part in path:
        written, checked = _below(written, part), _below(checked, part)
    return written if written is not None else checked


def _below(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, (list, tuple)):
        return value[int(part)] if part.isdigit() and int(part) < len(value) else None
    return getattr(value, part, None) if hasattr(type(value), "model_fields") else None


def _tried(study: Study, nominal: tuple[Any, ...]) -> Iterator[Any]:
    """A representative value of every key: in the middle of its distribution, or its first value."""
    values = iter(nominal)
    for item in study.dispersions:
        own = [next(values) for _ in item.targets]
        yield from _representative(item, own)
    for axis in study.grid or study.sweep:
        yield axis.values[0]


def _representative(item: Any, nominal: list[Any]) -> list[Any]:
    known = [value if is_number(value) else 0.0 for value in nominal]
    match item:
        case Normal(mean=mean):
            return known if mean is None else [mean]
        case TruncatedNormal(low=low, high=high) | Uniform(low=low, high=high):
            return [0.5 * low + 0.5 * high]
        case LogNormal(median=median):
            return known if median is None else [median]
        case Discrete(values=values):
            return [values[0]]
        case Disc(center=center):
            return known if center is None else list(center)
    return known


def _same_place(loaded: LoadedStudy) -> Iterator[tuple[Keys, str]]:
    """Keys that are written differently and mean the same."""
    for i, (path, key) in enumerate(_key_paths(loaded.study)):
        if loaded.paths[i] in loaded.paths[:i]:
            yield path, f"'{key}' is the same as '{loaded.study.keys[loaded.paths.index(loaded.paths[i])]}'"


def _missing_nominal(loaded: LoadedStudy) -> Iterator[tuple[Keys, str]]:
    """Dispersions about a value that the base scenario does not have."""
    nominal = dict(zip(loaded.study.keys, loaded.nominal, strict=True))
    paths = {key: path for path, key in _key_paths(loaded.study)}
    for item in loaded.study.dispersions:
        free = {"mean", "median", "center"} & set(type(item).model_fields)
        if not isinstance(item, Cone) and (not free or getattr(item, next(iter(free))) is not None):
            continue
        for key in item.targets:
            if not is_number(nominal[key]):
                advice = f"give {next(iter(free))}" if free else "write it into the scenario"
                text = f"the base scenario has {shown(nominal[key])} here, no number to vary about; {advice}"
                yield paths[key], text
        pitch = nominal[item.targets[1]] if isinstance(item, Cone) and len(item.targets) == 2 else 0.0
        if is_number(pitch) and abs(pitch) > STEEPEST_DEG:
            yield paths[item.targets[1]], f"pitch is {pitch} deg; near 90 deg yaw and pitch do not span a cone"
    for axis in loaded.study.sweep:
        if nominal[axis.key] is None:
            yield paths[axis.key], "the base scenario has no value here to go back to; write it into the scenario"


def _success_faults(loaded: LoadedStudy) -> Iterator[tuple[Keys, str]]:
    for i, condition in enumerate(loaded.study.success):
        path: Keys = ("success", i)
        if isinstance(condition, Captured):
            yield from (((*path, "captured"), text) for text in _capture_faults(loaded.base, condition.captured))
        if isinstance(condition, EventHappens) and condition.event not in loaded.base.events:
            yield (*path, "event"), unknown("event", condition.event, loaded.base.events)
        if isinstance(condition, OutcomeIs) and condition.outcome not in CASE_OUTCOMES:
            yield (*path, "outcome"), unknown("outcome", condition.outcome, CASE_OUTCOMES)


def _capture_faults(base: Scenario, pair: str) -> Iterator[str]:
    if pair not in base.contacts:
        yield unknown("contact pair", pair, base.contacts)
        return
    first, second = (names.interfaces(base)[port] for port in base.contacts[pair].ports)
    if first is None or second is None or latching(first, second) is None:
        yield f"pair '{pair}' has no latches, or no strikers for them; give them to the ports"
