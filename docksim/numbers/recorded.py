"""A number that writes down what is done with it: arithmetic becomes a list of operations without branches or loops.

A `Recorded` number is plus or minus a node of a `Tape`. Plain floats are constants. What is written down is already
simplified: sums with 0, products with 0, 1 and -1 and operations between constants do not happen, a product of a
product with a constant has one constant, equal operations are one node (a + b is b + a, a - b is minus b - a), and
signs are carried along instead of being operations. All this is exact in floating point, but for products of constants.

`Tape.program` keeps what the outputs need, takes common factors out of sums of products that nothing else uses, and
numbers the rest.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docksim.numbers.plain import Valued

INPUT, ADD, SUBTRACT, MULTIPLY, DIVIDE = "input", "+", "-", "*", "/"
OPERATORS = (ADD, SUBTRACT, MULTIPLY, DIVIDE)
CALLS = ("sin", "cos", "sign", "sqrt")
_DONE: dict[str, Callable[..., Any]] = {
    ADD: operator.add,
    SUBTRACT: operator.sub,
    MULTIPLY: operator.mul,
    DIVIDE: operator.truediv,
    "sin": math.sin,
    "cos": math.cos,
    "sqrt": math.sqrt,
    "sign": lambda x: float((x > 0.0) - (x < 0.0)),
}
Operand = int | float  # a node by its number, or a constant
Output = tuple[int, Operand]  # sign and operand


@dataclass(frozen=True)
class Line:
    """One node: an input's place, an operation with two operands, or a call with one."""

    what: str
    operands: tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """Lines in order; operands are numbers of earlier lines, or constants."""

    lines: tuple[Line, ...]
    outputs: tuple[Output, ...]

    @property
    def counts(self) -> Counter[str]:
        """Lines by what they do."""
        return Counter(line.what for line in self.lines)

    @property
    def operations(self) -> int:
        """Sums, differences, products and quotients."""
        return sum(line.what in OPERATORS for line in self.lines)


