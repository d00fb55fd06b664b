"""From text to nodes of YAML, or to a fault at the line where it was made.

Nothing is executed: tags are refused, and only nodes are made. What is too large or nested too deeply is refused while
it is read. PyYAML notices an unclosed quote or bracket, a missing colon or a wrong indentation where the text stops
making sense, often lines on. So likely causes are mended on trial: the one whose mending takes the fault away, or moves
it on, is told, at its line.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from docksim.config.errors import Problem, ScenarioError, shown

MOST_VALUES = 200_000
DEEPEST = 40
TOO_DEEP = f"nested more than {DEEPEST} levels deep"
TOO_MANY = f"expands to more than {MOST_VALUES} values; too many aliases, or data too large for a scenario"
# a cause is looked for as long as few characters are read again; composing 200,000 takes a second
MOST_TRIED = 40
MOST_READ = 600_000
CLOSERS = {"[": "]", "{": "}"}
_KEY_ALONE = re.compile(r"\s*(?:- )?([A-Za-z_][\w.]*)(?=\s|$)")


class _TooDeep(yaml.MarkedYAMLError):
    """Nodes within nodes without end."""


class _TooMany(yaml.MarkedYAMLError):
    """More nodes than a scenario may have."""


class _Composer(yaml.SafeLoader):
    """Nodes only, and no tags: a tag is how YAML asks for objects."""

    depth = count = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()
        if getattr(event, "tag", None) is not None:
            raise yaml.composer.ComposerError(
                None, None, f"tags such as {event.tag!r} are not supported", event.start_mark
            )
        self.depth += 1
        self.count += 1
        # keys are nodes, too; what is just too deep has its own message, with its key
        if self.depth > 2 * DEEPEST:
            raise _TooDeep(problem_mark=event.start_mark)
        if self.count > 2 * MOST_VALUES:
            raise _TooMany(problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


@functools.lru_cache(maxsize=64)
def compose(text: str, file: str) -> yaml.Node | None:
    """The node tree of a text, which is only read; a syntax error becomes a ScenarioError with its line.

    The latest ones are kept: scenarios share what they `use`, and composing is most of loading.
    """
    _refuse_floods(text, file)
    try:
        return _composed(text)
    except _TooDeep as error:
        raise _problem(file, _line(error), TOO_DEEP) from None
    except _TooMany as error:
        raise _problem(file, _line(error), TOO_MANY) from None
    except yaml.MarkedYAMLError as error:
        cause = _cause(text, error)
        if cause is not None:
            raise _problem(file, cause.line + 1, f"YAML syntax: {cause.words}") from None
        raise _problem(file, _line(error), _syntax_message(error)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _problem(file, line, f"character U+{error.character:04X} is not allowed in YAML text") from None
    except _Unmarked as error:
        raise _problem(file, error.line, error.text) from None


class _Unmarked(Exception):
    """A fault that PyYAML raises without a mark."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line, self.text = line, text


def _composed(text: str) -> yaml.Node | None:
    loader = _Composer(text)
    try:
        node: yaml.Node | None = loader.get_single_node()
        return node
    except RecursionError:
        raise _Unmarked(loader.line + 1, TOO_DEEP) from None
    except (ValueError, OverflowError, IndexError) as error:
        raise _Unmarked(loader.line + 1, f"not valid YAML: {error}") from None
    finally:
        loader.dispose()


def _refuse_floods(text: str, file: str) -> None:
    """More separators than values may be: known before anything is read."""
    if text.count(",") + text.count("\n") <= MOST_VALUES:
        return
    places = (i for i, letter in enumerate(text) if letter in ",\n")
    last = next(place for number, place in enumerate(places) if number == MOST_VALUES)
    raise _problem(file, text.count("\n", 0, last) + 1, TOO_MANY)


def _problem(file: str, line: int | None, message: str) -> ScenarioError:
    return ScenarioError([Problem(file, line, "", message)])


def _line(error: yaml.MarkedYAMLError) -> int | None:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark is not None else None


