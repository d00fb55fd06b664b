"""docksim about: which docksim this is, and where its compiled code comes from."""

from __future__ import annotations

import json
import platform
from typing import Any

import click

from docksim import __version__
from docksim.chain.library import LIBRARY as CHAINS
from docksim.cli.options import json_option
from docksim.kernel.library import LIBRARY as KERNEL
from docksim.native.levels import possible
from docksim.native.libraries import status
from docksim.native.storage import cache_folder
from docksim.simulation.manifest import library_versions, source_commit

ORIGINS = {
    "shipped": "from the library of this installation",
    "cache": "from the cache",
    "built": "compiled now",
    "absent": "not compiled yet; the first use compiles it, up to a minute of one core",
    "jit": "compiled by numba at the first run, in minutes",
    "python": "plain Python (NUMBA_DISABLE_JIT), some hundred times slower",
}


@click.command(short_help="Version, compiled code, folders.")
@json_option
def about(as_json: bool) -> None:
    """Version, where the compiled code of kernel and chains comes from, and why not from elsewhere.

    Nothing is compiled here.

    \b
    Examples:
    docksim about
    docksim about --json
    """
    facts = about_facts()
    if as_json:
        click.echo(json.dumps(facts, indent=1))
        return
    click.echo(f"docksim {facts['version']}" + (f", commit {facts['commit']}" if facts["commit"] else ""))
    for name, code in facts["code"].items():
        click.echo(f"{name}: {ORIGINS[code['origin']]}; level {code['level']}, stamp {code['stamp']}")
        for reason in code["reasons"]:
            click.echo(f"  {reason}")
    click.echo(f"cache: {facts['cache'] or 'none, nothing is kept'}")
    click.echo(f"processor: {', '.join(facts['levels'])}")
    click.echo(", ".join(f"{name} {version}" for name, version in facts["versions"].items()))


def about_facts() -> dict[str, Any]:
    """All of it, for machines."""
    folder, _ = cache_folder()
    code = {}
    for library in (KERNEL, CHAINS):
        state = status(library)
        told = {"origin": state.origin, "level": state.level, "stamp": library.stamp, "reasons": list(state.reasons)}
        code[library.name] = told
    return {
        "version": __version__,
        "commit": source_commit()["commit"],
        "code": code,
        "cache": str(folder) if folder else None,
        "levels": list(possible()),
        "versions": {"Python": platform.python_version(), **dict(library_versions())},
    }
