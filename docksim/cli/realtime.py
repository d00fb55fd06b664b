"""docksim realtime: a paced run, with a bridge to a rig if asked for; a bridged run made again from its journal."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import click

from docksim.cli.endpoints import ENDPOINT, check_network
from docksim.cli.interrupt import interruptible, tell_aborted
from docksim.cli.loading import complaints, overrides
from docksim.cli.options import Number, figures_asked, is_given, json_option, run_figures
from docksim.cli.realtime_tables import show_rig
from docksim.cli.run import exit_code
from docksim.cli.saved import saved
from docksim.cli.tables import echo_json, show_run
from docksim.cli.watch import WATCH_PORT
from docksim.config import ScenarioError
from docksim.jobs.again import run_again
from docksim.jobs.batch import Job, RunReport
from docksim.jobs.paced import Keep, Rig, Wish, run_rig
from docksim.jobs.signals import interrupted
from docksim.realtime.bridge import BridgeError, Link
from docksim.realtime.compensation import Path as WrenchPath
from docksim.realtime.inputs import InputError
from docksim.realtime.pacing import Policy
from docksim.realtime.session import Pace, RateError
from docksim.result.result import ResultError

POSITIVE = Number(min=0.0, min_open=True, max=1e9)
NOT_NEGATIVE = Number(min=0.0, max=100.0)

# what means nothing without another option
NEED_BRIDGE = ("peer", "ports", "measured", "motion", "torques", "send", "hold", "on_stale", "lockstep")
NEED_MEASURED = ("rig_delay", "rig_bandwidth", "lead", "passive")
# what --again may be given besides
WITH_AGAIN = ("file", "again", "paced", "watch", "watcher", "open_network", "out", "as_json", "figures", "no_figures")
WITH_CLOCK = ("policy", "priority", "cpu", "spin_us")


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
@click.option("--torque", "torques", multiple=True, metavar="JOINT",
              help="The torque of this joint comes from outside; its angle and rate are told.")  # fmt: skip
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
@json_option
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
        context.exit(_make_again(context, file, options))
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
        click.echo(str(error), err=True)
        context.exit(1)
    except (RateError, InputError) as error:
        raise click.UsageError(f"{file or options['start']}: {error}") from error
    except (ResultError, BridgeError) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        tell_aborted(job.saved)
        context.exit(interrupted())
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


def _note(text: str) -> None:
    click.echo(text, err=True)


def _run(file: str | None, job: Job, options: dict[str, Any]) -> tuple[RunReport, Rig]:
    link = keep = None
    if options["listen"] is not None:
        link = Link(options["listen"], options["peer"], options["hold"], options["on_stale"], _note)
    if options["checkpoint_every"] or options["checkpoint_at"]:
        keep = Keep(options["out"], options["checkpoint_every"], options["checkpoint_at"])
    lag = math.inf if options["rig_bandwidth"] is None else 2.0 * math.pi * options["rig_bandwidth"]
    path = WrenchPath(options["rig_delay"], lag, options["lead"], options["passive"])
    wish = Wish(_pace(options, options["rate"]), link, options["ports"], options["measured"], options["send"],
                options["lockstep"], options["watcher"], path, options["start"], keep,
                motion=options["motion"], torques=options["torques"])  # fmt: skip
    with interruptible(_note) as stop:
        return run_rig(file, job, wish, stop.is_set, _note)


def _pace(options: dict[str, Any], rate_Hz: float) -> Pace:
    policy = cast("Policy", options["policy"])
    return Pace(rate_Hz, policy, options["priority"], options["cpu"], spin_us=options["spin_us"])


def _show(report: RunReport, rig: Rig, as_json: bool, **facts: Any) -> None:
    if as_json:
        echo_json({"runs": [{**report.as_dict(), "realtime": rig.as_dict(), **facts}]})
        return
    show_run(report)
    show_rig(rig)


# ---------------------------------------------------------------- again


def _make_again(context: click.Context, file: str | None, options: dict[str, Any]) -> int:
    """Run, compare, show; the exit code: 0 if all bits are the same."""
    _check_again(context, file, options["paced"])
    job = Job({}, options["out"], options["figures"])
    pace = _pace(options, Pace().rate_Hz) if options["paced"] else None
    try:
        with complaints(), interruptible(_note) as stop:
            folder = saved(Path(options["again"]), "realtime --again")
            report, rig, verdict = run_again(folder, job, pace, options["watcher"], stop.is_set, _note)
    except KeyboardInterrupt:
        tell_aborted(job.saved)
        return interrupted()
    as_json = options["as_json"]
    _show(report, rig, as_json, again=None if verdict is None else verdict.as_dict())
    if verdict is None:
        if not as_json:
            click.echo("not compared: it was ended before its end", err=True)
        return interrupted() if report.outcome == "interrupted" else 1
    if not as_json and verdict.same:
        cut = ", as far as its journal goes" if verdict.full else ""
        click.echo(f"the same bits as {verdict.folder}: {verdict.channels} channels, {verdict.rows} rows{cut}")
    elif not as_json:
        click.echo(f"not the same as {verdict.folder}: {verdict.difference}", err=True)
    return 0 if verdict.same and report.folder is not None else 1


def _check_again(context: click.Context, file: str | None, paced: bool) -> None:
    if file is not None:
        raise click.UsageError("--again takes the scenario from the result folder: leave FILE out")
    for parameter in context.command.params:
        name = parameter.name or ""
        if not is_given(context, name) or name in WITH_AGAIN:
            continue
        if name not in WITH_CLOCK:
            raise click.UsageError(f"--again makes the run as it was; {parameter.opts[0]} cannot change it")
        if not paced:
            raise click.UsageError(f"--again goes without a clock; {parameter.opts[0]} needs --paced")
