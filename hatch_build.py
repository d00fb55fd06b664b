"""Two wheels of the same sources: a plain one, and one with machine code for Linux on x86-64.

DOCKSIM_SHIPPED names a folder of shared libraries that `python -m docksim.native.ship` has made; they travel inside the
package, and the wheel is tagged for where they run. They import no symbol but memset and need no library, so the oldest
tag that every pip knows is honest. Without the variable the wheel is plain.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TAG = "py3-none-manylinux_2_17_x86_64"


class Hook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        told = os.environ.get("DOCKSIM_SHIPPED")
        if not told or version == "editable":
            return
        folder = Path(self.root, told)
        files = sorted((*folder.glob("*.so"), *folder.glob("*.json")))
        if not files:
            raise FileNotFoundError(f"DOCKSIM_SHIPPED={told}: no libraries there; python -m docksim.native.ship {told}")
        build_data["tag"] = TAG
        build_data["pure_python"] = False
        for path in files:
            build_data["force_include"][str(path)] = f"docksim/native/shipped/{path.name}"
