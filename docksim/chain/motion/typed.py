"""States of a chain and forces of its drives typed by hand: link2.angle_deg=30, link2.torque_Nm=5."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from docksim.chain.identification.recording import KINDS
from docksim.chain.model import ChainModel
from docksim.config.errors import did_you_mean, unknown


def state_point(model: ChainModel, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, rates and accelerations from words such as link2.angle_deg=30; home and rest where none is given.

    Raises ValueError with what is wrong and what there is.
    """
    state = {"coordinate": model.home.copy(), "rate": np.zeros(model.n), "acceleration": np.zeros(model.n)}
    kinds = [
        {ending: (kind, factor) for kind in state for ending, factor in KINDS[kind][int(slides)].items()}
        for slides in model.prismatic
    ]
    example = "travel_m=0.1" if model.prismatic[0] else "angle_deg=30"
    for k, ending, value in link_values(model, words, kinds, example):
        kind, factor = kinds[k][ending]
        state[kind][k] = factor * value
    return state["coordinate"], state["rate"], state["acceleration"]


def drive_forces(chain: ChainModel, words: Sequence[str]) -> np.ndarray:
    """Forces of the drives from words such as link2.torque_Nm=30; zero where none is given.

    Raises ValueError with what is wrong and what there is.
    """
    forces = np.zeros(chain.n)
    endings = ["force_N" if slides else "torque_Nm" for slides in chain.prismatic]
    for k, _, value in link_values(chain, words, [[ending] for ending in endings], f"{endings[0]}=10"):
        forces[k] = value
    return forces


def link_values(
    model: ChainModel, words: Sequence[str], endings: Sequence[Collection[str]], example: str
) -> Iterator[tuple[int, str, float]]:
    """Link, quantity and value of words such as link2.angle_deg=30, with `endings` the quantities of each link.

    Raises ValueError with what is wrong and what there is.
    """
    for word in words:
        name, equals, text = word.partition("=")
        link, _, ending = name.strip().rpartition(".")
        if not equals or not link:
            raise ValueError(f"'{word}': expected LINK.QUANTITY=VALUE, for example {model.names[0]}.{example}")
        if link not in model.names:
            raise ValueError(f"'{word}': {unknown('link', link, model.names)}")
        k = model.names.index(link)
        if ending not in endings[k]:
            raise ValueError(f"'{word}': '{link}' has {', '.join(endings[k])}{did_you_mean(ending, endings[k])}")
        yield k, ending, _number(word, text)


def _number(word: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"'{word}': '{text}' is no finite number")
    return value
