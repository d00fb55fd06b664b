"""One browser for all browser tests; without Chromium the run fails at once and says how to install it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Browser, BrowserError, Page, find


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    try:
        find()
    except BrowserError as error:
        pytest.exit(f"docksim: {error}", returncode=1)
    running = Browser(tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages and closes them after the test."""
    pages: list[Page] = []

    def open_(place: Path | str, width: int = 1280, height: int = 900) -> Page:
        pages.append(browser.open(place, width, height))
        return pages[-1]

    yield open_
    for page in pages:
        page.close()
