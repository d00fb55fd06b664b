"""Numbers that sum a run up: of a docking first, then of every run.

Whatever is largest or least is `measured`: noted while the run went, at every substep, whether it was logged or not.
The rest is of the last row, or of the scenario. Lasting compression is held against another limit than a peak. The
first impact, from the first touch until the surfaces part, converges with the step; later ones are a rattle in which
small differences grow.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from types import MappingProxyType

from docksim.algebra.dense import length
from docksim.algebra.elementary import hypot
from docksim.config.schema.names import port_at
from docksim.config.schema.scenario import Scenario
from docksim.result.pairs import latches_of
from docksim.result.result import Channel

Channels = Mapping[str, Channel]
Figures = Iterator[tuple[str, float]]
# load of the mating plane, and the limit of the interface that it is held against
LOADS = (
    ("peak_tension_N", "tension_N"),
    ("peak_compression_N", "compression_dynamic_N"),
    ("peak_shear_N", "shear_N"),
    ("peak_bending_Nm", "bending_Nm"),
    ("peak_torsion_Nm", "torsion_Nm"),
    ("sustained_compression_N", "compression_N"),
)
# largest rates and loads, of runs without contact too
OF_JOINTS = ".joint."
OF_EVERY_RUN = (".rate_deg_s.peak", ".load_force_N.peak", ".load_moment_Nm.peak")


def metrics_of(
    channels: Channels,
    scenario: Scenario | None = None,
    wanted: Container[str] | None = None,
    measured: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, float]:
    """Figures of the docking, what was measured at every step, and the largest rates and loads.

    With `wanted` the largest rates and loads are only those named there. `measured` are figures that the solver's state
    has, by name; those of hooks come first, and without contact pairs there are only rates and loads.
    """
    docking = docking_metrics(channels, scenario, measured) if scenario is not None else {}
    ends = {name: value for name, value in measured.items() if name.endswith(OF_EVERY_RUN) or OF_JOINTS in name}
    others = {name: value for name, value in measured.items() if name not in docking and name not in ends}
    figures = others | docking if docking else {}
    return figures | {name: value for name, value in ends.items() if wanted is None or name in wanted}


def docking_metrics(channels: Channels, scenario: Scenario, measured: Mapping[str, float]) -> dict[str, float]:
    """Times, state at first contact, loads and legs of all contact pairs; nothing where a scenario has none."""
    if not scenario.contacts:
        return {}
    figures: dict[str, float] = {}
    for pair in scenario.contacts:
        figures.update(_times(channels, pair))
        figures.update(_begins(measured, f"{pair}.at_contact."))
        figures.update(_loads(measured, scenario, pair))
        figures.update(_left_over(channels, pair))
    for vehicle in scenario.vehicles:
        figures.update(_begins(measured, f"{vehicle}.legs.", f"{vehicle}.acceleration_m_s2."))
    return figures


def _times(channels: Channels, pair: str) -> Figures:
    for key in ("first_contact_s", "capture_s"):
        name = f"{pair}.{key}"
        if name in channels and channels[name].data[-1] >= 0.0:
            yield name, float(channels[name].data[-1])
    captured = f"{pair}.capture_s"
    if captured in channels and channels[captured].data[-1] >= 0.0:
        yield f"{pair}.after_capture_s", float(channels["time_s"].data[-1] - channels[captured].data[-1])


def _begins(measured: Mapping[str, float], *starts: str) -> Figures:
    """Those whose names begin so."""
    return ((name, value) for name, value in measured.items() if name.startswith(starts))


def _loads(measured: Mapping[str, float], scenario: Scenario, pair: str) -> Figures:
    """Peaks, and what share of the limit they are, where the first port's interface gives one."""
    interface = port_at(scenario, scenario.contacts[pair].ports[0]).port.interface
    limits = interface.limits if interface is not None else None
    for load, limit in LOADS:
        name = f"{pair}.{load}"
        if name in measured:
            yield name, measured[name]
            allowed = getattr(limits, limit, None)
            if allowed:
                yield f"{name}.of_limit", measured[name] / allowed
    yield from _begins(measured, f"{pair}.into_")
    yield from _begins(measured, f"{pair}.first_impact.")
    for name, value in _begins(measured, f"{pair}.peak_"):
        if name.endswith("_force_N"):
            yield name, value


def _left_over(channels: Channels, pair: str) -> Figures:
    """Misalignment and rates at the end."""
    if not latches_of(channels, pair):
        return
    position, turn = (channels[f"{pair}.{key}"].data[-1] for key in ("position_m", "misalignment_deg"))
    yield f"{pair}.at_end.axial_m", float(-position[0])
    yield f"{pair}.at_end.lateral_offset_m", hypot(position[1], position[2])
    yield f"{pair}.at_end.roll_deg", float(turn[0])
    yield f"{pair}.at_end.pitch_yaw_deg", hypot(turn[1], turn[2])
    yield f"{pair}.at_end.speed_m_s", float(length(channels[f"{pair}.velocity_m_s"].data[-1]))
    yield f"{pair}.at_end.rate_deg_s", float(length(channels[f"{pair}.rate_deg_s"].data[-1]))
