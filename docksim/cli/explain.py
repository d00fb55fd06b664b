"""docksim explain: what a key means, and what a file gives it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import yaml

from docksim.cli.complete import ScenarioPath, complete_keys
from docksim.cli.loading import complaints, overrides, tell_shadowed
from docksim.cli.options import json_option
from docksim.cli.tables import echo_json
from docksim.config.loading.layers import Given, given
from docksim.config.loading.shipped import example
from docksim.config.schema.keys import NAME, Key, UnknownKey, all_keys, below, containing, find

WIDTH = 100
MANY = 12  # places of a key that are told in full


@click.command(short_help="What a key means; with --in, what a file gives it.")
@click.argument("key", required=False, default="", shell_complete=complete_keys)
@click.option("--recursive", is_flag=True, help="Also all keys below it; without KEY, every key there is.")
@click.option("--find", "word", metavar="WORD", help="Every key with WORD in its name or meaning.")
@click.option("--in", "file", type=ScenarioPath(), metavar="FILE",
              help="The value in this scenario, where it comes from, and which phases change it.")  # fmt: skip
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="With --in: change a key first.")
@json_option
def explain(
    key: str, recursive: bool, word: str | None, file: str | None, assignments: tuple[str, ...], as_json: bool
) -> None:
    """Say what a KEY of a scenario, study, chain or task means: unit, default, bounds, where it may stand, an example.

    KEY is a dotted path as in --set: approach.closing_rate_m_s, chaser.mass_kg (any vehicle), or its last words alone.

    \b
    Examples:
    docksim explain approach --recursive
    docksim explain chaser.mechanism.symmetric.actuator
    docksim explain --find stiffness
    docksim explain chaser.mechanism.symmetric.actuator.servo --in dock_nds
    """
    if assignments and file is None:
        raise click.UsageError("--set changes a file: give --in FILE")
    if file is not None:
        if not key:
            raise click.UsageError("--in FILE asks for a KEY, such as chaser.mass_kg")
        return _values(file, key, assignments, as_json)
    try:
        keys = containing(word) if word else list(all_keys()) if recursive and not key else find(key)
        if recursive and key:
            keys = [one for top in keys for one in below(top)]
    except UnknownKey as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        echo_json({"keys": [{**one._asdict(), "path": one.text} for one in keys]})
    elif len(keys) > MANY or recursive or word:
        click.echo("\n".join(_lines(keys)))
    else:
        click.echo("\n\n".join(_in_full(one) for one in keys))


def _lines(keys: list[Key]) -> list[str]:
    """Each path with its meaning; parts that have the same key with the same meaning share a line."""
    parts: dict[tuple[str, str, str], list[str]] = {}
    for key in keys:
        first = textwrap.shorten(key.meaning.split("\n")[0], WIDTH - 4, placeholder=" ...")
        of = "" if key.file == "scenario" else f"   of a {key.file}"
        parts.setdefault((key.text, of, first), []).append(key.part)
    told = Counter(text for text, _, _ in parts)
    return [
        f"{text}{of}{f'   ({chr(44).join(names)})' if told[text] > 1 and any(names) else ''}\n    {first}"
        for (text, of, first), names in parts.items()
    ]


def _in_full(key: Key) -> str:
    """A key with everything that is known of it."""
    lines = [f"{key.text}   of a {key.file}"]
    for paragraph in key.meaning.split("\n\n"):
        lines += textwrap.wrap(" ".join(paragraph.split()), WIDTH, initial_indent="  ", subsequent_indent="  ") or [""]
    facts = [("kind", key.kind), ("unit", key.unit), ("default", key.default), ("bounds", key.bounds)]
    if key.part and key.part.lower() not in (part.lower() for part in key.path):
        facts.append(("of", key.part))
    deeper = [one for one in below(key) if one.path != key.path]
    if inside := [one.path[-1] for one in deeper if one.path[:-1] == key.path]:
        facts.append(("has", ", ".join(inside)))
    # names below are the user's own: any may stand in an example
    named = any(NAME in one.path[len(key.path) :] for one in deeper)
    if shipped := example(key.file, key.route, () if named else {one.path[-1] for one in deeper}):
        facts.append(
            ("example", f"{key.path[-1]}: {_flow(shipped.value)}   ({shipped.place.file}:{shipped.place.line})")
        )
    for name, text in facts:
        if text:
            lines += textwrap.wrap(text, WIDTH, initial_indent=f"  {name:<8} ", subsequent_indent=" " * 11)
    return "\n".join(lines)


def _flow(value: Any) -> str:
    """A value as a scenario file writes it, on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6, sort_keys=False).removesuffix("\n...\n").strip()
    return text if len(text) < WIDTH else text[: WIDTH - 4] + " ..."


def _values(file: str, key: str, assignments: Iterable[str], as_json: bool) -> None:
    """What a file gives a key, layer by layer."""
    tell_shadowed([file])
    with complaints():
        try:
            values = given(Path(file), key, overrides(assignments))
            defaults = {one.path: _default(one) for one in values if not one.layers}
        except LookupError as error:
            raise click.ClickException(str(error)) from None
    if as_json:
        return echo_json({"file": file, "values": [_as_dict(one) for one in values]})
    for one in values:
        click.echo(one.path)
        if not one.layers:
            click.echo(f"  not given in {file}; its default: {defaults[one.path]}")
        for i, layer in enumerate(one.layers):
            click.echo(f"  {'value' if i == 0 else 'over':<8} {_flow(layer.value):<24} {_where(layer.place)}")
        for layer in one.later:
            click.echo(f"  {'then':<8} {_flow(layer.value):<24} {_where(layer.place)}   in {layer.phase}")


def _default(one: Given) -> str:
    """What a key stands for that a file does not give; UnknownKey for what is no key."""
    return " or ".join(sorted({own.default for own in find(one.path)}))


def _where(place: Any) -> str:
    return place.file if place.line is None else f"{place.file}:{place.line}"


def _as_dict(one: Given) -> dict[str, Any]:
    layers = [{"value": own.value, **own.place.__dict__} for own in one.layers]
    later = [{"value": own.value, "phase": own.phase, **own.place.__dict__} for own in one.later]
    return {"path": one.path, "layers": layers, "later": later}
