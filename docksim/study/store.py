"""The file of a study: one SQLite database, one row a case, written as cases finish.

    about       key, value: format, the study and its base scenario fully resolved, names, versions
    cases       n (the case), outcome, reason, success, missed, "input.<key>" ..., "metric.<name>" ...
    timing      n, wall_s, session: what depends on the machine, apart from the table of cases
    sessions    session, begun, versions, workers: every start of the study on this file

A row that was reported is on disk: every commit is forced out before it returns (WAL journal, synchronous FULL), and a
process that dies at any moment leaves the rows before it whole. NaN has no place in SQLite and becomes null. A second
process on the same file is refused by a lock that ends with its holder. Errors are one clear line.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from docksim.config.errors import printable, shown
from docksim.files.writing import folder_for, write_bytes
from docksim.result.arrays import write_text
from docksim.result.files import plain
from docksim.result.reading import UNREADABLE, a_count, a_word, fault, from_json
from docksim.result.result import ResultError
from docksim.study.case import Row

FORMAT = 2
FILE = "study.sqlite"
ABOUT_TABLE = "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
SAMPLE = "study"  # the kind of a file whose cases are those of the plan
MOST_COLUMNS = 1900
HEAD = ("n", "outcome", "reason", "success", "missed")  # the columns that every table has
HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)  # by another process
BESIDE = ("-journal", "-wal", "-shm")  # endings of what SQLite keeps beside a database
BETWEEN = "; "  # two things that a case missed
Answer = TypeVar("Answer")


@contextmanager
def readable(file: Path) -> Iterator[None]:
    """Full disk, missing permission, a damaged file: one clear line."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
        raise ResultError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Only one process at a time runs a study; the lock lies beside the file and ends with the process."""
    lock = file.with_name(f"{file.name}.lock")
    with readable(lock), folder_for(lock):
        _refuse_link(lock)
        connection = _locking(file, lock)
    with closing(connection):
        yield


def _refuse_link(file: Path) -> None:
    """SQLite would write through it."""
    if file.is_symlink():
        raise ResultError(f"{file}: a link, which no docksim made; remove it")


def _locking(file: Path, lock: Path) -> sqlite3.Connection:
    new = not lock.exists()
    connection = sqlite3.connect(lock, isolation_level=None, timeout=0.0)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        connection.close()
        if new and error.sqlite_errorcode & 0xFF not in HELD:
            lock.unlink(missing_ok=True)
        raise ResultError(_why_not_locked(file, lock, error)) from None
    return connection


def _why_not_locked(file: Path, lock: Path, error: sqlite3.Error) -> str:
    code = error.sqlite_errorcode & 0xFF  # less what SQLite adds to it
    if code in HELD:
        return f"{file}: another process is running this study"
    if code == sqlite3.SQLITE_NOTADB:
        return f"{lock}: not the lock of a study, it has some other content; remove it if nothing needs it"
    return f"{lock}: cannot be locked: {error}"


def save_json(file: Path, content: dict[str, Any]) -> None:
    """An answer beside the table, all or nothing."""
    write_text(file, json.dumps(plain(content), indent=1) + "\n")


@dataclass(frozen=True)
class Columns:
    """What the table holds beside case, outcome, reason, success and what was missed."""

    inputs: tuple[str, ...]
    metrics: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return [f"input.{key}" for key in self.inputs] + [f"metric.{name}" for name in self.metrics]


class Store:
    """An open study file."""

    def __init__(self, file: Path, connection: sqlite3.Connection, columns: Columns) -> None:
        self.file = file
        self.connection = connection
        self.columns = columns
        self.session = 0

    @classmethod
    def create(cls, file: Path, columns: Columns, about: dict[str, Any]) -> Store:
        """A new file, complete or not there."""
        if len(columns.names) > MOST_COLUMNS:
            raise ResultError(f"{file}: {len(columns.names)} columns, at most {MOST_COLUMNS}; keep fewer metrics")
        facts = {"format": FORMAT, "inputs": columns.inputs, "metrics": columns.metrics, **about}
        rows = [(key, json.dumps(value)) for key, value in facts.items()]
        with readable(file), closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            for statement in _tables(columns):
                connection.execute(statement)
            connection.executemany("INSERT INTO about VALUES (?, ?)", rows)
            write_bytes(file, connection.serialize(), replace=False)
            _force_name(file.parent)
        return cls.open(file)

    @classmethod
    def open(cls, file: Path, read_only: bool = False) -> Store:
        """An existing file; ResultError if it is none, or of another format."""
        if not file.is_file():
            raise ResultError(f"{file}: no such study")
        for ending in BESIDE:
            _refuse_link(file.with_name(file.name + ending))
        mode = "ro" if read_only else "rw"
        with readable(file):
            connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
            try:
                _refuse_other_things(connection)
                about = _about(connection)
            except (sqlite3.Error, *UNREADABLE) as error:
                connection.close()
                raise ResultError(f"{file}: not a study of docksim: {error}") from error
            if not read_only:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=FULL")
        if about.get("format") != FORMAT:
            connection.close()
            old = "; an older docksim made it and judged success otherwise, run it again"
            text = f"study format {shown(about.get('format'))}, this docksim reads format {FORMAT}"
            raise ResultError(f"{file}: {text}{old if about.get('format') == 1 else ''}")
        try:
            columns = _checked_columns(connection, about)
        except (sqlite3.Error, *UNREADABLE) as error:
            connection.close()
            raise ResultError(f"{file}: damaged: the table and what it says about itself do not agree") from error
        return cls(file, connection, columns)

    def close(self) -> None:
        """Leave one plain file, if nobody else is reading it."""
        try:
            self.connection.execute("PRAGMA busy_timeout=0")
            self.connection.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error:
            pass  # a reader, or a full disk: the journal stays beside the file, nothing is lost
        self.connection.close()

    def about(self) -> dict[str, Any]:
        return self._ask(_about)

    def amend(self, key: str, value: Any) -> None:
        """Change an entry of `about`."""
        update = "UPDATE about SET value = ? WHERE key = ?"
        self._ask(lambda connection: connection.execute(update, [json.dumps(value), key]))

    def forget(self, outcome: str) -> None:
        """Take out the rows of an outcome, so that their cases are run again."""

        def remove(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("DELETE FROM timing WHERE n IN (SELECT n FROM cases WHERE outcome = ?)", [outcome])
                connection.execute("DELETE FROM cases WHERE outcome = ?", [outcome])

        self._ask(remove)

    def begin_session(self, facts: dict[str, Any]) -> None:
        """Note a start of the study; rows written from now on carry its number in the table of timings."""
        insert = "INSERT INTO sessions (begun, facts) VALUES (datetime('now'), ?)"
        cursor = self._ask(lambda connection: connection.execute(insert, [json.dumps(facts)]))
        self.session = int(cursor.lastrowid or 0)

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows, all or none; when this returns, they outlive the machine."""
        wide = "INSERT INTO cases VALUES (" + ", ".join("?" * (len(HEAD) + len(self.columns.names))) + ")"

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            try:
                for row in rows:
                    head = (row.case, row.outcome, row.reason, int(row.success), BETWEEN.join(row.missed))
                    connection.execute(wide, (*head, *map(_cell, row.values), *map(_cell, row.metrics)))
                times = [(row.case, row.wall_s, self.session) for row in rows]
                connection.executemany("INSERT INTO timing VALUES (?, ?, ?)", times)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

        if rows:
            self._ask(insert)

    def done(self) -> set[int]:
        """The cases that have a row."""
        return {int(case) for (case,) in self._rows("SELECT n FROM cases")}

    def verdicts(self) -> dict[int, bool]:
        """Which cases succeeded, of those that have a row."""
        return {int(case): bool(success) for case, success in self._rows("SELECT n, success FROM cases")}

    def metric(self, name: str, first: int, last: int) -> dict[int, float | None]:
        """A metric of those cases between two numbers that have a row."""
        query = f"SELECT n, {_quoted(f'metric.{name}')} FROM cases WHERE n BETWEEN ? AND ?"
        return dict(self._rows(query, first, last))

    def invalid(self, first: int, last: int) -> tuple[int, str] | None:
        """The first case between two numbers that was no valid scenario, and why."""
        query = "SELECT n, reason FROM cases WHERE outcome = 'invalid' AND n BETWEEN ? AND ? ORDER BY n LIMIT 1"
        return next(iter(self._rows(query, first, last)), None)

    def inputs(self, case: int) -> dict[str, Any] | None:
        """The values of a case's keys; None if it has no row."""
        for row in self._rows("SELECT * FROM cases WHERE n = ?", case):
            return dict(zip(self.columns.inputs, row[len(HEAD) :], strict=False))
        return None

    def verdict(self, case: int) -> tuple[str, tuple[str, ...]]:
        """The outcome of a case that has a row, and what it missed."""
        ((outcome, missed),) = self._rows("SELECT outcome, missed FROM cases WHERE n = ?", case)
        return printable(outcome), tuple(printable(missed).split(BETWEEN)) if missed else ()

    def outcomes(self) -> dict[int, str]:
        """The outcome of every case that has a row."""
        return {int(case): printable(outcome) for case, outcome in self._rows("SELECT n, outcome FROM cases")}

    def successes(self, up_to: int | None = None) -> tuple[int, int]:
        """How many succeeded of how many cases, of all or of those numbered up to a limit."""
        query = "SELECT coalesce(sum(success), 0), count(*) FROM cases WHERE n <= ?"
        ((won, total),) = self._rows(query, 2**62 if up_to is None else up_to)
        return int(won), int(total)

    def table(self) -> list[tuple[Any, ...]]:
        """All rows in the order of their cases; words can be printed."""
        return [tuple(map(_plain, row)) for row in self._rows("SELECT * FROM cases ORDER BY n")]

    def sessions(self) -> list[dict[str, Any]]:
        """What every start of the study ran on."""
        told = self._rows("SELECT facts FROM sessions ORDER BY session")
        return [checked(self.file, facts, _mapping) for (facts,) in told]

    def timing(self) -> list[tuple[int, float, int]]:
        return self._rows("SELECT * FROM timing ORDER BY n")

    def digest(self) -> str:
        """A hash of the table of cases, bit for bit."""
        digest = hashlib.sha256("\0".join(self.columns.names).encode())
        for row in self.table():
            for value in row:
                is_float = isinstance(value, float)
                bits = b"f" + struct.pack("<d", value) if is_float else f"{type(value).__name__}{value!r}\0".encode()
                digest.update(bits)
        return digest.hexdigest()

    def _rows(self, query: str, *arguments: Any) -> list[Any]:
        """All rows of an answer; reading them can fail as much as asking."""
        return self._ask(lambda connection: connection.execute(query, arguments).fetchall())

    def _ask(self, question: Callable[[sqlite3.Connection], Answer]) -> Answer:
        with readable(self.file):
            return question(self.connection)