class Tape:
    """All that was done, each thing once."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._places: dict[tuple[Any, ...], int] = {}
        self._given: dict[int, float] = {}
        self._values: list[float] = []

    def input(self, name: str, place: int, value: float | None = None) -> Recorded:
        """A number that is given; code with branches takes those of its `value`."""
        node = self._node(INPUT, name, place)
        if value is not None:
            self._given[node.place] = value
        return node

    def value(self, place: int) -> float:
        """Of a node at the values of the inputs; TypeError if one has none: what is recorded has no branches."""
        for k in range(len(self._values), place + 1):
            line = self.lines[k]
            if line.what == INPUT and k not in self._given:
                raise TypeError(f"input {line.operands} has no value to look at")
            operands = (one if isinstance(one, float) else self._values[one] for one in line.operands)
            self._values.append(self._given[k] if line.what == INPUT else _DONE[line.what](*operands))
        return self._values[place]

    def call(self, function: str, x: Any) -> Recorded:
        """sin, cos, sign or square root of a recorded number; signs are taken out."""
        if function == "sqrt" and x.sign < 0:
            raise ArithmeticError("the root of a number that is recorded with a minus cannot be recorded")
        node = self._node(function, x.place)
        return node if function == "cos" else node.signed(x.sign)

    def _node(self, what: str, *operands: Any) -> Recorded:
        key = (what, *operands)
        if key not in self._places:
            self._places[key] = len(self.lines)
            self.lines.append(Line(what, operands))
        return Recorded(self, self._places[key])

    # ------------------------------------------------------------ arithmetic of operands with signs

    def sum(self, s: int, a: Operand, t: int, b: Operand) -> Any:
        """s a + t b, where constants are not negative."""
        if s == t:
            return self._node(ADD, *_ordered(a, b)).signed(s)
        if a == b and type(a) is type(b):
            return 0.0
        first, second = _ordered(a, b)
        return self._node(SUBTRACT, first, second).signed(s if (first, second) == (a, b) else t)

    def product(self, sign: int, a: Operand, b: Operand) -> Recorded:
        """Of a constant, which comes first, and a node, or of two nodes."""
        if isinstance(a, float) and not isinstance(b, float):
            inner = self.lines[b]
            if inner.what == MULTIPLY and isinstance(inner.operands[0], float):
                return self.scaled(sign * a * inner.operands[0], inner.operands[1])
        return self._node(MULTIPLY, *_ordered(a, b)).signed(sign)

    def scaled(self, factor: float, node: int) -> Any:
        """A constant times a node."""
        if factor == 0.0:
            return 0.0
        sign = -1 if factor < 0.0 else 1
        return Recorded(self, node, sign) if abs(factor) == 1.0 else self.product(sign, abs(factor), node)

    def quotient(self, sign: int, a: Operand, b: Operand) -> Recorded:
        return self._node(DIVIDE, a, b).signed(sign)

    # ------------------------------------------------------------ what the outputs need

    def program(self, outputs: list[Any]) -> Program:
        """The lines behind these numbers, with common factors taken out."""
        ends = [(x.sign, x.place) if isinstance(x, Recorded) else (1, float(x)) for x in outputs]
        tape = self
        while True:
            shorter, moved = _factored(tape, ends)
            if len(_needed(shorter, moved)) >= len(_needed(tape, ends)):
                return _numbered(tape, ends)
            tape, ends = shorter, moved


class Recorded(Valued):
    """Plus or minus a node of a tape."""

    __slots__ = ("place", "sign", "tape")

    def __init__(self, tape: Tape, place: int, sign: int = 1) -> None:
        self.tape, self.place, self.sign = tape, place, sign

    def signed(self, sign: int) -> Recorded:
        return self if sign > 0 else -self

    def __neg__(self) -> Recorded:
        return Recorded(self.tape, self.place, -self.sign)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Recorded):
            return self.tape.sum(self.sign, self.place, other.sign, other.place)
        if other == 0.0:
            return self
        return self.tape.sum(self.sign, self.place, 1 if other > 0.0 else -1, abs(float(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Recorded):
            return self.tape.product(self.sign * other.sign, self.place, other.place)
        return self.tape.scaled(self.sign * float(other), self.place)

    __rmul__ = __mul__

    @property
    def value(self) -> float:
        return self.sign * self.tape.value(self.place)

    def __abs__(self) -> Recorded:
        return self if self.value >= 0.0 else -self

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Recorded):
            return self.tape.quotient(self.sign * other.sign, self.place, other.place)
        return self * (1.0 / other)

    def __rtruediv__(self, other: Any) -> Any:
        if other == 0.0:
            return 0.0
        return self.tape.quotient(self.sign * (1 if other > 0.0 else -1), abs(float(other)), self.place)


def _ordered(a: Operand, b: Operand) -> tuple[Operand, Operand]:
    """Constants first, then by age: one name for a + b and b + a."""
    return (b, a) if (isinstance(b, float), -b) > (isinstance(a, float), -a) else (a, b)


# ---------------------------------------------------------------- from outputs back


def _needed(tape: Tape, ends: list[Output]) -> set[int]:
    """Numbers of the lines that the outputs depend on."""
    waiting = [operand for _, operand in ends if not isinstance(operand, float)]
    needed: set[int] = set()
    while waiting:
        place = waiting.pop()
        if place not in needed:
            needed.add(place)
            waiting += nodes_of(tape.lines[place])
    return needed


def nodes_of(line: Line) -> list[int]:
    """The operands of a line that are other lines."""
    return [] if line.what == INPUT else [one for one in line.operands if not isinstance(one, float)]


def _factored(tape: Tape, ends: list[Output]) -> tuple[Tape, list[Output]]:
    """The same on a new tape, where a b + a c of products that nothing else needs is a (b + c)."""
    needed = _needed(tape, ends)
    uses: Counter[int] = Counter(operand for _, operand in ends if not isinstance(operand, float))
    for place in needed:
        uses.update(nodes_of(tape.lines[place]))
    made: dict[int, Any] = {}
    new = Tape()

    def value(operand: Operand) -> Any:
        return operand if isinstance(operand, float) else made[operand]

    for place in sorted(needed):
        line = tape.lines[place]
        if line.what == INPUT:
            made[place] = new.input(*line.operands)
        elif line.what in CALLS:
            made[place] = new.call(line.what, made[line.operands[0]])
        elif (common := _common(tape, line, uses)) is not None:
            factor, first, second = map(value, common)
            made[place] = factor * _DONE[line.what](first, second)
        else:
            made[place] = _DONE[line.what](*map(value, line.operands))
    moved = [(sign, value(operand)) for sign, operand in ends]
    return new, [(s * x.sign, x.place) if isinstance(x, Recorded) else (s, float(x)) for s, x in moved]


def _common(tape: Tape, line: Line, uses: Counter[int]) -> tuple[Operand, Operand, Operand] | None:
    """Factor and rests of a sum of two products, if both serve nothing else."""
    if line.what not in (ADD, SUBTRACT):
        return None
    factors = []
    for operand in line.operands:
        if isinstance(operand, float) or uses[operand] > 1 or tape.lines[operand].what != MULTIPLY:
            return None
        factors.append(tape.lines[operand].operands)
    for i in (0, 1):
        for j in (0, 1):
            if factors[0][i] == factors[1][j] and type(factors[0][i]) is type(factors[1][j]):
                return factors[0][i], factors[0][1 - i], factors[1][1 - j]
    return None


def _numbered(tape: Tape, ends: list[Output]) -> Program:
    kept = {place: number for number, place in enumerate(sorted(_needed(tape, ends)))}

    def moved(line: Line) -> Line:
        if line.what == INPUT:
            return line
        return Line(line.what, tuple(one if isinstance(one, float) else kept[one] for one in line.operands))

    lines = tuple(moved(tape.lines[place]) for place in kept)
    return Program(lines, tuple((s, one if isinstance(one, float) else kept[one]) for s, one in ends))
