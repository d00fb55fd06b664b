"""The front end: each function for each set of argument types as bitcode, kept by all that it depends on.

A unit is known by the bytecode of its function (comments and line numbers do not count), the constants it names, the
functions that melt into it, its argument types to the byte, and the versions of what lowers it. It also depends on the
result types of what it calls; they are kept with it and compared before it is used again. So an edit costs the front
end of what changed, and of callers only where a result's type changed.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba import _dynfunc
from numba.core import cgutils, codegen, errors, funcdesc, itanium_mangler, sigutils, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder, compile_result
from numba.core.registry import CPUDispatcher, cpu_target
from numba.np.numpy_support import as_dtype, from_dtype

from docksim.native import kinds, libraries
from docksim.native.builder.quick import hasten
from docksim.native.builder.types import NUMBERS, BundleType
from docksim.native.decorators import APART
from docksim.native.storage import packed_file, read_own, unpacked_file, write_whole

# what lowers a function
RECIPE = hashlib.sha256(b"".join(path.read_bytes() for path in libraries.RECIPE)).hexdigest()
VERSIONS = f"{sys.version_info[:3]} numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {np.__version__}"
MAGIC = b"docksim functions 1\n"
ROOM_BYTES = 32 * 2**20
CONSTANTS = (int, float, str, bool, tuple)
MODULES = ("math", "numpy")  # whose contents are fixed
# closures and array expressions do not occur in kernels
LEFT_OUT = ("InlineClosureLikes", "NopythonRewrites")
# addresses of Python objects, which numba loads and never uses: the optimiser drops them, `link` checks that
_OBJECT = re.compile(r"numba\.dynamic\.globals\.[0-9a-f]+")
_ADDRESS = re.compile(r'(@"?numba\.dynamic\.globals\.[0-9a-f]+"? = [^\n]*?)inttoptr \(i64 \d+ to [^)]*\)')
Call = tuple["Unit", tuple[Any, ...]]


class Pipeline(CompilerBase):
    """numba's own, less what kernels have no use for."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [step for step in passes.passes if _name_of(step) not in LEFT_OUT]
        passes.finalize()
        return [passes]


class ApartPipeline(Pipeline):
    """Of functions whose records are never one and the same."""

    def define_pipelines(self) -> list[Any]:
        self.state.flags.noalias = True
        return super().define_pipelines()


def _name_of(step: Any) -> str:
    return (step[0] if isinstance(step, tuple) else step).__name__


class Unlinked(codegen.JITCodeLibrary):
    """A function's module as it is lowered: not optimised, not linked, not emitted."""

    def add_ir_module(self, module: Any) -> None:
        text = _ADDRESS.sub(r"\1null", cgutils.normalize_ir_text(str(module)))
        names = {name: f"python.{i}" for i, name in enumerate(dict.fromkeys(_OBJECT.findall(text)))}
        self._final_module.link_in(llvm.parse_assembly(_OBJECT.sub(lambda match: names[match[0]], text)))

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._finalized = True


class Lowered(NamedTuple):
    """A unit as it is kept: its symbol, its bitcode, what it calls."""

    symbol: str
    bitcode: bytes
    calls: list[Call]


