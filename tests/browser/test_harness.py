"""The driver sees what a page does: errors, requests, dialogs, clicks, keys; else clean pages would prove nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.chromium import BrowserError, Page

Open = Callable[..., Page]


def write(folder: Path, body: str) -> Path:
    file = folder / "page.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><title>t</title>{body}", encoding="utf-8")
    return file


def test_quiet_page_reports_nothing(tmp_path: Path, open_page: Open) -> None:
    page = open_page(write(tmp_path, "<p>hello</p>"))
    assert page.evaluate("document.body.textContent") == "hello"
    assert (page.errors, page.outside, page.dialogs) == ([], [], [])


def test_errors_of_console_and_scripts_are_seen(tmp_path: Path, open_page: Open) -> None:
    page = open_page(write(tmp_path, "<script>console.error('first'); null.x</script>"))
    assert page.errors[0] == "first"
    assert "TypeError" in page.errors[1]


def test_request_to_the_outside_is_seen(tmp_path: Path, open_page: Open) -> None:
    page = open_page(write(tmp_path, "<img src='http://example.invalid/a.png'><img src='data:,'>"))
    assert page.outside == ["http://example.invalid/a.png"]


def test_dialogs_are_seen_and_closed(tmp_path: Path, open_page: Open) -> None:
    page = open_page(write(tmp_path, "<script>alert('boo')</script>"))
    assert page.dialogs == ["boo"]


def test_expression_that_throws_is_an_error(tmp_path: Path, open_page: Open) -> None:
    page = open_page(write(tmp_path, ""))
    with pytest.raises(BrowserError, match="ReferenceError"):
        page.evaluate("nobody.knows")


def test_clicks_and_keys_reach_the_page(tmp_path: Path, open_page: Open) -> None:
    script = "<script>got = []; document.onkeydown = e => got.push(e.key)</script>"
    page = open_page(write(tmp_path, f"<button onclick=\"got.push('click')\">b</button>{script}"))
    page.click_on("button")
    page.press("ArrowRight")
    assert page.evaluate("got") == ["click", "ArrowRight"]


def test_screenshot_and_print_have_the_page(tmp_path: Path, open_page: Open) -> None:
    page = open_page(write(tmp_path, "<p>hello</p>"), width=300, height=200)
    assert page.screenshot().startswith(b"\x89PNG")
    assert page.pdf().startswith(b"%PDF")
