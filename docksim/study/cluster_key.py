"""What a scheduler, its workers and its studies share: an address, and a certificate with its key, in one file.

The key is made anew at each start of a scheduler. All of them show the certificate to each other, over TLS, and nobody
answers who has another one; so who can read the file is who can use the cluster. The file is its user's alone: it is
made so, and one that others can read or may have written is refused.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docksim.files.writing import write_bytes
from docksim.result.reading import UNREADABLE, a_word, fault, from_json, plain_file
from docksim.result.result import ResultError

SCHEME = "tls://"
LARGEST = 2**16  # bytes
CLOSED = 0o600


@dataclass(frozen=True)
class ClusterKey:
    """Where a scheduler is, and what it knows its own by: certificate and key as PEM."""

    address: str
    certificate: str
    key: str

    def security(self) -> Any:
        """The same for dask; all roles have one certificate, which is its own authority."""
        from distributed import Security

        roles = ("client", "scheduler", "worker")
        keys = {f"tls_{role}_key": self.key for role in roles}
        certificates = {f"tls_{role}_cert": self.certificate for role in roles}
        return Security(require_encryption=True, tls_ca_file=self.certificate, **keys, **certificates)

    def write(self, file: Path) -> None:
        write_bytes(file, (json.dumps(asdict(self), indent=1) + "\n").encode(), mode=CLOSED)


def new_key(address: str = "") -> ClusterKey:
    """A key of its own for a start; certificates live for a year."""
    from distributed import Security

    made = Security.temporary()
    return ClusterKey(address, made.tls_ca_file, made.tls_scheduler_key)


def read_key(file: Path) -> ClusterKey:
    """The file of a scheduler; ResultError if it is none, or not the user's alone."""
    try:
        with plain_file(file, LARGEST) as stream:
            _refuse_others(file, os.fstat(stream.fileno()))
            told = from_json(stream.read().decode("utf-8"))
        key = ClusterKey(**{name: a_word(name, told[name]) for name in ("address", "certificate", "key")})
        if not key.address.startswith(SCHEME) or "\n" not in key.certificate or "\n" not in key.key:
            raise ValueError("not the address and key of a cluster")
        return key
    except FileNotFoundError:
        raise ResultError(f"{file}: no such file; docksim cluster scheduler writes it") from None
    except UNREADABLE as error:
        raise fault(file, error) from error


def _refuse_others(file: Path, info: os.stat_result) -> None:
    if hasattr(os, "getuid") and info.st_uid != os.getuid():
        raise ResultError(f"{file}: belongs to another user, who could run code here as you; it is not used")
    if hasattr(os, "getuid") and info.st_mode & ~CLOSED & 0o777:
        raise ResultError(f"{file}: others can read it, and with it run code as you: chmod 600 it, or start anew")
