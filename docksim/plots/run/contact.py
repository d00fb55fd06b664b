"""Contact in a run: gap, forces by kind of feature and by pair of features, latches; loads across the ports.

Built from the channels "<pair>.gap_m" and so on; limits come from the scenario, of the first port's interface. Lines
are those of the logged instants. Impacts are shorter than what lies between: bands show the extremes of all substeps
from row to row.

Milestones of a docking on the time axis: first contact, every latch, capture, a latch that is lost, hard dock. Times of
first contact and capture are those of the solver's steps; a latch is seen at the first logged row that counts it, or
has lost it. The instant of the hard dock is that at which hooks closed.
"""

from __future__ import annotations

import numpy as np

from docksim.config.schema.joining import active_and_passive
from docksim.config.schema.names import interfaces
from docksim.model.contact import GROUP_NAMES, LOST
from docksim.plots.events import MILESTONE
from docksim.plots.panels import Curve, Panel, banded
from docksim.plots.run.motion import PAIR, port_pairs
from docksim.result.bands import three_of
from docksim.result.result import EventRecord, Result, ResultError

# loads across the ports: name, channel of the load, of its peaks, limits of the interface by side
SIDES = {
    "axial force": (("compression_N", 1.0), ("tension_N", -1.0)),
    "shear force": (("shear_N", 1.0),),
    "bending moment": (("bending_Nm", 1.0),),
    "torsion": (("torsion_Nm", 1.0),),
}
BANDS = {
    "axial force": "axial_force_N",
    "shear force": "shear_force_N",
    "bending moment": "bending_moment_Nm",
    "torsion": "torsion_Nm",
}
LIMITS = {
    "tension_N": ("tension_N",),
    "compression_N": ("compression_dynamic_N", "compression_N"),
    "shear_N": ("shear_N",),
    "bending_Nm": ("bending_Nm",),
    "torsion_Nm": ("torsion_Nm",),
}
WORDS = {"compression_N": "sustained limit", "compression_dynamic_N": "dynamic limit"}  # where both are given
ROWS_SHOWN = 8
NOT_MEASURED = 0.1  # gaps from here on are logged as this [m]
ROUNDING = 1e-9
FEWEST_ROWS = 10
LEAST_S = 0.3
MOST_LATCHES = 100


def contact_pairs(result: Result) -> list[str]:
    """Names of pairs of interfaces."""
    suffix = ".gap_m"
    return [name.removesuffix(suffix) for name in result if name.endswith(suffix) and name.count(".") == 1]


def touched(result: Result, pair: str) -> bool:
    """Whether the two ever met."""
    return bool(np.any(result[f"{pair}.normal_force_N"]) or np.any(result[f"{pair}.peak_compression_N"]))


def contact_panels(result: Result, pair: str) -> list[Panel]:
    """Gap, forces and latches of one pair, if it ever touched."""
    if not touched(result, pair):
        return []
    gap = result[f"{pair}.gap_m"]
    near = np.where(gap < NOT_MEASURED, 1e3 * gap, np.nan)
    panels = [Panel("least gap", "mm", (Curve("nearest features", near),), "", ROUNDING)]
    groups = [("latches, pull" if g == "latches" else g, f"{pair}.{g}_force_N") for g in GROUP_NAMES]
    panels += _panel("normal force", "N", "sum over", groups, result)
    panels += _feature_pairs(result, pair)
    latches = [name for name in result if name.startswith(f"{pair}.latch_") and name.endswith("_force_N")]
    pulls = [(name.split(".")[1].split("_")[1], name) for name in latches]
    panels += _panel("latch pull", "N", "latch", pulls, result)
    count = (Curve("engaged", result[f"{pair}.latches_engaged"]),)
    return [*panels, Panel("latches", "1", count, "", ROUNDING)] if np.any(count[0].values) else panels


