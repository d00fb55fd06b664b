"""Fields of numpy's records by attribute, without the detour of numpy's own way, which takes most of a plain run.

`numpy.record` looks for every attribute with a function and an exception before it comes to the field. The kernel as
plain Python does little else. Here a field becomes a property when it is first met, read and written by the same item
access of `numpy.void`, so every number stays what it is. For processes that only run the kernel as plain Python.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def install() -> None:
    """For all records of this process."""

    def first_met(record: Any, name: str) -> Any:
        if name not in (record.dtype.names or ()):
            raise AttributeError(f"record has no field {name!r}")
        setattr(np.record, name, property(operator.itemgetter(name)))
        return record[name]

    for method in ("__getattribute__", "__getitem__"):
        delattr(np.record, method)
    np.record.__getattr__ = first_met  # type: ignore[attr-defined]
    np.record.__setattr__ = np.void.__setitem__  # type: ignore[assignment, method-assign]