class Unit(CPUDispatcher):
    """A function, compiled for as many sets of argument types as it is called with."""

    def __init__(self, function: FunctionType, options: dict[str, Any], front: FrontEnd) -> None:
        wrappers = {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self.options = options
        told = {name: value for name, value in options.items() if name != APART}
        pipeline = ApartPipeline if APART in options else Pipeline
        super().__init__(function, locals={}, targetoptions=told | wrappers, pipeline_class=pipeline)
        self.front = front
        self.lowered: dict[tuple[Any, ...], Lowered] = {}

    @property
    def name(self) -> str:
        return f"{self.py_func.__module__}:{self.py_func.__qualname__}"

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Types of a call; literal integers are taken as any integer, so that a function is lowered once."""
        folded = tuple(self._compiler.fold_argument_types(args, kws)[1])
        plain = tuple(types.unliteral(kind) for kind in folded)
        try:
            template = super().get_call_template(plain, {})
        except errors.TypingError:
            if plain == folded:
                raise
            plain = folded
            template = super().get_call_template(folded, {})
        self.front.note_call(self, plain)
        return template

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def compile(self, sig: Any) -> Any:
        args = tuple(sigutils.normalize_signature(sig)[0])
        if args not in self.overloads and not self.front.taken_up(self, args):
            with self.front.recorded() as calls:
                super().compile(sig)
            self.front.keep(self, args, calls)
        return self.overloads[args].entry_point


class _StandIn:
    """Stands for a function of an earlier build, which is known by it."""


class _Recorded:
    """The calls that are typed while a function is compiled."""

    def __init__(self, stack: list[list[Call]]) -> None:
        self._stack = stack

    def __enter__(self) -> list[Call]:
        self._stack.append([])
        return self._stack[-1]

    def __exit__(self, *what: object) -> None:
        self._stack.pop()


class FrontEnd:
    """All units of a library, some of them from the file of an earlier build."""

    def __init__(self, file: Path | None, dtypes: dict[str, np.dtype], tell: Callable[[str], None]) -> None:
        self._file, self._dtypes, self._tell = file, dtypes, tell
        self._earlier = _read(file)
        self._kept: dict[str, bytes] = {}
        self._units: dict[str, Unit] = {}
        self._bundles: dict[str, BundleType] = {}
        self._keys: dict[FunctionType, str | None] = {}
        self._stack: list[list[Call]] = []
        self.compiled: list[str] = []
        self.context = _prepared_context()

    def unit(self, function: FunctionType, options: dict[str, Any]) -> Unit:
        """A dispatcher for a function."""
        made = Unit(function, options, self)
        self._units[made.name] = made
        return made

    def know(self, bundle: BundleType) -> None:
        """A type that kept units may name."""
        self._bundles[bundle.name] = bundle

    def recorded(self) -> _Recorded:
        return _Recorded(self._stack)

    def note_call(self, unit: Unit, args: tuple[Any, ...]) -> None:
        if self._stack and (unit, args) not in self._stack[-1]:
            self._stack[-1].append((unit, args))

    # ------------------------------------------------------------ kept units

    def keep(self, unit: Unit, args: tuple[Any, ...], calls: list[Call]) -> None:
        """A unit that was just compiled, for this build and for later ones."""
        result = unit.overloads[args]
        bitcode = _with_its_own(result.library, result.fndesc.mangled_name)
        unit.lowered[args] = Lowered(result.fndesc.mangled_name, bitcode, calls)
        self.compiled.append(unit.name)
        self._tell(f"function {unit.name}")
        key = self._key(unit, args)
        try:
            about = {
                "symbol": result.fndesc.mangled_name,
                "result": self._text(result.signature.return_type),
                "arguments": list(result.fndesc.args),
                "inline": result.fndesc.inline,
                "noalias": result.fndesc.noalias,
                "calls": [[own.name, [*map(self._text, kinds_)], self._result(own, kinds_)] for own, kinds_ in calls],
            }
        except _Untold:
            return
        if key is not None:
            self._kept[key] = packed_file(b"", about, bitcode)

    def taken_up(self, unit: Unit, args: tuple[Any, ...]) -> bool:
        """Use a unit of an earlier build, if all that it depends on is as it was."""
        key = self._key(unit, args)
        content = self._earlier.get(key) if key is not None else None
        if key is None or content is None:
            return False
        about, bitcode = unpacked_file(b"", content)
        try:
            calls = [self._call(*call) for call in about["calls"]]
        except (_Untold, KeyError, errors.TypingError):
            return False
        restype = self._type(about["result"])
        fndesc = funcdesc.PythonFunctionDescriptor(
            native=True, modname=unit.py_func.__module__, qualname=unit.py_func.__qualname__,
            unique_name=about["symbol"], doc="", typemap=None, restype=restype, calltypes=None,
            args=about["arguments"], kws=(), mangler=self.context.mangler, argtypes=args,
            inline=about["inline"], noalias=about["noalias"],
        )  # fmt: skip
        if fndesc.mangled_name != about["symbol"]:
            return False
        library = self.context.codegen().create_library(unit.name)
        library.finalize()

        entry_point = _StandIn()
        signature = numba.core.typing.signature(restype, *args)
        unit.overloads[args] = compile_result(
            typing_context=self.context.typing_context, target_context=self.context, entry_point=entry_point,
            signature=signature, objectmode=False, fndesc=fndesc, library=library,
        )  # fmt: skip
        self.context.insert_user_function(entry_point, fndesc, [library])
        unit.lowered[args] = Lowered(about["symbol"], bitcode, calls)
        self._kept[key] = content
        return True

    def _call(self, name: str, arguments: list[Any], result: str) -> Call:
        """A call of a kept unit, made anew; _Untold if its result has another type now."""
        unit, args = self._units[name], tuple(self._type(text) for text in arguments)
        unit.compile(args)
        if self._result(unit, args) != result:
            raise _Untold
        return unit, args

    def _result(self, unit: Unit, args: tuple[Any, ...]) -> str:
        return json.dumps(self._text(unit.overloads[args].signature.return_type))

    def write(self) -> None:
        """Keep what this build used for the next one, and what earlier ones used while there is room."""
        if self._file is None or self._kept.keys() <= self._earlier.keys():
            return
        everything = self._earlier | self._kept
        if sum(map(len, everything.values())) > ROOM_BYTES:
            everything = self._kept
        parts = [{"key": key, "size": len(content)} for key, content in everything.items()]
        write_whole(self._file, packed_file(MAGIC, {"parts": parts}, b"".join(everything.values())))

    # ------------------------------------------------------------ what a unit depends on

    def _key(self, unit: Unit, args: tuple[Any, ...]) -> str | None:
        source = self._source(unit)
        try:
            signature = json.dumps([self._text(kind) for kind in args])
        except _Untold:
            return None
        if source is None:
            return None
        return hashlib.sha256(f"{RECIPE}|{VERSIONS}|{unit.name}|{source}|{signature}".encode()).hexdigest()

    def _source(self, unit: Unit) -> str | None:
        """Hash of a function's code, of the constants it names and of what melts into it; None if it cannot be told."""
        function = unit.py_func
        if function not in self._keys:
            self._keys[function] = None
            told = self._told(function, unit.options)
            self._keys[function] = None if told is None else hashlib.sha256(told.encode()).hexdigest()
        return self._keys[function]

    def _told(self, function: FunctionType, options: dict[str, Any]) -> str | None:
        code = function.__code__
        # the docstring is the first constant
        constants = code.co_consts[1:] if function.__doc__ else code.co_consts
        parts = [code.co_code.hex(), repr(constants), repr(code.co_names), repr(code.co_varnames[: code.co_argcount])]
        parts += [repr(function.__defaults__), repr(sorted(options.items()))]
        simple = all(isinstance(own, (*CONSTANTS, type(None))) for own in constants)
        if code.co_freevars or not simple:
            return None
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, Unit):
                melted = "inline" in value.targetoptions
                inner = self._source(value) if melted else value.name
                if inner is None:
                    return None
                parts.append(f"{name} {inner}")
            elif isinstance(value, ModuleType) and value.__name__ in MODULES:
                parts.append(f"{name} {value.__name__}")
            elif isinstance(value, CONSTANTS):
                parts.append(f"{name} {value!r}")
            elif value is not None:
                return None
        return "\n".join(parts)

    def _text(self, kind: Any) -> Any:
        """A type as JSON."""
        for text, own in NUMBERS.items():
            if kind == own:
                return text
        match kind:
            case types.NoneType():
                return "none"
            case types.Literal():
                return ["literal", kind.literal_value]
            case types.Omitted():
                return ["omitted", kind.value]
            case types.BaseTuple():
                return ["tuple", *(self._text(own) for own in kind)]
            case types.Record():
                text = kinds.layout(as_dtype(kind))
                if text not in self._dtypes or from_dtype(self._dtypes[text]) != kind:
                    raise _Untold
                return ["row", text]
            case types.NestedArray():
                return ["nested", self._text(kind.dtype), *kind.shape]
            case types.Array():
                return ["array", self._text(kind.dtype), kind.ndim, kind.layout, not kind.mutable, kind.aligned]
            case BundleType():
                return ["bundle", kind.name]
        raise _Untold

    def _type(self, text: Any) -> Any:
        """The type of a text."""
        if isinstance(text, str):
            return types.none if text == "none" else NUMBERS[text]
        match text:
            case ["literal", value]:
                return types.literal(value)
            case ["omitted", value]:
                return types.Omitted(value)
            case ["tuple", *items]:
                return types.BaseTuple.from_types(tuple(self._type(item) for item in items))
            case ["row", layout]:
                return from_dtype(self._dtypes[layout])
            case ["nested", dtype, *shape]:
                return types.NestedArray(self._type(dtype), tuple(shape))
            case ["array", dtype, ndim, layout, readonly, aligned]:
                return types.Array(self._type(dtype), ndim, layout, readonly=readonly, aligned=aligned)
            case ["bundle", name]:
                return self._bundles[name]
        raise _Untold


