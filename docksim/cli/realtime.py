"""docksim realtime: a paced run, with a bridge to a rig if asked for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import click

from docksim.cli.again import make_again
from docksim.cli.endpoints import ENDPOINT, check_network
from docksim.cli.interrupt import interruptible, tell_aborted
from docksim.cli.loading import overrides
from docksim.cli.options import INTERRUPTED, Number, figures_asked, is_given, run_figures
from docksim.cli.realtime_tables import rig_json, show_rig
from docksim.cli.run import exit_code
from docksim.cli.tables import show_run
from docksim.cli.watch import WATCH_PORT
from docksim.config import ScenarioError
from docksim.jobs.batch import Job
from docksim.jobs.paced import Keep, Rig, Wish, run_rig
from docksim.realtime.bridge import BridgeError, Link
from docksim.realtime.compensation import Path as WrenchPath
from docksim.realtime.inputs import InputError
from docksim.realtime.pacing import Policy
from docksim.realtime.session import Pace, RateError
from docksim.result.result import ResultError

POSITIVE = Number(min=0.0, min_open=True, max=1e9)
NOT_NEGATIVE = Number(min=0.0, max=100.0)


# what means nothing without another option
NEED_BRIDGE = ("peer", "ports", "measured", "motion", "send", "hold", "on_stale", "lockstep")
NEED_MEASURED = ("rig_delay", "rig_bandwidth", "lead", "passive")


@click.command(short_help="Run a scenario in step with the clock, against hardware if asked for.")
@click.argument("file", type=click.Path(), required=False)
@click.option("--rate", type=Number(1e-3, 1e6), default=1000.0, show_default=True, help="Cycles per second.")
@click.option("--duration", type=Number(min=0.0, min_open=True), metavar="S", help="Instead of the file's.")
@click.option("--policy", type=click.Choice(("skip", "catch-up", "stop")), default="skip", show_default=True,
              help="A late cycle: fall behind the clock, make up for it, or end.")  # fmt: skip
@click.option("--priority", type=click.IntRange(1, 99), metavar="N", help="Ask for SCHED_FIFO with this priority.")
@click.option("--cpu", type=click.IntRange(min=0), metavar="N", help="Run on this processor only.")
@click.option("--spin-us", type=Number(0.0, 1e6), default=0.0, show_default=True,
              help="End every sleep so much early and wait awake, with the model at hand.")  # fmt: skip
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Change a key of the scenario.")
@click.option("--bridge", "listen", type=ENDPOINT, help="Take and send packets at this port (UDP, loopback).")
@click.option("--peer", type=ENDPOINT, help="Whom to talk to.  [default: who sends the first whole packet]")
@click.option("--open-network", is_flag=True, help="Allow a bridge beyond loopback; packets carry no authentication.")
@click.option("--external", "ports", multiple=True, metavar="PORT", help="Take wrenches at this port of a vehicle.")
@click.option("--measured-contact", "measured", multiple=True, metavar="PAIR",
              help="The contact of this pair comes from outside.")  # fmt: skip
@click.option("--measured-motion", "motion", multiple=True, metavar="FRAME",
              help="The motion of this vehicle or ring comes from outside, or that of all.")  # fmt: skip
@click.option("--send", type=click.Choice(("state", "motion", "contact")), default="state", show_default=True,
              help="What to tell the peer in each cycle.")  # fmt: skip
@click.option("--hold", type=click.IntRange(1, 10**6), default=2, show_default=True,
              help="Periods after which an answer is late and the input stale.")  # fmt: skip
@click.option("--on-stale", type=click.Choice(("hold", "zero", "stop")), default="zero", show_default=True,
              help="An input that is stale: keep it, put it to zero, or end.")  # fmt: skip
@click.option("--lockstep", type=click.Choice(("lead", "follow")), help="No clock: wait for the peer in every cycle.")
@click.option("--rig-delay", type=NOT_NEGATIVE, default=0.0, metavar="S", help="Try out: measured contact comes later.")
@click.option("--rig-bandwidth", type=POSITIVE, metavar="HZ", help="Try out: measured contact lags by first order.")
@click.option("--lead", type=NOT_NEGATIVE, default=0.0, metavar="S", help="Make up for so much delay of the rig.")
@click.option("--passive", is_flag=True, help="Passivity control of measured contact: no bounce gains energy.")
@click.option("--from", "start", type=click.Path(path_type=Path), metavar="CHECKPOINT",
              help="Begin from a checkpoint; FILE may be left out.")  # fmt: skip
@click.option("--checkpoint-every", type=POSITIVE, metavar="S", help="Keep the run every S seconds; not with a bridge.")
@click.option("--checkpoint-at", type=POSITIVE, multiple=True, metavar="S", help="Keep the run at this time.")
@click.option("--watch", is_flag=True, help=f"Show the run in `docksim watch`, at port {WATCH_PORT}.")
@click.option("--watch-at", "watcher", type=ENDPOINT, help="Show it at another port.")
@click.option("--again", type=click.Path(), metavar="RESULT",
              help="Make a bridged run again from what it took from outside; no peer, no clock.")  # fmt: skip
@click.option("--paced", is_flag=True, help="With --again: in step with the clock all the same.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True, help="Folder.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable summary on standard output.")
@run_figures
@click.pass_context
def realtime(context: click.Context, /, file: str | None, assignments: tuple[str, ...], **options: Any) -> None:
    """Run FILE in step with the clock: the model, kernel and result of `docksim run`, a cycle of whole steps a period.

    At the end come the times: jobs and sleeps apart, overruns, late cycles, the worst case, the headroom.
    docs/realtime.md has the packets of the bridge and two small peers.

    \b
    Examples:
    docksim realtime scenarios/dock_nds.yaml --policy catch-up --priority 80 --cpu 1
    docksim realtime scenarios/dock_nds.yaml --bridge 47001 --measured-contact dock
    docksim realtime --watch scenarios/dock_nds.yaml
    docksim realtime --again results/dock_nds/2026-01-31T12-00-00Z
    docksim realtime --from results/dock_nds/checkpoints/.../step-4000.npz --bridge 47001
    """
    if options["watch"] and options["watcher"] is None:
        options["watcher"] = ("127.0.0.1", WATCH_PORT)
    check_network(options["listen"], options["peer"], options["watcher"], options["open_network"])
    options["figures"] = figures_asked(context, options["figures"], options["no_figures"])
    if options["again"] is not None:
        context.exit(make_again(context, file, options))
    if options["paced"]:
        raise click.UsageError("--paced is for --again; any other run is paced")
    _check_needs(context, options)
    _check_checkpoints(file, assignments, options)
    changes = overrides(assignments)
    if options["duration"] is not None:
        changes["solver.duration_s"] = options["duration"]
    job = Job(changes, options["out"], options["figures"], override_origin="--set")
    try:
        report, rig = _run(file, job, options)
    except ScenarioError as error:
        for problem in error.problems:
            click.echo(str(problem), err=True)
        context.exit(1)
    except (RateError, InputError) as error:
        raise click.UsageError(f"{file or options['start']}: {error}") from error
    except (ResultError, BridgeError) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        tell_aborted(job.saved)
        context.exit(INTERRUPTED)
    except OSError as error:
        where = error.filename or file or options["start"]
        raise click.ClickException(f"{where}: {error.strerror or error}") from error
    _show(report, rig, options["as_json"])
    context.exit(exit_code([report]))


def _check_needs(context: click.Context, options: dict[str, Any]) -> None:
    """Options that would do nothing are told."""
    for needed, flag, names in (("listen", "--bridge", NEED_BRIDGE), ("measured", "--measured-contact", NEED_MEASURED)):
        for parameter in context.command.params:
            if not options[needed] and parameter.name in names and is_given(context, parameter.name):
                raise click.UsageError(f"{parameter.opts[0]} does nothing by itself: it needs {flag}")


def _check_checkpoints(file: str | None, assignments: tuple[str, ...], options: dict[str, Any]) -> None:
    if file is None and options["start"] is None:
        raise click.UsageError("Missing argument 'FILE'.")
    if file is None and (assignments or options["duration"] is not None):
        raise click.UsageError("--from goes on with the scenario as it was; --set and --duration cannot change it")
    if options["listen"] is not None and (options["checkpoint_every"] or options["checkpoint_at"]):
        raise click.UsageError("a checkpoint does not hold what comes in by --bridge; --again makes such a run again")


def _run(file: str | None, job: Job, options: dict[str, Any]) -> tuple[Any, Rig]:
    def note(text: str) -> None:
        click.echo(text, err=True)

    link = keep = None
    if options["listen"] is not None:
        link = Link(options["listen"], options["peer"], options["hold"], options["on_stale"], note)
    if options["checkpoint_every"] or options["checkpoint_at"]:
        keep = Keep(options["out"], options["checkpoint_every"], options["checkpoint_at"])
    policy = cast("Policy", options["policy"])
    pace = Pace(options["rate"], policy, options["priority"], options["cpu"], spin_us=options["spin_us"])
    wish = Wish(pace, link, options["ports"], options["measured"], options["send"], options["lockstep"],
                options["watcher"], _path(options), options["start"], keep, motion=options["motion"])  # fmt: skip
    with interruptible(note) as stop:
        return run_rig(file, job, wish, stop.is_set, note)


def _path(options: dict[str, Any]) -> WrenchPath:
    bandwidth = options["rig_bandwidth"]
    turns = math.inf if bandwidth is None else 2.0 * math.pi * bandwidth
    return WrenchPath(options["rig_delay"], turns, options["lead"], options["passive"])


def _show(report: Any, rig: Rig, as_json: bool) -> None:
    if as_json:
        click.echo(rig_json(report, rig))
        return
    show_run(report)
    show_rig(rig)
