"""The commands. Each reads its arguments, calls one function of the package, and shows what comes back.

Only click is imported here and at the top of the command modules: `docksim --help` must not wait for libraries that it
does not use. Exit codes: 0 all well, 1 a run failed or a file is refused, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import click

from docksim import __version__
from docksim.cli.interface import interface, tune_contact
from docksim.cli.mechanism import mechanism
from docksim.cli.results import export, plot
from docksim.cli.run import run
from docksim.cli.scenarios import check, new, schema
from docksim.cli.study import study


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="docksim")
def main() -> None:
    """Spacecraft docking dynamics, from a scenario file to curves."""


for command in (run, check, plot, export, new, schema, mechanism, interface, tune_contact, study):
    main.add_command(command)
