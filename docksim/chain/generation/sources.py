"""Straight-line dynamics as text: C, Python, or Python for numba; it needs nothing of docksim.

One line an operation, in the same words in all three, so that compilers without contraction give the same bits. The
head of the file says what it computes, in which units, and what it costs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from docksim import __version__
from docksim.chain.generation.straight_line import Straight
from docksim.numbers.recorded import CALLS, INPUT, OPERATORS, Line, Operand, Output

LANGUAGES = ("c", "numba", "python")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_MEANING = {
    "inverse": "force of each drive for a motion: force = A(q) acceleration + b(q, rate)",
    "forward": "acceleration of each joint under forces of the drives: A(q) acceleration + b(q, rate) = force",
    "mass": "inertia matrix A(q)",
}
_UNITS = {
    "q": ("rad", "m"),
    "rate": ("rad/s", "m/s"),
    "acceleration": ("rad/s^2", "m/s^2"),
    "force": ("N m", "N"),
}
_BY_SIGN = "def sign(x):\n    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0\n"
_SIGN = {
    "c": "static double sign(double x)\n{\n    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;\n}\n",
    "numba": f"@njit\n{_BY_SIGN}",
    "python": _BY_SIGN,
}


def check_name(name: str) -> str:
    """A name that functions can have in C and Python; ValueError with a proposal."""
    if _NAME.fullmatch(name):
        return name
    better = re.sub(r"[^A-Za-z0-9_]+", "_", name, flags=re.ASCII).strip("_")
    better = better if _NAME.fullmatch(better) else f"chain_{better}".rstrip("_")
    raise ValueError(f"{json.dumps(name)} is no name of a function: letters, digits and _ after a letter, as {better}")


def source(functions: Sequence[Straight], language: str, name: str) -> str:
    """One file with these functions of a chain, NAME_inverse and so on."""
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}; choose one of {', '.join(LANGUAGES)}")
    check_name(name)
    mark = "//" if language == "c" else "#"
    head = [f"{mark} {line}".rstrip() for line in _head(functions, name)]
    needs_sign = any(function.program.counts["sign"] for function in functions)
    body = [_c(f, name) if language == "c" else _python(f, name, language == "numba") for f in functions]
    parts = ["\n".join(head) + "\n", _imports(functions, language), *([_SIGN[language]] if needs_sign else []), *body]
    return ("\n" if language == "c" else "\n\n").join(part for part in parts if part)


# ---------------------------------------------------------------- the head


def _head(functions: Sequence[Straight], name: str) -> Iterator[str]:
    chain, base = functions[0].chain, functions[0].base
    yield f"Dynamics of the chain {name}, written by docksim {__version__}. Straight lines: no loop, no memory."
    yield ""
    for function in functions:
        yield f"{name}_{function.what}: {_MEANING[function.what]}"
        yield f"    {operations(function)}"
    yield ""
    yield "Joints in order, with the units of coordinate, rate, acceleration and force:"
    for k, link in enumerate(chain.names):
        slides = bool(chain.prismatic[k])
        units = ", ".join(pair[slides] for pair in _UNITS.values())
        yield f"    {k}  {json.dumps(link)} {'slides' if slides else 'turns'}: {units}"
    if any(function.what == "mass" for function in functions):
        yield "A row by row: kg m^2 between turning joints, kg between sliding ones, kg m between one of each."
    g = ", ".join(f"{float(part) + 0.0:.12g}" for part in chain.gravity)
    yield f"Gravity ({g}) m/s^2. The {len(base.columns)} base parameters of the links are worked into the numbers."
    devices = [word for word in ("rotor", "stiffness", "damping", "friction") if getattr(chain, word).any()]
    if devices:
        yield f"In it, too, of the joints: {', '.join(devices)}."
    yield "Nothing is checked: numbers that are not finite go through."


def operations(function: Straight) -> str:
    """What a call costs, in words."""
    counts = function.program.counts
    words = [
        (counts["*"], "multiplication"),
        (counts["+"] + counts["-"], "addition"),
        (counts["/"], "division"),
        (counts["sin"], "sine"),
        (counts["cos"], "cosine"),
    ]
    listed = ", ".join(f"{count} {word}{'s' if count != 1 else ''}" for count, word in words if count)
    return f"{function.program.operations} operations: {listed}" if listed else "no operations"


def _imports(functions: Sequence[Straight], language: str) -> str:
    used = [name for name in ("cos", "sin") if any(function.program.counts[name] for function in functions)]
    if language == "c":
        return "#include <math.h>\n" if used else ""
    maths = f"from math import {', '.join(used)}\n" if used else ""
    return maths + ("\nfrom numba import njit\n" if language == "numba" else "")


# ---------------------------------------------------------------- lines


def _names(function: Straight) -> dict[int, str]:
    """A name for every line: the inputs', c2 and s2 of joint 2, x1, x2, ... for the rest."""
    lines = function.program.lines
    made: dict[int, str] = {}
    count = 0
    for number, line in enumerate(lines):
        if line.what == INPUT:
            made[number] = f"{line.operands[0]}[{line.operands[1]}]"
        elif line.what in CALLS:
            letter = {"sin": "s", "cos": "c", "sign": "d"}[line.what]
            made[number] = f"{letter}{lines[line.operands[0]].operands[1] + 1}"
        else:
            count += 1
            made[number] = f"x{count}"
    return made