def _syntax_message(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or error.context or "cannot be read"
    if "'\\t'" in problem:
        return "YAML syntax: a tab where only spaces may stand; indent with spaces"
    if "found another document" in problem:
        return "YAML syntax: a second document starts here; a scenario is one document, without '---' inside"
    if "mapping values are not allowed" in problem:
        return (
            f"YAML syntax: {problem}; text with ': ' in it needs quotes, and the keys of a mapping the same indentation"
        )
    return f"YAML syntax: {problem}"


# ---------------------------------------------------------------- what is wrong before it is noticed


@dataclass(frozen=True)
class _Cause:
    """What may be wrong in a line, counted from 0, and a line that would do in place of another."""

    line: int
    words: str
    mended: int
    by: str


@dataclass(frozen=True)
class _Scan:
    """What a line leaves open: the quote, the brackets before it; and where its comment begins."""

    quote: str
    brackets: str
    code: int


def _cause(text: str, error: yaml.MarkedYAMLError) -> _Cause | None:
    """The first guess with which the fault goes away or moves on."""
    lines = text.splitlines()
    last = min(error.problem_mark.line if error.problem_mark is not None else len(lines), len(lines) - 1)
    guesses = (*_quotes(lines, last), *_brackets(lines, last, error), *_colons(lines, last), *_indents(lines, last))
    for guess in guesses[: min(MOST_TRIED, MOST_READ // max(1, len(text)))]:
        if _reaches([*lines[: guess.mended], guess.by, *lines[guess.mended + 1 :]]) > last:
            return guess
    return None


def _reaches(lines: list[str]) -> int:
    """The line of the first fault, counted from 0; beyond the last if there is none."""
    try:
        _composed("\n".join(lines) + "\n")
    except yaml.MarkedYAMLError as error:
        return (_line(error) or 1) - 1
    except (yaml.reader.ReaderError, _Unmarked):
        return -1
    return len(lines) + 1


def _quotes(lines: list[str], last: int) -> Iterator[_Cause]:
    for i in range(last + 1):
        scan = _scan(lines[i])
        closers = "".join(CLOSERS[mark] for mark in reversed(scan.brackets))
        for end in dict.fromkeys((scan.quote, scan.quote + closers)) if scan.quote else ():
            yield _Cause(i, f"the quote {scan.quote} is not closed", i, lines[i] + end)


def _brackets(lines: list[str], last: int, error: yaml.MarkedYAMLError) -> Iterator[_Cause]:
    """The innermost one that was open where the fault was noticed, closed on its line or on one after."""
    opened = error.context_mark
    if opened is None or "flow" not in (error.context or "") or opened.line > last:
        return
    mark = lines[opened.line][opened.column : opened.column + 1]
    for i in range(opened.line, min(last + 1, opened.line + MOST_TRIED // 2)) if mark in CLOSERS else ():
        code = _scan(lines[i]).code
        by = lines[i][:code] + CLOSERS[mark] + lines[i][code:]
        yield _Cause(opened.line, f"the bracket {mark} is not closed", i, by)


def _colons(lines: list[str], last: int) -> Iterator[_Cause]:
    """A key without its colon, among the last lines that are no comments."""
    code = [i for i in range(last, -1, -1) if lines[i].strip() and not lines[i].lstrip().startswith("#")]
    for i in code[:3]:
        key = _KEY_ALONE.match(lines[i])
        if key:
            by = f"{lines[i][: key.end(1)]}:{lines[i][key.end(1) :]}"
            yield _Cause(i, f"no ':' after the key {shown(key[1])}", i, by)


def _indents(lines: list[str], last: int) -> Iterator[_Cause]:
    """A line set in by an odd number of spaces, the last ones first."""
    for i in range(last, -1, -1):
        spaces = len(lines[i]) - len(lines[i].lstrip(" "))
        if spaces % 2 and lines[i].strip() and not lines[i].lstrip().startswith("#"):
            words = f"set in by {spaces} spaces, unlike the lines around it"
            yield _Cause(i, words, i, lines[i][1:])
            yield _Cause(i, words, i, " " + lines[i])


def _scan(line: str) -> _Scan:
    """A line by itself: a quote begins a text only where a value may begin, a comment only after a space."""
    quote, brackets, before = "", "", " "
    i = 0
    while i < len(line):
        letter = line[i]
        if quote:
            if (letter == "\\" and quote == '"') or (letter == quote and line[i + 1 : i + 2] == quote == "'"):
                i += 1
            elif letter == quote:
                quote = ""
        elif letter == "#" and before in " \t":
            return _Scan("", brackets, len(line[:i].rstrip()))
        elif letter in "'\"" and _value_may_begin(line[:i]):
            quote = letter
        elif letter in CLOSERS:
            brackets += letter
        elif brackets and letter == CLOSERS[brackets[-1]]:
            brackets = brackets[:-1]
        before = letter
        i += 1
    return _Scan(quote, brackets, len(line.rstrip()))


def _value_may_begin(before: str) -> bool:
    stripped = before.rstrip()
    return not stripped or stripped[-1] in ",[{" or (before != stripped and stripped[-1] in ":-?")
