"""What differs between two studies: keys of the study, and of the base scenario with file and line."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import yaml

from docksim.result.comparison import KeyDifference, content_differences, yaml_content
from docksim.result.files import checked_given
from docksim.result.reading import UNREADABLE, fault
from docksim.study.store import Store
from docksim.study.table import Table

UNTOLD = ("name", "description", "histories")


def study_differences(first: Table, second: Table) -> list[KeyDifference]:
    """Keys of the studies, then those of what they run."""
    (study, base, told), (other, other_base, other_told) = _about(first), _about(second)
    own = content_differences({"study": study}, {"study": other}, {}, {})
    return [*own, *content_differences(base, other_base, told, other_told)]


def given_of_table(table: Table) -> dict[str, Any]:
    """What a study was given; nothing of one that an older docksim made."""
    with closing(Store.open(table.file, read_only=True)) as store:
        about = store.about()
    try:
        return checked_given(about.get("given", {}))
    except UNREADABLE as error:
        raise fault(table.file, error) from error


def _about(table: Table) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    with closing(Store.open(table.file, read_only=True)) as store:
        about = store.about()
    try:
        base = yaml_content(about["base"])
    except (yaml.YAMLError, *UNREADABLE) as error:
        raise fault(table.file, error) from error
    content = table.study.model_dump(mode="json")
    # what it sets is in its base, with its place
    return (
        {key: value for key, value in content.items() if key not in (*UNTOLD, "set", "base")},
        base,
        given_of_table(table),
    )