class _Untold(Exception):
    """Something that cannot be kept."""


def _read(file: Path | None) -> dict[str, bytes]:
    content = read_own(file) if file is not None else None
    if content is None:
        return {}
    try:
        about, body = unpacked_file(MAGIC, content)
        parts, place = {}, 0
        for part in about["parts"]:
            parts[part["key"]] = body[place : place + part["size"]]
            place += part["size"]
    except (ValueError, KeyError, TypeError):
        return {}
    return parts


def _prepared_context() -> Any:
    """numba's context for this process: libraries stay unlinked, and symbols are the same in every build."""
    hasten()
    context = cpu_target.target_context
    maker = context.codegen()
    maker._library_class = Unlinked
    # nothing is run here: a function that leads nowhere stands for each compiled one
    context.get_executable = lambda library, fndesc, env: _dynfunc.make_function(sys, "unlinked", "", 0, env, ())

    def mangler(name: str, args: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
        if not name.startswith(("docksim.", ".NumbaEnv.docksim.", "tests.", ".NumbaEnv.tests.", "benchmarks.")):
            return str(itanium_mangler.mangle(name, args, abi_tags=abi_tags, uid=uid))
        return f"{name}.{hashlib.sha256(repr(args).encode()).hexdigest()[:16]}"

    context.mangler = mangler
    return context


def _with_its_own(library: Any, symbol: str) -> bytes:
    """Bitcode of a unit with numba's own helpers inside: nothing is visible but its symbol."""
    module = library._final_module
    seen: set[int] = set()

    def take_in(libraries: list[Any]) -> None:
        for other in libraries:
            if id(other) in seen:
                continue
            seen.add(id(other))
            if any(name.startswith(("docksim.", "tests.", "benchmarks.")) for name in _defined(other)):
                continue
            if _defined(other):
                module.link_in(other._final_module.clone())
            take_in(other._linking_libraries)

    take_in(library._linking_libraries)
    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.linkage = "internal"
    return bytes(module.as_bitcode())


@cache
def _defined(library: Any) -> list[str]:
    return [function.name for function in library._final_module.functions if not function.is_declaration]
