"""Ask rows one after another; a row that fails is an answer like any other, and none is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from docksim.config.errors import unknown
from docksim.result.result import ResultError
from docksim.simulation.threads import describe
from docksim.validation.bench import Bench, Interrupted
from docksim.validation.row import VERDICTS, Answer, Row

Begun = Callable[[int, Row], None]


class UnknownRow(Exception):
    """A name that no row has; the message suggests one."""


def chosen(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """The rows of these names, in the order of the table; all of them without names."""
    known = [row.name for row in rows]
    for name in names:
        if name not in known:
            raise UnknownRow(unknown("row", name, known))
    return [row for row in rows if not names or row.name in names]


def judged(rows: Sequence[Row], bench: Bench, full: bool, begun: Begun | None = None) -> Iterator[Answer]:
    """The answer of every row as it comes; after an interruption the rest is `not run`."""
    interrupted = False
    for i, row in enumerate(rows):
        size = row.sized(full)
        if interrupted:
            yield Answer(row, size, "not run")
            continue
        if begun is not None:
            begun(i, row)
        try:
            made = row.experiment(bench, row.size(full))
        except (Interrupted, KeyboardInterrupt):
            interrupted = True
            yield Answer(row, size, "not run")
        except ResultError:
            raise
        except Exception as error:
            # an experiment that breaks is a failure that says so
            yield Answer(row, size, "fail", f"the experiment broke: {describe(error)}")
        else:
            yield Answer(row, size, "pass" if made.passes else "fail", made.ours, made.figures, made.curves)


def counts(answers: Sequence[Answer]) -> str:
    """So many passed, failed and were not run, in words."""
    number = Counter(answer.verdict for answer in answers)
    told = [f"{number[verdict]} {verdict}" for verdict in VERDICTS if number[verdict]]
    return f"{len(answers)} {'row' if len(answers) == 1 else 'rows'}: {', '.join(told)}"
