"""What events are about: the ports and bodies that they name. The first view of a replay holds those of the first ones.

An arm reaches for something: so the events count until two ports meet; of a scenario whose ports never do, the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from docksim.compiler.parts import Marker, Place
from docksim.config.schema.events import Event
from docksim.config.schema.scenario import Scenario
from docksim.replay.sights import Scene


def subjects(scene: Scene, scenario: Scenario, events: Iterable[str]) -> list[tuple[Marker, bool]]:
    """Places that should be in view, and whether with all of the body; none if the events name nothing that is seen."""
    named = [_named_by(scene, scenario.events[name]) for name in events if name in scenario.events]
    named = [subject for subject in named if subject]
    meets = [k for k, subject in enumerate(named) if sum(name in scene.markers for name in subject) > 1]
    places = {name: marker for subject in named[: 1 + (meets or [0])[0]] for name, marker in subject.items()}
    # of the two ports that the cameras stand on it is known how near to look
    focus = [(marker.body, marker.place.position) for marker in scene.focus or ()]
    return [(marker, (marker.body, marker.place.position) not in focus) for marker in places.values()]


def _named_by(scene: Scene, event: Event) -> dict[str, Marker]:
    texts = _texts(event.model_dump(include={"when", "do"}, exclude_defaults=True))
    return {name: marker for text in texts for name, marker in _named(scene, text)}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from () if key in ("after", "not_fired", "phase", "stop") else _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def _named(scene: Scene, text: str) -> Iterator[tuple[str, Marker]]:
    """A port, both ports of a contact, a body, or the vehicle of a thruster or a device."""
    pair = next((pair for pair in scene.pairs if pair.name == text), None)
    if pair is not None:
        yield from ((port, scene.markers[port]) for port in pair.pair.ports)
    elif text in scene.markers:
        yield text, scene.markers[text]
    else:
        name = text if text in scene.names else text.split(".")[0]
        if name in scene.names:
            yield name, Marker(scene.names.index(name) + 1, Place())
