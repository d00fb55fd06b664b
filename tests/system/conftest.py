"""Fixtures that several files use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.system.bridge_desk import Desk


@pytest.fixture
def desks() -> Iterator[Callable[..., Desk]]:
    """Makes desks, and closes them when the test is over."""
    made: list[Desk] = []

    def desk(*arguments: Any, **options: Any) -> Desk:
        made.append(Desk(*arguments, **options))
        return made[-1]

    yield desk
    for one in made:
        one.close()