def _feature_pairs(result: Result, pair: str) -> list[Panel]:
    """Forces between single features, where the run has logged them; the largest of many."""
    start, end = f"{pair}.rows.", ".force_N"
    names = [name for name in result if name.startswith(start) and name.endswith(end) and np.any(result[name])]
    largest = sorted(names, key=lambda name: -float(np.nanmax(result[name])))[:ROWS_SHOWN]
    shown = [(name[len(start) : -len(end)].replace("_", " "), name) for name in names if name in largest]
    title = "between" if len(names) <= ROWS_SHOWN else f"between, {ROWS_SHOWN} largest of {len(names)}"
    return _panel("feature force", "N", title, shown, result)


def interface_panels(result: Result, pair: str) -> list[Panel]:
    """Loads across the ports against the interface's limits: along, across, bending, torsion; then all as shares."""
    if not touched(result, pair):
        return []
    force, moment = result[f"{pair}.load_force_N"], result[f"{pair}.load_moment_Nm"]
    shear, bending = (np.linalg.norm(vectors[:, 1:], axis=1) for vectors in (force, moment))
    loads = (force[:, 0], shear, bending, moment[:, 0])
    return [
        *(_load(result, pair, name, values) for name, values in zip(SIDES, loads, strict=True)),
        *_shares(result, pair),
    ]


def _load(result: Result, pair: str, name: str, values: np.ndarray) -> Panel:
    """A load as logged, its extremes over all steps so far, and its limits."""
    limits = interface_limits(result, pair)
    curves, bounds = [banded(result, Curve("as logged", values), f"{pair}.{BANDS[name]}")], []
    for key, sign in SIDES[name]:
        word = key.split("_")[0] if len(SIDES[name]) > 1 else "largest"
        # what a peak comes to in the end with soft, middle and stiff contact, where that was run
        ends = three_of(result.metrics, f"{pair}.peak_{key}")
        told = f"({' / '.join(f'{value:.0f}' for value in ends)})" if ends and any(ends) else ""
        curves.append(Curve(f"{word}, so far", sign * result[f"{pair}.peak_{key}"], told=told))
        both = [(sign * limits[one], WORDS.get(one, "limit")) for one in LIMITS[key] if one in limits]
        bounds += both if len(both) > 1 else [(value, "limit") for value, _ in both]
    first, second = ports_of(result, pair) or ("first port", "second port")
    where = f"{first} {'on' if name.endswith('force') else 'about'} {second}"
    unit = "N" if name.endswith("force") else "N m"
    if name == "torsion":
        bounds += [(-value, word) for value, word in bounds]
    return Panel(name, unit, tuple(curves), where, ROUNDING, bounds=tuple(bounds))


def _panel(label: str, unit: str, title: str, names: list[tuple[str, str]], result: Result) -> list[Panel]:
    """A panel of the channels that are not zero all along."""
    logged = [banded(result, Curve(text, result[name]), name) for text, name in names if name in result]
    curves = tuple(curve for curve in logged if not curve.is_zero())
    return [Panel(label, unit, curves, title, ROUNDING)] if curves else []


def _shares(result: Result, pair: str) -> list[Panel]:
    """Largest loads so far over their limits."""
    limits = interface_limits(result, pair)
    curves = []
    for peak, keys in LIMITS.items():
        limit = next((limits[key] for key in keys if key in limits), None)
        if limit is not None and f"{pair}.peak_{peak}" in result:
            curves.append(Curve(peak.split("_")[0], 100.0 * result[f"{pair}.peak_{peak}"] / limit))
    if not curves:
        return []
    whole = np.full(len(result.time_s), 100.0)
    return [Panel("of its limit", "%", tuple(curves), "largest so far", ROUNDING, limit=whole)]


def interface_limits(result: Result, pair: str) -> dict[str, float]:
    """Limits of the first port's interface; none where the scenario is not at hand."""
    ports = ports_of(result, pair)
    interface = interfaces(result.scenario)[ports[0]] if ports else None
    return interface.limits.model_dump(exclude_none=True) if interface is not None else {}


