"""C functions of straight lines as Python functions: by translation on any machine, by the compiler where there is one.

Only what docksim generates is understood: constants, array elements, one operator a line, calls of sin, cos, sign.
"""

import ctypes
import math
import re
import shutil
import subprocess

import numpy as np

FUNCTION = re.compile(r"^void (\w+)\(([^)]*)\)\n\{\n(.*?)^\}$", re.M | re.S)
LINE = re.compile(r"^    (?:const double )?([\w\[\]]+) = ([^;]+);$")
VOID = re.compile(r"^    \(void\)\w+;$")


def translated(text):
    """Functions by name; each takes arrays, the last one for the answer."""
    made = {}
    for name, arguments, body in FUNCTION.findall(text):
        names = [re.fullmatch(r"(?:const )?double (\w+)\[\d+\]", one).group(1) for one in arguments.split(", ")]
        lines = [LINE.match(line).groups() for line in body.splitlines() if not VOID.match(line)]
        code = f"def {name}({', '.join(names)}):\n" + "".join(f"    {left} = {right}\n" for left, right in lines)
        scope = {"sin": math.sin, "cos": math.cos, "sign": np.sign}
        exec(code, scope)
        made[name] = scope[name]
    assert made
    return made


def compiler():
    """The C compiler of this machine, or None."""
    return shutil.which("cc")


def compiled(text, folder):
    """The same functions by cc, without contraction and with every warning an error."""
    (folder / "code.c").write_text(text)
    flags = ["-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run([compiler(), *flags, "code.c", "-o", "code.so", "-lm"], cwd=folder, check=True, timeout=120)
    library = ctypes.CDLL(str(folder / "code.so"))

    def calling(function):
        def call(*arrays):
            assert all(array.dtype == np.float64 and array.flags.c_contiguous for array in arrays)
            function(*(array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for array in arrays))

        function.restype = None
        return call

    return {name: calling(getattr(library, name)) for name, _, _ in FUNCTION.findall(text)}
