"""Whether the kernel is being compiled: known without importing what compiles it."""

from __future__ import annotations

import threading

# held by whoever compiles
COMPILING = threading.Lock()
