"""The commands. Each reads its arguments, calls one function of the package, and shows what comes back.

A command's module is imported when the command is called or its help is asked for; `docksim --help` reads the table
below, and waits for no library. Inside the modules, what draws is imported where it draws. Exit codes: 0 all well, 1 a
run failed or a file is refused, 2 wrong usage, 130 ended by Ctrl-C, 143 by SIGTERM.
"""

from __future__ import annotations

import sys
from importlib import import_module
from io import StringIO
from typing import Any

import click
from click.shell_completion import CompletionItem

from docksim import __version__
from docksim.config.errors import printable
from docksim.jobs.signals import told_of_abort, unheard
from docksim.native.decorators import NoCompilerError

# name: where the command is, and its line in the help
TABLE = {
    "run": ("docksim.cli.run:run", "Run scenario files."),
    "check": ("docksim.cli.check:check", "Validate scenario files without running them."),
    "new": ("docksim.cli.new:new", "Write a commented scenario, study or part to start from."),
    "explain": ("docksim.cli.explain:explain", "What a key means; with --in, what a file gives it."),
    "list": ("docksim.cli.browse:list_shipped", "Scenarios, studies and parts that come with docksim."),
    "show": ("docksim.cli.browse:show", "Print a file that comes with docksim."),
    "completion": ("docksim.cli.completion:completion", "The line that makes your shell complete docksim's commands."),
    "schema": ("docksim.cli.schema:schema", "Print the JSON schema of scenario files, for editors."),
    "plot": ("docksim.cli.results:plot", "Draw the figures of saved results, motions of chains and studies."),
    "report": ("docksim.cli.report:report", "One self-contained HTML file of a result, several, or a study."),
    "replay": ("docksim.cli.replay:replay", "Show a result, or a run as it goes, in 3-D in a browser."),
    "compare": ("docksim.cli.compare:compare", "What differs between two results or studies, and what came of it."),
    "gallery": ("docksim.cli.report:gallery", "Run the shipped scenarios and show them on one page."),
    "export": ("docksim.cli.export:export", "Write a saved RESULT, a chain's motion, or the table of a study."),
    "mechanism": ("docksim.cli.mechanism:mechanism", "Look at a docking mechanism."),
    "interface": ("docksim.cli.interface:interface", "Look at a docking interface."),
    "tune-contact": ("docksim.cli.interface:tune_contact", "Contact figures from masses, speed and limits."),
    "study": ("docksim.cli.study:study", "Run, sum up and compare Monte Carlo studies, grids and sweeps."),
    "validate": ("docksim.cli.validate:validate", "Hold docksim against published cases, and print the table."),
    "cluster": ("docksim.cli.cluster:cluster", "A scheduler and workers for studies on several machines."),
    "chain": ("docksim.cli.chain:chain", "Chains of links: arms and trees of joints."),
    "baseparams": (
        "docksim.cli.baseparams:baseparams", "Base inertial parameters of a chain: expressions and the matrix Y.",
    ),
    "identify": (
        "docksim.cli.identify:identify", "Inertial parameters of a chain from recorded motion and torques.",
    ),
    "linearize": (
        "docksim.cli.linearize:linearize", "Exact linear model of a chain or scenario: A, B, C, D, modes.",
    ),
    "sections": (
        "docksim.cli.sections:sections", "Loads inside links and beams: diagrams, margins, sag of the tool.",
    ),
    "berth": ("docksim.cli.berth:berth", "Plan a berthing."),
    "realtime": (
        "docksim.cli.realtime:realtime", "Run a scenario in step with the clock, against hardware if asked for.",
    ),
    "watch": ("docksim.cli.watch:watch", "Show a paced run as it goes."),
    "hil": ("docksim.cli.hil:hil", "How much delay a test rig may have, and what it does to a contact."),
    "fmu": ("docksim.cli.fmu:fmu", "Export a scenario as an FMU for co-simulation (FMI 2.0)."),
    "about": ("docksim.cli.about:about", "Version, compiled code, folders."),
}  # fmt: skip


class Commands(click.Group):
    """The commands of the table, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(TABLE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in TABLE:
            return None
        module, _, name = TABLE[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, TABLE[name][1]) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=TABLE[name][1]) for name in names), *options]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except NoCompilerError as error:
            raise click.ClickException(str(error)) from None

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As click does it, but for the exit code of what was interrupted, at whatever instant."""
        unheard()
        if not kwargs.setdefault("standalone_mode", True):
            return super().main(*args, **kwargs)
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.ClickException as error:
            # names from files, and what a shell passed on
            told = StringIO()
            error.show(told)
            click.echo(printable(told.getvalue()), err=True, nl=False)
            code = error.exit_code
        except click.Abort:
            code = told_of_abort()
        sys.exit(code)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="docksim")
def main() -> None:
    """Spacecraft docking dynamics, from a scenario file to curves."""
