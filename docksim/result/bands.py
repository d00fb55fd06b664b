"""Interface loads over a band of contact stiffness: the run itself, and what they are with soft and with stiff contact.

A metric is that of the middle. `<metric>.band_low` and `<metric>.band_high` beside it are those of the same run at the
soft and at the stiff end; a load mostly grows with the stiffness, but nothing makes it, so the largest of the three is
held against a limit. The compression that lasts does not hang on the stiffness and has no band.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from docksim.config.outcomes import NO_FIGURES, SUCCESSES
from docksim.result.result import Metric, Result
from docksim.result.scatter import OF_LIMIT

BAND_LOW, BAND_HIGH = ".band_low", ".band_high"
SUFFIXES = {"low": BAND_LOW, "high": BAND_HIGH}
PLACES = {"low": "the soft end", "middle": "the middle", "high": "the stiff end"}
WITHIN, NO_LIMITS = "within limits over the band", "no limits to hold the loads against"
LASTING = ".sustained_compression_N"
LASTING_MAY_DIFFER = 0.05
WITHOUT_FIGURES = (*NO_FIGURES, "interrupted")


def load_names(names: Iterable[str], pairs: Iterable[str]) -> Iterator[str]:
    """Of these metrics, the loads across the interfaces of these pairs, and their shares of limits."""
    starts = tuple(f"{pair}.{stage}peak_" for pair in pairs for stage in ("", "first_impact."))
    of_pairs = (name for name in names if name.startswith(starts))
    return (name for name in of_pairs if name.removesuffix(OF_LIMIT).rsplit(".", 1)[-1].startswith("peak_"))


def band_names(names: Iterable[str], pairs: Iterable[str]) -> Iterator[str]:
    """Every metric of these, a load followed by its ends."""
    given = list(names)
    loads = set(load_names(given, pairs))
    for name in given:
        yield name
        if name in loads:
            yield from (name + end for end in SUFFIXES.values())


def is_band_end(name: str) -> bool:
    return name.endswith((BAND_LOW, BAND_HIGH))


def end_of(name: str) -> Literal["low", "high"] | None:
    """The end of the band that a metric is of; None if it is of the middle."""
    return "low" if name.endswith(BAND_LOW) else "high" if name.endswith(BAND_HIGH) else None


def contact_of(name: str) -> str:
    """Of a metric at an end: how stiff the contact was, in words."""
    return "soft contact" if name.endswith(BAND_LOW) else "stiff contact"


def middle_of(name: str) -> str:
    """The metric whose end this is; itself if it is none."""
    return name.removesuffix(BAND_LOW).removesuffix(BAND_HIGH)


def over_band(metrics: Mapping[str, Any], name: str) -> list[float]:
    """What is known of a metric over its band, the middle first; nothing if the middle is not known."""
    values = [metrics.get(name + end) for end in ("", *SUFFIXES.values())]
    return [] if values[0] is None else [value for value in values if value is not None]


def three_of(metrics: Mapping[str, Any], name: str) -> tuple[float, float, float] | None:
    """Low, middle and high of a load; None where one of them is not known."""
    values = [metrics.get(name + end) for end in (BAND_LOW, "", BAND_HIGH)]
    known = [float(value) for value in values if isinstance(value, (int, float))]
    return (known[0], known[1], known[2]) if len(known) == 3 else None


def add_band(result: Result, ends: Mapping[str, Result], stiffness: Mapping[str, Any]) -> None:
    """Loads of the ends beside those of the middle; what all three come to in outcome, warnings and manifest."""
    runs = {"low": ends["low"], "middle": result, "high": ends["high"]}
    verdict, overloads = _verdict(runs)
    pairs = list(result.scenario.contacts)
    for end, run in ends.items():
        if run.outcome not in WITHOUT_FIGURES:
            result.metrics |= {name + SUFFIXES[end]: run.metrics[name] for name in load_names(run.metrics, pairs)}
    result.manifest["band"] = {
        "verdict": verdict,
        "outcomes": {end: run.outcome for end, run in runs.items()},
        "reasons": {end: run.reason for end, run in runs.items()},
        "contact_stiffness_N_m": dict(stiffness),
    }
    result.manifest["kernel_time_s"] = sum(run.manifest.get("kernel_time_s", 0.0) for run in runs.values())
    result.warnings += [*_other_ends(result, ends), *_lasting(result, ends)]
    if overloads and result.outcome in SUCCESSES:
        otherwise = f"at the middle: {result.outcome}" + (f", {result.reason}" if result.reason else "")
        result.outcome, result.reason = "overloaded", f"{verdict}: {', '.join(overloads)}; {otherwise}"


def _verdict(runs: Mapping[str, Result]) -> tuple[str, list[str]]:
    """Do the loads keep their limits, wherever in the band the stiffness is? In words, and the overloads as well."""
    unknown = [end for end, run in runs.items() if run.outcome in WITHOUT_FIGURES]
    over = {end: list(_overloads(run.metrics)) for end, run in runs.items() if end not in unknown}
    where = [end for end, overloads in over.items() if overloads]
    words = [text for end in where for text in over[end]]
    if len(where) == 3:
        return "overloaded over the whole band", words
    if where:
        return f"overloaded at {_places(where)}", words
    if unknown:
        return f"within limits where it is known; no figures at {_places(unknown)}", []
    limited = any(name.endswith(OF_LIMIT) for run in runs.values() for name in run.metrics)
    return WITHIN if limited else NO_LIMITS, []


def _places(ends: Iterable[str]) -> str:
    return " and ".join(PLACES[end] for end in ends)


def _overloads(metrics: Mapping[str, Metric]) -> Iterator[str]:
    for name, value in metrics.items():
        if name.endswith(OF_LIMIT) and isinstance(value, float) and value > 1.0:
            yield f"{name.removesuffix(OF_LIMIT)} is {value:.3g} of its limit"


def _other_ends(result: Result, ends: Mapping[str, Result]) -> Iterator[str]:
    """An end that does not come to what the middle came to; a load beyond its limit is in the verdict."""
    for end, run in ends.items():
        if run.outcome not in (result.outcome, "overloaded"):
            why = f" ({run.reason})" if run.reason else ""
            yield f"contact at {PLACES[end]} of its band: {run.outcome}{why}, not {result.outcome}"


def _lasting(result: Result, ends: Mapping[str, Result]) -> Iterator[str]:
    """The compression that lasts, where it has a limit, stands alone as long as it is the same over the band."""
    for name, value in result.metrics.items():
        if not name.endswith(LASTING) or name + OF_LIMIT not in result.metrics or not isinstance(value, float):
            continue
        others = {end: run.metrics.get(name) for end, run in ends.items() if run.outcome not in WITHOUT_FIGURES}
        known = {end: other for end, other in others.items() if isinstance(other, float)}
        if any(abs(other - value) > LASTING_MAY_DIFFER * value for other in known.values()):
            told = ", ".join(f"{other:.4g} N at {PLACES[end]}" for end, other in known.items())
            yield f"{name} hangs on the contact's stiffness: {value:.4g} N at the middle of its band, {told}"


def verdict_of(manifest: Mapping[str, Any]) -> str:
    """What a run says of its band; nothing if it has none."""
    told = manifest.get("band")
    return str(told.get("verdict", "")) if isinstance(told, dict) else ""


def outcomes_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """How the runs at the ends and the middle of the band ended, by end."""
    told = manifest.get("band")
    outcomes = told.get("outcomes") if isinstance(told, dict) else None
    return {str(end): str(word) for end, word in outcomes.items()} if isinstance(outcomes, dict) else {}