def _force_name(folder: Path) -> None:
    """A new name is safe only when its folder is on disk, too (where a folder can be opened)."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _refuse_other_things(connection: sqlite3.Connection) -> None:
    """ValueError if reading would do more than read: views and triggers run what their maker wrote."""
    kinds = {kind for (kind,) in connection.execute("SELECT type FROM sqlite_master WHERE sql IS NOT NULL")}
    if not kinds <= {"table"} or ABOUT_TABLE not in _made_by(connection):
        raise ValueError("it has other tables, or more than tables")


def _made_by(connection: sqlite3.Connection) -> set[str]:
    """The statements that made what is in a file."""
    return {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}


def _tables(columns: Columns) -> Iterator[str]:
    wide = ", ".join(_quoted(name) for name in columns.names)
    yield ABOUT_TABLE
    head = "n INTEGER PRIMARY KEY, outcome TEXT NOT NULL, reason TEXT NOT NULL"
    verdict = "success INTEGER NOT NULL, missed TEXT NOT NULL"
    yield f"CREATE TABLE cases ({head}, {verdict}{', ' if wide else ''}{wide})"
    yield "CREATE TABLE timing (n INTEGER PRIMARY KEY, wall_s REAL NOT NULL, session INTEGER NOT NULL)"
    yield "CREATE TABLE sessions (session INTEGER PRIMARY KEY, begun TEXT NOT NULL, facts TEXT NOT NULL)"


def _checked_columns(connection: sqlite3.Connection, about: dict[str, Any]) -> Columns:
    """What the table holds by its own account; ValueError if it holds something else."""
    columns = Columns(_words(about, "inputs"), _words(about, "metrics"))
    if _made_by(connection) != set(_tables(columns)):
        raise ValueError("other columns")
    return columns


def _plain(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _about(connection: sqlite3.Connection) -> dict[str, Any]:
    about = {key: from_json(value) for key, value in connection.execute("SELECT key, value FROM about")}
    if about.get("format") == FORMAT:
        _mapping(about["study"])
        a_word("base", about["base"])
        a_count("cases", about["cases"])
        a_word("kind", about.get("kind", SAMPLE))
    return about


def _words(about: dict[str, Any], key: str) -> tuple[str, ...]:
    if not isinstance(about[key], list):
        raise ValueError(f"{key}: expected a list")
    return tuple(a_word(key, word) for word in about[key])


def _mapping(content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise ValueError(f"expected a mapping, got {shown(content)}")
    return content


def checked(file: Path, text: str, build: Callable[[Any], Answer]) -> Answer:
    """Something built from JSON that a study holds."""
    try:
        return build(from_json(text))
    except UNREADABLE as error:
        raise fault(file, error) from error


def _cell(value: Any) -> Any:
    """What SQLite can hold: its whole numbers have 64 bits."""
    return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value
