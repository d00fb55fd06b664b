"""Figures as parts of a page: SVG without what a page does not need, names of its parts unique on the page.

Coordinates of paths are rounded to hundredths of a point, far below what can be seen or printed; comments and metadata
go. Text is drawn as outlines, so a page looks the same on every machine.
"""

from __future__ import annotations

import io
import re
from typing import NamedTuple

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure

from docksim.plots import style

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_PATH = re.compile(r'\bd="[^"]*"')
_DIGITS = re.compile(r"(\d\.\d\d)\d+")
_SPACE = re.compile(r"\s*\n\s*")
_NAMES = re.compile(r'(\bid="|url\(#|xlink:href="#)')


class Drawing(NamedTuple):
    """A figure on the page, its name and what it shows."""

    name: str
    caption: str
    svg: Markup


def drawing(name: str, caption: str, figure: Figure, number: int) -> Drawing:
    """The figure as SVG to be put into a page as it is; `number` makes its inner names unique."""
    stream = io.StringIO()
    with rc_context(style.RC):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return Drawing(name, caption, Markup(smaller(stream.getvalue(), f"f{number}-")))  # our own markup


def smaller(text: str, prefix: str) -> str:
    """The <svg> element without comments, metadata and needless digits, with a prefix to all names inside."""
    text = _METADATA.sub("", _COMMENT.sub("", text[text.index("<svg") :]))
    text = _NAMES.sub(lambda found: found[0] + prefix, text)
    # transforms keep their digits: letters are scaled by a few hundredths
    text = _PATH.sub(lambda path: _DIGITS.sub(r"\1", path[0]), text)
    return _SPACE.sub("\n", text).strip()
