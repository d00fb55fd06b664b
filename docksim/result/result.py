"""What a run leaves behind: named channels with units and frames, events, metrics, outcome, manifest.

A channel is one logged quantity: an array with one row per logged instant, and the words that make it readable
without the code (unit, frame, description, component names). Every channel has as many rows as "time_s", and all
values of one row belong to the same instant. The folder a result is saved in is described in files.py.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from docksim.config.errors import printable, unknown
from docksim.config.outcomes import OUTCOMES
from docksim.config.units import unit_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from docksim.config.schema.scenario import Scenario

Metric = float | int | str

# of channels that hold the extremes between rows of the one whose name they continue
LEAST, LARGEST = ".least", ".largest"

_COMPONENTS = {3: ("x", "y", "z"), 4: ("w", "x", "y", "z")}


MOST_SHOWN = 6


class ResultError(Exception):
    """A result that cannot be read, written or used as asked; the message names the file."""

    def __str__(self) -> str:
        return printable(super().__str__())


class EventRecord(NamedTuple):
    """One thing that happened: a scenario event that fired, a stop, a lock."""

    time_s: float
    name: str
    text: str = ""
    energy_loss_J: float = 0.0


@dataclass(frozen=True, eq=False)
class Channel:
    """One logged quantity; data has shape (rows,) or (rows, k) with k component names.

    A channel of integer codes, such as "phase", names them in `labels`: code i means labels[i].
    """

    name: str
    unit: str
    frame: str
    description: str
    data: np.ndarray
    components: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        data = np.asarray(self.data)
        if data.ndim not in (1, 2) or data.dtype.kind not in "fiub":
            raise ValueError(
                f"channel '{self.name}': expected numbers in one or two dimensions, got {data.dtype} {data.shape}"
            )
        width = data.shape[1] if data.ndim == 2 else 0
        components = tuple(self.components)
        if width and not components:
            components = _COMPONENTS.get(width, tuple(str(i) for i in range(width)))
        if len(components) != width:
            raise ValueError(f"channel '{self.name}': {len(components)} component names for {width} columns")
        object.__setattr__(self, "data", data)
        object.__setattr__(self, "components", components)
        object.__setattr__(self, "labels", tuple(self.labels))

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        return f"<Channel {self.name}{unit} {self.description!r}, {self.data.shape}>"

    def columns(self) -> Iterator[tuple[str, np.ndarray]]:
        """Every column with its name: "name", or "name[component]" if the channel has components."""
        if self.data.ndim == 1:
            yield self.name, self.data
        else:
            for i, component in enumerate(self.components):
                yield f"{self.name}[{component}]", self.data[:, i]


class Channels(dict[str, Channel]):
    """Channels by name, shown as a list of names."""

    def __repr__(self) -> str:
        return f"<{len(self)} channels: {_some(list(self))}>"


class Metrics(dict[str, Metric]):
    """Numbers by name, and words for outcomes of pairs; names end in their units."""

    def __missing__(self, name: str) -> Metric:
        raise KeyError(unknown("metric", name, self))

    def unit(self, name: str) -> str:
        """Of a metric, as messages write it; none where it is a share, a count or a word."""
        return unit_of(name)

    def text(self, name: str) -> str:
        """The value with its unit."""
        value = self[name]
        return f"{value:.6g} {self.unit(name)}".rstrip() if isinstance(value, float | int) else value

    def __repr__(self) -> str:
        return f"<{len(self)} metrics: {_some([f'{name} = {self.text(name)}' for name in self])}>"


def _some(texts: list[str]) -> str:
    """The first of them, and that there are more."""
    return ", ".join([*texts[:MOST_SHOWN], *(["..."] if len(texts) > MOST_SHOWN else [])])


class Result:
    """The outcome of one run. `result["chaser.position_m"]` is the array of that channel."""

    def __init__(
        self,
        scenario: Scenario | None,
        channels: Mapping[str, Channel] | Iterable[Channel],
        outcome: str,
        reason: str = "",
        events: Iterable[EventRecord] = (),
        metrics: Mapping[str, Metric] | None = None,
        manifest: Mapping[str, Any] | None = None,
        warnings: Iterable[str] = (),
    ) -> None:
        """`scenario` is the resolved scenario; only `load` leaves it out, and reads it from its file when asked.

        `warnings` are what a careful reader must know besides the outcome.
        """
        if outcome not in OUTCOMES:
            raise ValueError(f"outcome '{outcome}': expected one of {', '.join(OUTCOMES)}")
        self.channels = _by_name(channels.values() if isinstance(channels, Mapping) else channels)
        self.outcome = outcome
        self.reason = reason
        self.events = [EventRecord(*event) for event in events]
        self.metrics = Metrics(metrics or {})
        self.manifest: dict[str, Any] = dict(manifest or {})
        self.warnings: list[str] = list(warnings)
        self.given_by: Callable[[], dict[str, Any]] = dict  # makes `given`
        self.folder: Path | None = None
        self.text: str | None = None  # of what was run, where that is no scenario
        self._scenario = scenario

    def __getitem__(self, name: str) -> np.ndarray:
        return self.channel(name).data

    def __contains__(self, name: object) -> bool:
        return name in self.channels

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels)

    def __len__(self) -> int:
        return len(self.channels)

    def __bool__(self) -> bool:
        return True

    def keys(self) -> list[str]:
        """Names of the channels."""
        return list(self.channels)

    def _ipython_key_completions_(self) -> list[str]:
        return self.keys()

    def __repr__(self) -> str:
        size = f"{len(self.channels)} channels, {len(self.time_s)} rows"
        return f"<Result '{self.scenario_name}': {self.outcome}, {size}>"

    def channel(self, name: str) -> Channel:
        """The channel with its unit, frame and description."""
        try:
            return self.channels[name]
        except KeyError:
            close = difflib.get_close_matches(name, list(self.channels), n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
            raise KeyError(f"no channel '{name}'{hint}") from None

    @property
    def time_s(self) -> np.ndarray:
        return self.channels["time_s"].data

    @property
    def simulated_s(self) -> float:
        """Simulated time between the first and the last row."""
        return float(self.time_s[-1] - self.time_s[0]) if len(self.time_s) else 0.0

    @property
    def scenario(self) -> Scenario:
        """The fully resolved scenario; running it again gives the same bits."""
        if self._scenario is None:
            # files make results, so they are imported here and below when they are used
            from docksim.result.files import read_scenario

            self._scenario = read_scenario(self.folder)
        return self._scenario

    @cached_property
    def given(self) -> dict[str, Any]:
        """What was run: file, changes, where every value is written, estimates; a case's study and inputs. Made when it
        is asked for, or saved."""
        return self.given_by()

    @property
    def scenario_yaml(self) -> str:
        """The resolved scenario as text, as it is saved."""
        if self.text is not None:
            return self.text
        if self._scenario is None:
            from docksim.result.files import read_scenario_text

            return read_scenario_text(self.folder)
        return self._scenario.to_yaml()

    @property
    def scenario_name(self) -> str:
        name = self.manifest.get("scenario")
        return str(name) if name else self.scenario.name

    def save(self, folder: str | Path) -> Path:
        """Write the result into a new folder, all or nothing; an existing result is never overwritten."""
        from docksim.result.files import save_folder

        return save_folder(self, Path(folder))

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Read a saved result; ResultError names the file that is missing or damaged."""
        from docksim.result.files import load_folder

        return load_folder(Path(folder))

    def to_dataframe(self) -> pd.DataFrame:
        """One column per component, time as the index; units in `.attrs["units"]`. Needs pandas."""
        pandas = optional("pandas", "to_dataframe")
        columns, units = {}, {}
        for channel in self.channels.values():
            for name, values in channel.columns():
                columns[name], units[name] = values, channel.unit
        time = columns.pop("time_s")
        frame = pandas.DataFrame(columns, index=pandas.Index(time, name="time_s"))
        frame.attrs["units"] = units
        return frame

    def to_xarray(self) -> xr.Dataset:
        """A variable for each channel over `time_s`, components as a coordinate; `attrs` have units, frame, meaning.

        Needs xarray.
        """
        xarray = optional("xarray", "to_xarray")
        variables: dict[str, Any] = {}
        coordinates: dict[str, Any] = {}
        for channel in self.channels.values():
            # "xyz", "roll_pitch_yaw"
            across = ("" if max(map(len, channel.components), default=1) == 1 else "_").join(channel.components)
            coordinates |= {across: list(channel.components)} if across else {}
            facts: dict[str, Any] = {"units": channel.unit, "frame": channel.frame, "long_name": channel.description}
            facts |= {"labels": list(channel.labels)} if channel.labels else {}
            variables[channel.name] = (("time_s", across) if across else ("time_s",), channel.data, facts)
        coordinates["time_s"] = variables.pop("time_s")
        about = {"scenario": self.scenario_name, "outcome": self.outcome, "reason": self.reason}
        return xarray.Dataset(variables, coordinates, about)


def optional(package: str, what: str, extra: str = "") -> Any:
    """A package that docksim does without, for what needs it."""
    try:
        return import_module(package)
    except ImportError:
        advice = f"pip install {package}, or pip install 'docksim[{extra or package}]'"
        raise ResultError(f"{what} needs {package}, which is not installed: {advice}") from None


def _by_name(given: Iterable[Channel]) -> Channels:
    """Channels by name; refuses doubles, a missing time axis, and rows that do not match it."""
    channels = Channels()
    for channel in given:
        if channel.name in channels:
            raise ValueError(f"channel '{channel.name}' is given twice")
        channels[channel.name] = channel
    if "time_s" not in channels or channels["time_s"].data.ndim != 1:
        raise ValueError("a result needs the channel 'time_s', one number per row")
    rows = len(channels["time_s"].data)
    for channel in channels.values():
        if len(channel.data) != rows:
            raise ValueError(f"channel '{channel.name}' has {len(channel.data)} rows, 'time_s' has {rows}")
    return channels
