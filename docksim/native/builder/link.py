"""The back end: all units of a library linked into one module, optimised once, emitted as object code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import llvmlite.binding as llvm

from docksim.native.builder.units import Call
from docksim.native.levels import HOST, V4

# what runs once in a while is compiled small: events, re-rooting, rows of the log, control samples, legs in detail
SELDOM_FILES = (
    *("tree.topology", "tree.energy", "tree.control", "tree.environment", "run.events", "run.log"),
    *("contact.record", "mechanism.leg_loads", "mechanism.reach"),
)
SELDOM = (*(f"docksim.kernel.{name}." for name in SELDOM_FILES), "docksim.kernel.run.budget.potential_energy")


def reachable(roots: Iterable[Call]) -> dict[str, bytes]:
    """Bitcode of the units and of all that they call, by symbol."""
    code: dict[str, bytes] = {}
    waiting = list(roots)
    while waiting:
        unit, args = waiting.pop()
        lowered = unit.lowered[args]
        if lowered.symbol not in code:
            code[lowered.symbol] = lowered.bitcode
            waiting += lowered.calls
    return code


def digest(units: dict[str, bytes], entries: dict[str, str], level: str) -> str:
    """What object code depends on."""
    told = hashlib.sha256(f"{level} {machine_name(level)} {llvm.llvm_version_info} {sorted(entries.items())}".encode())
    for symbol in sorted(units):
        told.update(symbol.encode() + b"\0" + hashlib.sha256(units[symbol]).digest())
    return told.hexdigest()


def object_code(
    units: dict[str, bytes], entries: dict[str, str], level: str, tell: Callable[[str], None] = lambda text: None
) -> bytes:
    """Object code with one C function for each entry: its name by the unit's symbol; i64 (words, result) -> i64."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = _linked([llvm.parse_bitcode(units[symbol]) for symbol in sorted(units)])
    # the processor's own root, which is exact, instead of the C library's
    root = "declare double @llvm.sqrt.f64(double)\ndefine double @sqrt(double %x) alwaysinline {\n"
    root += "  %y = call double @llvm.sqrt.f64(double %x)\n  ret double %y\n}\n"
    head = f'target triple = "{module.triple}"\ntarget datalayout = "{module.data_layout}"\n'
    module.link_in(llvm.parse_assembly(head + root + "".join(_entry(symbol, name) for symbol, name in entries.items())))
    exported = set(entries.values())
    for function in module.functions:
        if not function.is_declaration and function.name not in exported:
            function.linkage = "internal"
            if function.name.startswith(SELDOM):
                for attribute in ("minsize", "optsize", "cold"):
                    function.add_function_attribute(attribute)
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    machine = target_machine(level, module.triple)
    _optimise(module, machine)
    _check(module)
    tell("optimised")
    return bytes(machine.emit_object(module))


def _linked(modules: list[Any]) -> Any:
    """One module of many, by halves: each link looks through all that it adds to."""
    if len(modules) == 1:
        return modules[0]
    half = len(modules) // 2
    first = _linked(modules[:half])
    first.link_in(_linked(modules[half:]))
    return first


def _entry(symbol: str, name: str) -> str:
    return (
        f'declare i32 @"{symbol}"(ptr, ptr, i64, i64)\n'
        f'define i64 @"{name}"(i64 %words, i64 %result) {{\n'
        "  %value = alloca i64\n  %error = alloca ptr\n"
        f'  %status = call i32 @"{symbol}"(ptr %value, ptr %error, i64 %words, i64 %result)\n'
        "  %wide = zext i32 %status to i64\n  ret i64 %wide\n}\n"
    )


def machine_name(level: str) -> str:
    """The processor to compile for, with its features, as LLVM names them."""
    if level != HOST:
        # legs lie side by side in eight lanes: one register of 512 bits
        return f"{level} -prefer-256-bit" if level == V4 else level
    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def target_machine(level: str, triple: str) -> Any:
    """What emits code for a level; position-independent, so that it can be linked into a library as well."""
    cpu, _, features = machine_name(level).partition(" ")
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )


def _check(module: Any) -> None:
    """Machine code must stand alone: no Python object, no library but for what the compiler itself calls."""
    named = [variable.name for variable in module.global_variables if variable.name.startswith("python.")]
    outside = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    wrong = named + [name for name in outside if name not in ("memset", "memcpy", "memmove")]
    if wrong:
        raise ValueError(f"the code needs {', '.join(sorted(wrong))} from outside")


def _optimise(module: Any, machine: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
