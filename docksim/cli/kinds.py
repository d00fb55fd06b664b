"""The option --what: names of kinds of figures."""

from __future__ import annotations

import click

from docksim.plots.kinds import MOTION_KINDS, RESULT_KINDS, STUDY_KINDS


def kinds(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Names of kinds of figures, apart by commas or given one by one; a wrong one is answered with all there are."""
    names = tuple(name.strip() for text in given for name in text.split(",") if name.strip())
    known = {**RESULT_KINDS, **STUDY_KINDS, **MOTION_KINDS}
    wrong = next((name for name in names if name not in known), None)
    if wrong is not None:
        lines = [f"{wrong!r} is no kind of figure; there are", *_listed("of a result", RESULT_KINDS)]
        lines += [*_listed("of a study", STUDY_KINDS), *_listed("of a chain's motion", MOTION_KINDS)]
        raise click.BadParameter("\n".join(lines))
    return names


def _listed(title: str, known: dict[str, str]) -> list[str]:
    return [f"{title}:", *(f"  {name:<12} {text}" for name, text in known.items())]
