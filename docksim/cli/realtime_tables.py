"""Times and packets of a paced run as tables."""

from __future__ import annotations

import click
from rich import box
from rich.table import Table

from docksim.cli.tables import print_table
from docksim.jobs.paced import Rig
from docksim.realtime.timing import Timing, Worst

WORDS = {
    "received": "received",
    "size": "refused: too short or too long",
    "magic": "refused: not of docksim",
    "version": "refused: of another version",
    "type": "refused: of no known type",
    "length": "refused: length does not fit",
    "crc": "refused: damaged (CRC)",
    "foreign": "refused: not from the peer",
    "reordered": "refused: older than one taken, or the same",
    "late": "refused: answer came too late",
    "payload": "refused: payload does not fit, has too many entries, or two for one thing",
    "index": "refused: no such port, pair, frame or command",
    "name": "refused: no such name",
    "value": "refused: number not finite or out of range",
    "joined": "refused: motion of a vehicle that is joined",
    "held": "refused: motion of a ring that is locked elsewhere",
    "reach": "refused: motion of a ring that a leg cannot follow",
    "unasked": "refused: nothing to be done with it",
    "stale": "times the input went stale",
    "network": "answers of the network: nobody there",
    "unsent": "could not be sent",
}


def show_rig(rig: Rig) -> None:
    """Times, then what the system granted, then packets."""
    if rig.free:
        click.echo(f"{rig.free}: {rig.paced.timing.cycles} cycles, no deadlines")
    else:
        print_table(_spreads(rig.paced.timing))
        print_table(_counts(rig.paced.timing))
        for line in rig.paced.granted:
            click.echo(f"  {line}")
    if rig.followed:
        click.echo("motion came from outside: the budgets of energy and momentum of this run are open")
    if rig.counts or rig.journal is not None:
        counts = {"received": 0, **rig.counts}
        table = _table("packets")
        for key, count in sorted(counts.items(), key=lambda item: list(WORDS).index(item[0])):
            nothing = ": nothing came" if (key, count) == ("received", 0) else ""
            table.add_row(WORDS[key] + nothing, str(count))
        for periods, count in sorted(rig.round_trips.items()):
            table.add_row(f"answered after {periods} periods", str(count))
        print_table(table)


def _table(title: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_header=False, title=title, title_justify="left", title_style="bold")
    table.add_column(no_wrap=True)
    table.add_column(justify="right")
    return table


def _spreads(timing: Timing) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="times of a cycle, us", title_justify="left", title_style="bold")
    for i, name in enumerate(("", "median", "99 %", "99.9 %", "99.99 %", "worst", "median of period")):
        table.add_column(name, justify="right" if i else "left")
    for name, spread in (("job", timing.job), ("sleep overshoot", timing.overshoot)):
        values = (spread.median_us, spread.p99_us, spread.p99_9_us, spread.p99_99_us, spread.max_us)
        table.add_row(name, *(f"{value:.1f}" for value in values), f"{spread.median_us / timing.period_us:.2%}")
    return table


def _where(worst: Worst) -> str:
    return f"{abs(worst.us):.1f} us at t = {worst.time_s:.6g} s, phase {worst.phase}"


def _counts(timing: Timing) -> Table:
    table = _table(f"{timing.cycles} cycles of {timing.period_us:g} us, policy {timing.policy}")
    table.add_row("overruns: jobs longer than the period", str(timing.overruns))
    table.add_row("late cycles: done after the next deadline", str(timing.late))
    if timing.policy == "skip":
        table.add_row("periods skipped", str(timing.skipped))
    table.add_row("simulated time behind the clock at the end", f"{timing.behind_us / 1e3:.3f} ms")
    table.add_row("worst job", _where(timing.worst_job))
    table.add_row("worst sleep overshoot", _where(timing.worst_overshoot))
    late = timing.worst_lateness
    name = "worst lateness after the next deadline" if late.us > 0.0 else "nearest to the next deadline, before it"
    table.add_row(name, _where(late))
    table.add_row("headroom: period over median and over worst job",
                  f"{timing.headroom_median:.1f}, {timing.headroom_worst:.2f}")  # fmt: skip
    return table
