"""One self-contained page: template, style, script, the 3-D library's own text, and the data, all in one file.

The library is the part of three.js that the page uses; page/three says where it comes from. The page asks the network
for nothing: its Content-Security-Policy names the hashes of its two scripts, and forbids all others and every request.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from docksim import __version__
from docksim.replay.payload import script_text

SCRIPTS = ("store.js", "scene.js", "camera.js", "curves.js", "desk.js", "main.js")


def page(payload: Mapping[str, Any], words: Mapping[str, Any], live: bool = False) -> str:
    """The text of the page. `payload` is its data; `words` are shown as they are, whatever they contain."""
    inks = "".join(f".v{i} {{ background: {v['colour']}; }}\n" for i, v in enumerate(payload["vehicles"]))
    style, script, library = own_text("style.css") + inks, own_script(), own_text("three/three.min.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    return environment.from_string(own_text("page.html")).render(
        **words,
        version=__version__,
        policy=_policy((library, script), style, live),
        live=live,
        style=Markup(style),
        script=Markup(script),
        library=Markup(library),
        licence=own_text("three/LICENSE"),
        data=Markup(script_text(payload)),
    )


@cache
def own_text(name: str) -> str:
    return files("docksim").joinpath("replay", "page", name).read_text(encoding="utf-8")


def own_script() -> str:
    """All scripts in one scope of their own."""
    return "(() => {\n" + "\n".join(own_text(name) for name in SCRIPTS) + "})();\n"


def _policy(scripts: tuple[str, ...], style: str, live: bool) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(_hash(text) for text in scripts)}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "connect-src 'self'" if live else "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
