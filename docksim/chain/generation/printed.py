"""Equations of motion in print: as text that any program with ^ for powers reads, and as LaTeX.

    A q'' + b = Q      b_i = g_i + sum over j, k of C_ijk v_j v_k + what the joints add

Everything is a line NAME = VALUE, in an order in which it can be evaluated: base parameters with the file's values,
figures of the joints, sines and cosines, then A, weights g, Christoffel symbols C and b. A long line goes on in the
next, one base parameter a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from docksim.chain.generation.trigonometric import Angle, Equations, Factor, Sum, Term
from docksim.chain.identification.regressor import inertial_parameters

FORMATS = ("text", "latex")
WIDTH = {"text": 110, "latex": 130}  # characters of a line before it goes on in the next
Entry = tuple[str, list[str]]  # name, and the lines of its value


class _Text:
    """How names and products look in plain text."""

    times, power, deeper = "*", "{}^{}", "    "

    def __init__(self, joints: int) -> None:
        # digits side by side say which joints, as long as each has one
        self.between = "" if joints < 10 else "_"

    def indexed(self, letter: str, *joints: int) -> str:
        return letter + self.between.join(str(joint + 1) for joint in joints)

    def parameter(self, name: str) -> str:
        return name

    def angle(self, kind: str, angle: Angle) -> str:
        """c223 for cos(2 q2 + q3); m for minus."""
        parts = [f"{'m' if n < 0 else ''}{k + 1}" for k, n in angle for _ in range(abs(n))]
        return kind + self.between.join(parts)

    def called(self, kind: str, words: str) -> str:
        return f"{'cos' if kind == 'c' else 'sin'}({words})"

    def sign(self, words: str) -> str:
        return f"sign({words})"

    def number(self, value: float, digits: int) -> str:
        return f"{value:.{digits}g}"

    def said(self, number: str, unit: str, meaning: str) -> str:
        """A figure with its unit and what it stands for."""
        return f"{number}  # {unit}: {meaning}"

    def lines(self, title: str, entries: Iterable[Entry]) -> Iterator[str]:
        made = ["\n    ".join([f"{name} = {lines[0]}", *lines[1:]]) for name, lines in entries]
        if made:
            yield "\n".join([f"# {title}", *made])

    def note(self, words: str) -> str:
        return "\n".join(f"# {line}".rstrip() for line in words.splitlines())


class _Latex(_Text):
    """The same in LaTeX; needs amsmath."""

    times, power, deeper = r" \, ", "{}^{{{}}}", r"\quad "

    def indexed(self, letter: str, *joints: int) -> str:
        between = "" if not self.between else ","
        return f"{letter}_{{{between.join(str(joint + 1) for joint in joints)}}}"

    def parameter(self, name: str) -> str:
        return f"{name[0]}_{{{name[1:]}}}"

    def angle(self, kind: str, angle: Angle) -> str:
        if kind == "q":
            return f"q_{{{angle[0][0] + 1}}}"
        between = "" if not self.between else ","
        parts = [f"{'-' if n < 0 else ''}{k + 1}" for k, n in angle for _ in range(abs(n))]
        return f"{kind}_{{{between.join(parts)}}}"

    def called(self, kind: str, words: str) -> str:
        return rf"\{'cos' if kind == 'c' else 'sin'}({words})"

    def sign(self, words: str) -> str:
        return rf"\operatorname{{sign}}({words})"

    def number(self, value: float, digits: int) -> str:
        mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa

    def said(self, number: str, unit: str, meaning: str) -> str:
        meaning = re.sub(r"\b(I[x-z]{2}|S[x-z]|m)(\d+)\b", lambda at: self.parameter(at.group()), meaning)
        return rf"{number} \quad \text{{{unit.replace('m2', 'm$^2$')}}}; \; {meaning}"

    def lines(self, title: str, entries: Iterable[Entry]) -> Iterator[str]:
        made = [" \\\\\n    &\\quad ".join([f"{name} &= {lines[0]}", *lines[1:]]) for name, lines in entries]
        if made:
            body = " \\\\\n".join(made)
            yield f"\\paragraph{{{title}}}\n\\allowdisplaybreaks\n\\begin{{align*}}\n{body}\n\\end{{align*}}"

    def note(self, words: str) -> str:
        return "\n".join(f"% {line}".rstrip() for line in words.splitlines())


def printed(equations: Equations, to: str = "text", digits: int = 15, nonzero: bool = False) -> str:
    """The equations in one of the FORMATS, numbers to so many digits.

    With `nonzero` without the base parameters that the masses of the file make zero.
    """
    if to not in FORMATS:
        raise ValueError(f"no format {to!r}; choose one of {', '.join(FORMATS)}")
    words = _Latex(equations.chain.n) if to == "latex" else _Text(equations.chain.n)
    return _Printer(equations, words, digits, nonzero, WIDTH[to]).whole()


class _Printer:
    def __init__(self, equations: Equations, words: _Text, digits: int, nonzero: bool, width: int) -> None:
        self.words, self.digits, self.width = words, digits, width
        self.chain, self.base = equations.chain, equations.base
        self.n = equations.chain.n
        self.values = equations.base.values(inertial_parameters(equations.chain))
        self.equations = equations.without(self.values == 0.0) if nonzero else equations
        self.shown = [r for r, value in enumerate(self.values) if value or not nonzero]

    def whole(self) -> str:
        words = self.words
        parts = [
            words.note(self._preface()),
            *words.lines("Base parameters", self._parameters()),
            *words.lines("Joints", self._devices()),
            *words.lines("Sines and cosines", self._abbreviations()),
            *words.lines("Inertia matrix", self._matrix()),
            *words.lines("Weights", self._sums("g", [((i,), one) for i, one in self.equations.weights.items()])),
            *words.lines("Christoffel symbols", self._sums("C", self.equations.christoffel.items())),
            *words.lines(
                "Forces without accelerations", ((words.indexed("b", i), self._bias(i)) for i in range(self.n))
            ),
        ]
        return "\n\n".join(parts) + "\n"

    def _preface(self) -> str:
        links = ", ".join(f"{k + 1} {' '.join(name.split())}" for k, name in enumerate(self.chain.names))
        units = ", ".join(self.chain.units)
        return (
            f"Equations of motion A q'' + b = Q of the links {links}.\n"
            f"Coordinates q ({units}), rates v; A is symmetric, A and C not named are zero, C_ijk = C_ikj.\n"
            "Lengths in metres. Ixx2 is the integral of x^2 dm of link 2 (Ixy2 of x y dm), Sx2 its first moment, m2\n"
            "its mass, in the frame of the file's masses. A base parameter has the name of its first term; the rest\n"
            "cannot be told from it."
        )

    # ------------------------------------------------------------ figures

    def _parameters(self) -> Iterator[Entry]:
        meanings = self.base.expressions(digits=6)
        for r in self.shown:
            name, unit, meaning = self.base.names[r], self.base.units[r], meanings[r]
            number = self._number(float(self.values[r]))
            yield self.words.parameter(name), [self.words.said(number, unit, meaning)]

    def _devices(self) -> Iterator[Entry]:
        chain = self.chain
        for letter, values in (
            ("J", chain.rotor), ("k", chain.stiffness), ("r", np.where(chain.stiffness, chain.rest, 0.0)),
            ("h", chain.damping), ("f", chain.friction),
        ):  # fmt: skip
            for k in np.flatnonzero(values):
                yield self.words.indexed(letter, int(k)), [self._number(float(values[k]))]

    def _abbreviations(self) -> Iterator[Entry]:
        equations = self.equations
        sums = [*equations.A.values(), *equations.weights.values(), *equations.christoffel.values()]
        factors = {(kind, angle) for one in sums for term in one for kind, angle, _ in term if kind != "d"}
        for kind, angle in sorted(factors, key=lambda one: (one[1], one[0])):
            yield self.words.angle(kind, angle), [self.words.called(kind, self._angle(angle))]

    def _angle(self, angle: Angle) -> str:
        text = ""
        for k, n in angle:
            size = "" if abs(n) == 1 else f"{abs(n)}{self.words.times}"
            sign = (" - " if n < 0 else " + ") if text else "-" if n < 0 else ""
            text += f"{sign}{size}{self.words.angle('q', ((k, 1),))}"
        return text

    # ------------------------------------------------------------ sums

    def _matrix(self) -> Iterator[Entry]:
        for i in range(self.n):
            for j in range(i, self.n):
                lines = self._sum(self.equations.A.get((i, j), {}))
                if i == j and self.chain.rotor[i]:
                    lines.append(("+ " if lines else "") + self.words.indexed("J", i))
                if lines:
                    yield self.words.indexed("A", i, j), lines

    def _sums(self, letter: str, sums: Iterable[tuple[tuple[int, ...], Sum]]) -> Iterator[Entry]:
        for at, one in sums:
            yield self.words.indexed(letter, *at), self._sum(one)

    def _sum(self, entry: Sum) -> list[str]:
        """A line for each base parameter: its sines and cosines."""
        lines = []
        for r, name in enumerate(self.base.names):
            terms = [(float(values[r]), term) for term, values in sorted(entry.items()) if values[r]]
            if terms:
                lines.append(self._share(self.words.parameter(name), terms))
        return [part for line in _signed(lines) for part in self._folded(line)]

    def _folded(self, line: str) -> Iterator[str]:
        """A long line in several, broken before a sign."""
        while len(line) > self.width:
            at = max(line.rfind(" + ", 4, self.width), line.rfind(" - ", 4, self.width))
            if at < 0:
                break
            yield line[:at]
            line = self.words.deeper + line[at + 1 :]
        yield line

    def _share(self, parameter: str, terms: list[tuple[float, Term]]) -> str:
        if len(terms) == 1:
            return self._product(terms[0][0], parameter, terms[0][1])
        inside = " ".join(_signed([self._product(value, "", term) for value, term in terms]))
        return f"{parameter}{self.words.times}({inside})"

    def _product(self, value: float, parameter: str, term: Term) -> str:
        number = "" if abs(abs(value) - 1.0) < 1e-15 else self._number(abs(value))
        factors = [part for part in (number, parameter, *map(self._factor, term)) if part]
        return ("-" if value < 0.0 else "") + (self.words.times.join(factors) or "1")

    def _factor(self, factor: Factor) -> str:
        kind, angle, power = factor
        name = self.words.angle("q" if kind == "d" else kind, angle)
        return name if power == 1 else self.words.power.format(name, power)

    def _bias(self, i: int) -> list[str]:
        words, times, chain = self.words, self.words.times, self.chain
        rate = [words.indexed("v", k) for k in range(self.n)]
        lines = [words.indexed("g", i)] if i in self.equations.weights else []
        for a, j, k in self.equations.christoffel:
            if a == i:
                symbol = words.indexed("C", i, j, k)
                square = [symbol, words.power.format(rate[j], 2)]
                lines.append(times.join(square if j == k else ["2", symbol, rate[j], rate[k]]))
        if chain.stiffness[i]:
            q = words.angle("q", ((i, 1),))
            moved = f"({q} - {words.indexed('r', i)})" if chain.rest[i] else q
            lines.append(times.join([words.indexed("k", i), moved]))
        if chain.damping[i]:
            lines.append(times.join([words.indexed("h", i), rate[i]]))
        if chain.friction[i]:
            lines.append(times.join([words.indexed("f", i), words.sign(rate[i])]))
        return _signed(lines) or ["0"]

    def _number(self, value: float) -> str:
        return self.words.number(value, self.digits)


def _signed(lines: list[str]) -> list[str]:
    """A sum's lines: a sign before each but a positive first."""
    return [
        line if place == 0 else f"- {line[1:]}" if line.startswith("-") else f"+ {line}"
        for place, line in enumerate(lines)
    ]
