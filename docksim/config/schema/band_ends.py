"""A scenario at an end of its contact bands: all of its pairs soft, or all of them stiff."""

from __future__ import annotations

from docksim.config.schema import names
from docksim.config.schema.bands import End
from docksim.config.schema.interface import STIFFNESSES, Contact
from docksim.config.schema.scenario import Scenario


def contact_laws(scenario: Scenario) -> dict[str, Contact]:
    """The contact law of every pair: its own, or that of its first port's interface."""
    interfaces = names.interfaces(scenario) if scenario.contacts else {}
    laws = {}
    for name, pair in scenario.contacts.items():
        first = interfaces[pair.ports[0]]
        assert first is not None  # checked when the scenario is read
        laws[name] = pair.contact or first.contact
    return laws


def banded(scenario: Scenario) -> list[str]:
    """Pairs whose stiffness is known within a band only."""
    laws = contact_laws(scenario)
    return [name for name, law in laws.items() if law.band is not None and law.band.wide]


def at_end(scenario: Scenario, end: End) -> Scenario:
    """The scenario with the stiffness of every pair at this end of its band, as one value."""
    pairs = dict(scenario.contacts)
    for name, law in contact_laws(scenario).items():
        single = law.model_copy(update={"band": None, **dict(zip(STIFFNESSES, law.stiffnesses(end), strict=True))})
        pairs[name] = pairs[name].model_copy(update={"contact": single})
    return scenario.model_copy(update={"contacts": pairs})
