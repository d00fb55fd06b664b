"""From a chain file, or the same content as a dict, to a checked Chain, or to a list of all its faults."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from docksim.config.errors import Problem, ScenarioError
from docksim.config.loading.scenario import Loading
from docksim.config.loading.urdf import UrdfChoice
from docksim.config.schema.chain import Chain
from docksim.config.schema.chain_structure import links_of
from docksim.config.tree import dotted, places

ChainSource = str | PathLike[str] | Mapping[str, Any]


def read_chain(source: ChainSource, choice: UrdfChoice | None = None, notes: list[str] | None = None) -> Chain:
    """The checked chain in a file, a URDF, or a dict. Raises ScenarioError with every problem.

    Of a URDF, `choice` says which joints move, and `notes` get what its reader should know.
    """
    loading = Loading(source, choice=choice)
    try:
        with loading.within_depth():
            return loading.chain()[0]
    finally:
        if notes is not None:
            notes += loading.notes


def link_error(source: ChainSource, link: str, message: str) -> ScenarioError:
    """What is wrong with one link of a chain that reads well, at its line."""
    keys = links_of(read_chain(source))[link][0]
    place = dict(places(Loading(source).tree()))[keys]
    return ScenarioError([Problem(place.file, place.line, dotted(keys), message)])
