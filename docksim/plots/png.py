"""PNG files of drawn figures, written without searching for the best filter of every row.

A figure is mostly flat: without filters it packs at least as well as with those that Pillow picks, in half the time.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
PACKING = 4  # of 9: files as small as before; 3 is a little faster and a fifth larger
INCH_M = 0.0254


def png_bytes(pixels: np.ndarray, dpi: float) -> bytes:
    """A file of pixels (rows, columns, red-green-blue-alpha) in bytes."""
    rows, columns, _ = pixels.shape
    lines = np.zeros((rows, 1 + 4 * columns), np.uint8)  # each row begins with its filter: 0 is none
    lines[:, 1:] = pixels.reshape(rows, 4 * columns)
    per_metre = round(dpi / INCH_M)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)  # 8 bits of 4 colours, not interlaced
    size = struct.pack(">IIB", per_metre, per_metre, 1)
    parts = ((b"IHDR", header), (b"pHYs", size), (b"IDAT", zlib.compress(lines.tobytes(), PACKING)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(name, content) for name, content in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
