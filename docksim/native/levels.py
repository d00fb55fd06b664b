"""Which code a processor can run: levels of x86-64 as the System V ABI defines them, or this very processor."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache

V2, V3, V4, HOST = "x86-64-v2", "x86-64-v3", "x86-64-v4", "host"
# in the words of /proc/cpuinfo; each level needs those below it
NEEDS = {
    V2: frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"}),
    V3: frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}),
    V4: frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
}
SHIPPED = (V2, V3, V4)


# what tells one kind of processor from another
IDENTITY = ("vendor_id", "cpu family", "model", "stepping", "Features", "CPU implementer", "CPU variant", "CPU part")


@cache
def _cpuinfo() -> list[tuple[str, str, str]]:
    """What the system says of the first processor: keys, words and whole lines; nothing where it cannot be read."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = file.read().partition("\n\n")[0].splitlines()
    except OSError:
        return []
    return [(line.partition(":")[0].strip(), line.partition(":")[2], line) for line in lines]


@cache
def processor_flags() -> frozenset[str]:
    """What the processor can do; empty where that cannot be read."""
    return frozenset(next((words for key, words, _ in _cpuinfo() if key == "flags"), "").split())


@cache
def processor_name() -> str:
    """This very processor, for files of code that only it can run."""
    identity = (line for key, _, line in _cpuinfo() if key in IDENTITY)
    told = " ".join((platform.machine(), platform.processor(), *sorted(processor_flags()), *identity))
    return f"{HOST}-{hashlib.sha256(told.encode()).hexdigest()[:12]}"


def possible() -> tuple[str, ...]:
    """The levels of this processor, best last; HOST stands for code that is made for it alone."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return (HOST,)
    levels = [HOST]
    for name, needs in NEEDS.items():
        if not needs <= processor_flags():
            break
        levels.append(name)
    return tuple(levels)


def level() -> tuple[str, str]:
    """The level to use, and a word about it if it is not the one that was asked for by DOCKSIM_LEVEL."""
    told, can = os.environ.get("DOCKSIM_LEVEL"), possible()
    if not told or told in can:
        return told or can[-1], ""
    return can[-1], f"DOCKSIM_LEVEL={told}: this processor has {', '.join(can)}; {can[-1]} is used"
