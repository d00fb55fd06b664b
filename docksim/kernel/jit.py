"""The decorators of the compiled code, with a cache that cannot run stale physics.

numba keys its disk cache by the file of the cached function alone: edit a helper in another file and the cached caller
keeps the old code. So the cache folder carries a stamp, the hash of every kernel source, of the model's tables and
codes, and of the versions of Python, numba and numpy. A change anywhere gives another folder. The folder is the
user's, never the installation's, so a read-only installation runs; where nothing can be written, nothing is cached.
No fastmath: it would switch off the guard against NaN. No numba runtime either (`_nrt=False`): a kernel that tried to
allocate would not compile, and the reference counts of the tables, which cost more than the physics, are gone.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numba
import numpy

_HERE = Path(__file__).resolve().parent
_KEEP_DAYS = 30
# the tables and codes, all of them
MODEL_FILES = ("model.py", "tree_tables.py", "event_tables.py", "leg_tables.py", "contact_tables.py")


def source_stamp() -> str:
    """Hash of all that the compiled code depends on."""
    digest = hashlib.sha256(f"{sys.version} {numba.__version__} {numpy.__version__}".encode())
    for path in sorted(_HERE.glob("*.py")) + [_HERE.parent / name for name in MODEL_FILES]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _candidates() -> list[Path]:
    """Cache roots, best first."""
    told = os.environ.get("DOCKSIM_CACHE_DIR")
    if told:
        return [Path(told)]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    user = getattr(os, "getuid", lambda: "user")()
    return [Path(home) / "docksim", Path(tempfile.gettempdir()) / f"docksim-{user}"]


def _writable_folder(stamp: str) -> Path | None:
    """The stamped cache folder under the first root that can be written, and is ours."""
    for root in _candidates():
        folder = root / "kernel" / stamp
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            owned = not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        if owned:
            _forget_old(folder)
            return folder
    return None


def _forget_old(folder: Path) -> None:
    """Remove sibling stamps that nobody has used for a month."""
    os.utime(folder)
    limit = time.time() - _KEEP_DAYS * 86400
    for other in folder.parent.iterdir():
        if other != folder and other.stat().st_mtime < limit:
            shutil.rmtree(other, ignore_errors=True)


CACHE_FOLDER = _writable_folder(source_stamp())


def _compiled(function, **options):
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER or "")
    try:
        cached = CACHE_FOLDER is not None
        return numba.njit(function, nogil=True, error_model="numpy", _nrt=False, cache=cached, **options)
    finally:
        numba.config.CACHE_DIR = previous


def kernel(function):
    """Compile at first call: no GIL, IEEE division, cached under the stamp."""
    return _compiled(function)


def pure(function):
    """The same for small functions of tuples, which melt into their callers so that the tuples stay in registers."""
    return _compiled(function, forceinline=True)


def melted(function):
    """The same for the long body of a loop: it becomes part of its caller before anything is compiled.

    A loop whose body is still a call would be unrolled as cheap, and then not be spread over the lanes of a register.
    """
    return _compiled(function, inline="always")
