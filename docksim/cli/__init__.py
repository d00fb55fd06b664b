"""The commands. Each reads its arguments, calls one function of the package, and shows what comes back.

Only click is imported here and at the top of the command modules: `docksim --help` must not wait for libraries that it
does not use. Exit codes: 0 all well, 1 a run failed or a file is refused, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

from typing import Any

import click

from docksim import __version__
from docksim.cli.about import about
from docksim.cli.baseparams import baseparams
from docksim.cli.berth import berth
from docksim.cli.chain import chain
from docksim.cli.cluster import cluster
from docksim.cli.fmu import fmu
from docksim.cli.hil import hil
from docksim.cli.identify import identify
from docksim.cli.interface import interface, tune_contact
from docksim.cli.linearize import linearize
from docksim.cli.mechanism import mechanism
from docksim.cli.realtime import realtime
from docksim.cli.replay import replay
from docksim.cli.report import gallery, report
from docksim.cli.results import export, plot
from docksim.cli.run import run
from docksim.cli.scenarios import check, new, schema
from docksim.cli.study import study
from docksim.cli.study_search import envelope, rare
from docksim.cli.watch import watch
from docksim.native.decorators import NoCompilerError


class Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except NoCompilerError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="docksim")
def main() -> None:
    """Spacecraft docking dynamics, from a scenario file to curves."""


COMMANDS = (
    *(run, check, new, schema),
    *(plot, report, replay, gallery, export),
    *(mechanism, interface, tune_contact),
    *(study, cluster),
    *(chain, baseparams, identify, linearize, berth),
    *(realtime, watch, hil, fmu),
    about,
)
for command in COMMANDS:
    main.add_command(command)
study.add_command(envelope)
study.add_command(rare)