def ports_of(result: Result, pair: str) -> tuple[str, str] | None:
    """The two ports of a contact as the scenario orders them; None where the scenario is not at hand."""
    try:
        scenario = result.scenario
    except ResultError:
        return None
    return scenario.contacts[pair].ports if pair in scenario.contacts else None


def pairs_apart(result: Result) -> list[str]:
    """Pairs whose relative motion was logged; contacts whose two ports another pair has are left out."""
    of_ports: dict[frozenset[str], str] = {}
    for pair in port_pairs(result):
        ports = pair.split(PAIR) if PAIR in pair else ports_of(result, pair)
        of_ports.setdefault(frozenset(ports or (pair,)), pair)
    return list(of_ports.values())


def seen_ports(result: Result, pair: str) -> str:
    """Which port is seen from which, of a contact or of two ports ("chaser.nose+station.dock"): by their names."""
    first, _, second = pair.partition(PAIR)
    ports = (first, second) if second else ports_of(result, pair)
    if ports is None:
        return f"{pair}: the active port as seen from the passive one"
    try:
        active, passive = active_and_passive(result.scenario, ports)
    except ResultError:
        return f"{first} and {second}"
    own = "" if second else f"{pair}: "
    return f"{own}{active} as seen from {passive}"


def capture_rows(result: Result, pair: str) -> slice | None:
    """Rows from shortly before first contact until shortly after capture, or the last touch without it.

    None if that is most of the run, so that a closer look would show nothing more.
    """
    time = result.time_s
    began, captured = (float(result[f"{pair}.{key}"][-1]) for key in ("first_contact_s", "capture_s"))
    if began < 0.0:
        return None
    touching = time[result[f"{pair}.normal_force_N"] > 0.0]
    last = captured if captured >= 0.0 else float(touching[-1]) if len(touching) else began
    span = max(last - began, LEAST_S)
    first, end = np.searchsorted(time, (began - 0.1 * span, last + 0.4 * span))
    few = end - first < FEWEST_ROWS
    return None if few or end - first > 0.5 * len(time) else slice(int(first), int(end))


# ---------------------------------------------------------------- milestones


def marks(result: Result) -> list[EventRecord]:
    """Events of the scenario, and the milestones of every pair of interfaces."""
    pairs = contact_pairs(result)
    return [*result.events, *(mark for pair in pairs for mark in milestones(result, pair, len(pairs) > 1))]


def milestones(result: Result, pair: str, named: bool = False) -> list[EventRecord]:
    """What a docking engineer looks for first; with the pair's name where there are several."""
    known = {"first_contact_s": "first contact", "capture_s": "capture"}
    times = [(float(result[key][-1]), name) for end, name in known.items() if (key := f"{pair}.{end}") in result]
    times = [(time, name) for time, name in times if time >= 0.0]
    times += _latches(result, pair)
    # when latches let go, and which
    modes = {k: result[key] for k in range(1, MOST_LATCHES + 1) if (key := f"{pair}.latches.{k}.mode") in result}
    lost = {k: mode == LOST for k, mode in modes.items()}
    times += [(float(result.time_s[np.argmax(gone)]), f"latch {k} lost") for k, gone in lost.items() if gone.any()]
    docked = result.metrics.get(f"{pair}.hard_dock_s")
    times += [(float(docked), "hard dock")] if isinstance(docked, (float, int)) else []
    ending = f" of {pair}" if named else ""
    return [EventRecord(time, name + ending, MILESTONE) for time, name in times]


def _latches(result: Result, pair: str) -> list[tuple[float, str]]:
    """When each further latch held for the first time; the last one is the capture, which has its own mark."""
    if f"{pair}.latches_engaged" not in result:
        return []
    # a run that diverged may end without a number
    most = np.maximum.accumulate(np.nan_to_num(result[f"{pair}.latches_engaged"]))
    captured = bool(result[f"{pair}.capture_s"][-1] >= 0.0)
    count = int(min(most[-1], MOST_LATCHES)) - (1 if captured else 0)
    return [(float(result.time_s[np.argmax(most >= k)]), f"latch {k}") for k in range(1, count + 1)]
