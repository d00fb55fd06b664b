"""Files of machine code: where they are kept, who may have written them, and their form.

Whoever can write to the cache can make a user run code. So a cache folder is used only if it belongs to the user, is
closed to all others, and no folder above it can be changed by anybody else: each belongs to the user or to root, and
others can write to none, except where the sticky bit keeps them from touching what is not theirs. A file must be the
user's own as well. Otherwise nothing is kept. A file ends with a hash of what is before it: damage is noticed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from docksim.files.writing import write_bytes

KEEP_DAYS = 30
HASH_BYTES = 32


def candidates() -> list[Path]:
    """Cache folders, best first."""
    told = os.environ.get("DOCKSIM_CACHE_DIR")
    if told:
        return [Path(told)]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    user = getattr(os, "getuid", lambda: "user")()
    folders = [Path(home) / "docksim"]
    # where nothing can be written there is no temporary folder either
    with suppress(OSError):
        folders.append(Path(tempfile.gettempdir()) / f"docksim-{user}")
    return folders


def cache_folder() -> tuple[Path | None, str]:
    """The folder to keep code in, and why the better ones are not used."""
    reasons: list[str] = []
    for root in candidates():
        folder = root / "kernel"
        why = _made(folder)
        # from here on no link is followed, which somebody could lead elsewhere
        folder = folder if why else folder.resolve()
        why = why or distrust(folder)
        if not why:
            return folder, "; ".join(reasons)
        reasons.append(why)
    return None, "; ".join(reasons)


def _made(folder: Path) -> str:
    """Make the folder if need be; why that does not work."""
    if not folder.is_absolute():
        return f"{folder} is not an absolute path"
    try:
        make_private(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return f"{folder} cannot be written ({error.strerror or error})"
    return ""


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, closed to all others whatever the user's habit is."""
    for place in (*reversed(folder.parents), folder):
        if not place.exists():
            place.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def distrust(folder: Path) -> str:
    """Why somebody else could have put code into a folder, whose path has no links; empty if nobody could."""
    if not hasattr(os, "getuid"):
        return ""
    user = os.getuid()
    try:
        for place in (folder, *folder.parents):
            info = place.lstat()
            if stat.S_ISLNK(info.st_mode):
                return f"{place} is a link"
            if info.st_uid not in ((user,) if place == folder else (user, 0)):
                return f"{place} belongs to another user"
            sticky = place != folder and info.st_mode & stat.S_ISVTX
            if others_write(info) and not sticky:
                return f"{place} can be written by others"
    except OSError as error:
        return f"{folder} cannot be looked at ({error.strerror or error})"
    return ""


def others_write(info: os.stat_result) -> bool:
    """Can anybody else write to it? A group of the user's own, as many systems give to each user, is not anybody."""
    return bool(info.st_mode & stat.S_IWOTH) or bool(info.st_mode & stat.S_IWGRP and not _own_group(info.st_gid))


def _own_group(gid: int) -> bool:
    """Is this the group that has the user's name, with no other member?"""
    try:
        import grp
        import pwd

        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(gid)
    except (ImportError, KeyError):
        return False
    return user.pw_gid == gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def read_own(path: Path) -> bytes | None:
    """A file's content, if it can be trusted."""
    return examined(path)[0]


def examined(path: Path) -> tuple[bytes | None, str]:
    """The content of a whole, plain file of the user's own that nobody else can write, or what is wrong with it.

    No file is nothing wrong. Its age starts anew.
    """
    try:
        # a pipe is not waited for
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, "a link" if path.is_symlink() else f"cannot be read ({error.strerror or error})"
    try:
        with open(handle, "rb") as file:
            why = _not_own(os.fstat(handle))
            content = b"" if why else file.read()
    except OSError as error:
        return None, f"cannot be read ({error.strerror or error})"
    if why:
        return None, why
    content, told = content[:-HASH_BYTES], content[-HASH_BYTES:]
    if hashlib.sha256(content).digest() != told:
        return None, "damaged"
    with suppress(OSError):
        os.utime(path)
    return content, ""


def _not_own(info: os.stat_result) -> str:
    if not stat.S_ISREG(info.st_mode):
        return "not a plain file"
    if hasattr(os, "getuid") and info.st_uid != os.getuid():
        return "belongs to another user"
    return "can be written by others" if hasattr(os, "getuid") and others_write(info) else ""


def write_whole(path: Path, content: bytes) -> bool:
    """Write a file that appears when it is whole; False where that fails, which costs only time later."""
    if not path.parent.is_dir():
        return False
    try:
        write_bytes(path, content + hashlib.sha256(content).digest(), mode=0o600)
    except OSError:
        return False
    return True


def forget_old(folder: Path) -> None:
    """Remove what nobody has used for a month."""
    limit = time.time() - KEEP_DAYS * 86400
    with suppress(OSError):
        for other in list(folder.iterdir()):
            with suppress(OSError):
                if other.is_file() and other.lstat().st_mtime < limit:
                    other.unlink()


# ---------------------------------------------------------------- the form of a file: a record, then bytes


def packed_file(magic: bytes, about: dict[str, Any], body: bytes) -> bytes:
    record = json.dumps(about, sort_keys=True).encode()
    return magic + len(record).to_bytes(8, "little") + record + body


def unpacked_file(magic: bytes, content: bytes) -> tuple[dict[str, Any], bytes]:
    """Record and bytes, or a ValueError."""
    start = len(magic) + 8
    if not content.startswith(magic) or len(content) < start:
        raise ValueError("not a file of this form")
    end = start + int.from_bytes(content[len(magic) : start], "little")
    about = json.loads(content[start:end])
    if not isinstance(about, dict):
        raise ValueError("not a record")
    return about, content[end:]