def _lines(function: Straight, names: dict[int, str]) -> Iterator[tuple[str, str]]:
    """Name and value of every line but the inputs."""
    for number, line in enumerate(function.program.lines):
        if line.what != INPUT:
            yield names[number], _value(line, names)


def _value(line: Line, names: dict[int, str]) -> str:
    if line.what in OPERATORS:
        a, b = (_operand(one, names) for one in line.operands)
        return f"{a} {line.what} {b}"
    return f"{line.what}({names[line.operands[0]]})"


def _operand(operand: Operand, names: dict[int, str]) -> str:
    return repr(operand) if isinstance(operand, float) else names[operand]


def _outputs(function: Straight, names: dict[int, str]) -> list[str]:
    def text(output: Output) -> str:
        return f"{'-' if output[0] < 0 else ''}{_operand(output[1], names)}"

    return [text(output) for output in function.program.outputs]


def _c(function: Straight, name: str) -> str:
    n, names = function.chain.n, _names(function)
    size = len(function.program.outputs)
    arguments = ", ".join(f"const double {argument}[{n}]" for argument in function.arguments)
    lines = [f"    const double {left} = {right};" for left, right in _lines(function, names)]
    lines += [f"    {function.result}[{i}] = {value};" for i, value in enumerate(_outputs(function, names))]
    unused = [a for a in function.arguments if not any(f"{a}[" in line for line in lines)]
    lines = [*(f"    (void){argument};" for argument in unused), *lines]
    return (
        f"void {name}_{function.what}({arguments}, double {function.result}[{size}])\n{{\n" + "\n".join(lines) + "\n}\n"
    )


def _python(function: Straight, name: str, compiled: bool) -> str:
    names = _names(function)
    arguments = ", ".join((*function.arguments, *((function.result,) if compiled else ())))
    lines = [f"    {left} = {right}" for left, right in _lines(function, names)]
    values = _outputs(function, names)
    n = function.chain.n
    places = [f"{i}" if len(function.shape) == 1 else f"{i // n}, {i % n}" for i in range(len(values))]
    if compiled:
        lines += [f"    {function.result}[{place}] = {value}" for place, value in zip(places, values, strict=True)]
        return f"@njit\ndef {name}_{function.what}({arguments}):\n" + "\n".join(lines) + "\n"
    rows = [values[i : i + n] for i in range(0, len(values), n)]
    packed = [f"({', '.join(row)},)" for row in rows]
    returned = packed[0] if len(function.shape) == 1 else f"({', '.join(packed)},)"
    return f"def {name}_{function.what}({arguments}):\n" + "\n".join([*lines, f"    return {returned}"]) + "\n"
