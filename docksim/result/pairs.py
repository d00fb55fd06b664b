"""What became of each pair of interfaces that have latches, by the state at the end of a run.

Joined is what is one tree, captured is what latches hold, and undocked is what held and was let go; events only tell
whether latches were opened or lost. The words are defined in docksim/config/outcomes.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docksim.config.outcomes import SUCCESSES
from docksim.config.schema.contact_events import OpenLatchesAction
from docksim.result.result import Channel, EventRecord, Metric

if TYPE_CHECKING:
    from docksim.config.schema.scenario import Scenario

Channels = Mapping[str, Channel]
# of the words for a pair the worst first
WORST_FIRST = (
    "misaligned", "not rigid", "stuck", "latch lost", "overloaded", "rebounded", "not captured", "undocked",
    "captured", "hard-docked",
)  # fmt: skip
BROKEN = WORST_FIRST[:5]
BROKEN_OFF = ("failed", "diverged", "over-stroke", "interrupted")


@dataclass(frozen=True)
class JoinedPorts:
    """Two ports that events join, or wait for: how the active one stands to the passive one.

    The figures of `stand` are those of the latest join, made or refused; where there was none, of the end of the run.
    """

    active: str
    passive: str
    checked: bool  # at least one of the two has hooks
    joined: bool  # they are one at the end of the run
    joined_s: float | None  # when they were joined for the first time
    refused: bool  # their hooks could not close
    stand: Mapping[str, float]
    held: str = ""  # told to part, and what has not let go
    pulls: bool = False  # their hooks have a count
    fault: tuple[str, str] | None = None  # what is wrong with the joint that their hooks make: the word, and why

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.active, self.passive))

    def __str__(self) -> str:
        return f"{self.active} and {self.passive}"


@dataclass(frozen=True)
class PairOutcome:
    """Of one pair of interfaces: the word, why, and whether the two ever met."""

    pair: str
    word: str
    why: str
    met: bool = True

    def __str__(self) -> str:
        return f"'{self.pair}': {self.why}"


def pair_outcomes(
    scenario: Scenario,
    channels: Channels,
    events: Iterable[EventRecord],
    outcome: str,
    ports: Sequence[JoinedPorts] = (),
    figures: Mapping[str, Metric] | None = None,
) -> list[PairOutcome]:
    """Of every pair with latches, in the order of the file; of other pairs only those that were overloaded.

    Ports that hooks with a count have joined, or hold still, are judged even where no latches meet.

    A run that broke off says nothing of its pairs but its own `outcome`.
    """
    if not len(channels["time_s"].data):
        return []
    outcomes: list[PairOutcome] = []
    fired = [scenario.events[event.name] for event in events if event.name in scenario.events]
    opened = {action.open_latches for event in fired for action in event.do if isinstance(action, OpenLatchesAction)}
    for pair in scenario.contacts:
        one = None
        if latches_of(channels, pair) and outcome in BROKEN_OFF:
            one = PairOutcome(pair, outcome, "")
        elif latches_of(channels, pair):
            one = _state(channels, pair, ports_at(scenario, pair, ports), pair in opened)
        if one is None or one.word in SUCCESSES:
            over = [
                f"{key.split('.')[1]} is {float(value):.3g} of its limit"
                for key, value in (figures or {}).items()
                if key.startswith(f"{pair}.") and key.endswith(".of_limit") and float(value) > 1.0
            ]
            one = PairOutcome(pair, "overloaded", ", ".join(over)) if over else one
        if one is not None:
            outcomes.append(one)
    judged = {port for one in outcomes for two in ports_at(scenario, one.pair, ports) for port in two.names}
    lone = [one for one in ports if (one.joined or one.held) and one.pulls and not one.names & judged]
    return [*outcomes, *(_joined(f"{one.active}+{one.passive}", one) for one in lone if outcome not in BROKEN_OFF)]


def outcome_of_pairs(pairs: Sequence[PairOutcome]) -> PairOutcome | None:
    """The worst of the pairs that met; the first one where none did."""
    met = [one for one in pairs if one.met] or list(pairs[:1])
    return min(met, key=lambda one: WORST_FIRST.index(one.word), default=None)


def _state(channels: Channels, pair: str, ports: Sequence[JoinedPorts], opened: bool) -> PairOutcome:
    count, engaged = latches_of(channels, pair), int(channels[f"{pair}.latches_engaged"].data[-1])
    for one in ports:
        if one.refused:
            return PairOutcome(pair, "misaligned", f"the hooks of {one} could not close")
    modes = {k: channels.get(f"{pair}.latches.{k}.mode") for k in range(1, count + 1)}
    if lost := [k for k, mode in modes.items() if mode is not None and mode.labels[int(mode.data[-1])] == "lost"]:
        return PairOutcome(pair, "latch lost", f"latch {', '.join(map(str, lost))} let go under load")
    for one in ports:
        if one.joined or one.held:
            return _joined(pair, one)
    if engaged == count:
        return PairOutcome(pair, "captured", f"all {count} latches hold{_phase(channels)}, not hard-docked")
    captured = float(channels[f"{pair}.capture_s"].data[-1])
    parted = any(one.joined_s is not None for one in ports)
    if captured >= 0.0 and not opened:
        text = f"all {count} latches held at t = {captured:.6g} s, {engaged} at the end, and no event opened them"
        return PairOutcome(pair, "latch lost", text)
    if (captured >= 0.0 or parted) and not engaged:
        return PairOutcome(pair, "undocked", "nothing holds any more")
    return _not_held(channels, pair, f"{engaged} of {count} latches engaged{_phase(channels)}")


def _joined(pair: str, ports: JoinedPorts) -> PairOutcome:
    told = ("stuck", f"{ports} were told to part, and {ports.held}") if ports.held else None
    word, why = told or ports.fault or ("hard-docked", f"{ports} are joined")
    return PairOutcome(pair, word, why)


def _not_held(channels: Channels, pair: str, latches: str) -> PairOutcome:
    first = float(channels[f"{pair}.first_contact_s"].data[-1])
    if first < 0.0:
        return PairOutcome(pair, "not captured", f"no contact, {latches}", met=not latches.startswith("0"))
    away = -float(channels[f"{pair}.velocity_m_s"].data[-1, 0])
    free = float(channels[f"{pair}.normal_force_N"].data[-1]) == 0.0
    touched = f"first contact at t = {first:.6g} s, {latches}"
    if free and away > 0.0 and latches.startswith("0"):
        return PairOutcome(pair, "rebounded", f"{touched}; apart and leaving at {away:.3g} m/s")
    return PairOutcome(pair, "not captured", f"{touched}; the two are still together")


def _phase(channels: Channels) -> str:
    phase = channels.get("phase")
    return f" in phase {phase.labels[int(phase.data[-1])]}" if phase is not None and phase.labels else ""


def ports_at(scenario: Scenario, pair: str, ports: Sequence[JoinedPorts]) -> list[JoinedPorts]:
    """Ports that join the two vehicles of a pair: those at the pair, else those that are at no pair.

    An arm's hand that holds the other vehicle joins them too, and is no docking where hooks are.
    """
    vehicles = _owners(scenario.contacts[pair].ports)
    every = [one for one in ports if _owners(one.names) == vehicles]
    own = [one for one in every if one.names & set(scenario.contacts[pair].ports)]
    taken = {port for other in scenario.contacts.values() for port in other.ports}
    return own or [one for one in every if not one.names & taken]


def hook_plane(scenario: Scenario, pair: str, ports: Sequence[JoinedPorts]) -> JoinedPorts | None:
    """The ports whose stand is told with a pair: those joined, or tried, or else the first."""
    ranked = ports_at(scenario, pair, ports)
    return min(ranked, key=lambda one: (not one.joined, not one.refused, one.joined_s is None), default=None)


def latches_of(channels: Channels, pair: str) -> int:
    """How many latches a pair has."""
    return sum(name.startswith(f"{pair}.latch_") and name.endswith("_force_N") for name in channels)


def _owners(ports: Iterable[str]) -> frozenset[str]:
    return frozenset(port.split(".")[0] for port in ports)
