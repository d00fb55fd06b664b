"""One self-contained page: template, style, script, the 3-D library's own text, and the data, all in one file.

The library is three.js as the package meshcat carries it; its text is read from the installed package and written into
the page, nothing of it is kept here and nothing of meshcat is imported. The page asks the network for nothing: its
Content-Security-Policy names the hashes of its two scripts, and forbids all others and every request.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docksim import __version__
from docksim.replay.payload import script_text
from docksim.result.result import ResultError

SCRIPTS = ("store.js", "scene.js", "camera.js", "curves.js", "desk.js", "main.js")
LIBRARY = ("viewer", "dist", "main.min.js")
INSTALL = "pip install 'docksim[replay]'"


def page(payload: Mapping[str, Any], words: Mapping[str, Any], live: bool = False) -> str:
    """The text of the page. `payload` is its data; `words` are shown as they are, whatever they contain."""
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise ResultError(f"the replay needs Jinja2, which is not installed: {INSTALL}") from None
    inks = "".join(f".v{i} {{ background: {v['colour']}; }}\n" for i, v in enumerate(payload["vehicles"]))
    style, script, library = own_text("style.css") + inks, own_script(), library_text()
    environment = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    return environment.from_string(own_text("page.html")).render(
        **words,
        version=__version__,
        policy=_policy((library, script), live),
        live=live,
        style=Markup(style),
        script=Markup(script),
        library=Markup(library),
        licences=licences(),
        data=Markup(script_text(payload)),
    )


def library_text() -> str:
    """three.js, as a script that may stand inside a page."""
    text = _library_file().read_text(encoding="utf-8")
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def licences() -> str:
    """What the library's authors want to go along with it."""
    file = _library_file()
    notes = file.with_name(file.name + ".LICENSE.txt")
    return notes.read_text(encoding="utf-8") if notes.is_file() else ""


def _library_file() -> Path:
    spec = find_spec("meshcat")
    for place in (spec.submodule_search_locations or []) if spec else []:
        file = Path(place).joinpath(*LIBRARY)
        if file.is_file():
            return file
    raise ResultError(f"the replay needs meshcat, which carries the 3-D library and is not installed: {INSTALL}")


@cache
def own_text(name: str) -> str:
    return files("docksim").joinpath("replay", "page", name).read_text(encoding="utf-8")


def own_script() -> str:
    """All scripts in one scope of their own."""
    return "(() => {\n" + "\n".join(own_text(name) for name in SCRIPTS) + "})();\n"


def _policy(scripts: tuple[str, ...], live: bool) -> str:
    digests = [hashlib.sha256(text.encode("utf-8")).digest() for text in scripts]
    hashes = [f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests]
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(hashes)}",
            "style-src 'unsafe-inline'",  # the library brings some of its own
            "img-src data:",
            "connect-src 'self'" if live else "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
