"""Bytes that were packed with gzip or zlib, unpacked as they come and no further than asked."""

from __future__ import annotations

import zlib
from typing import Any

GZIP = b"\x1f"  # what each piece of a packed file begins with
STEP = 64 * 1024  # bytes looked at together: what follows a piece is copied


class Unpacker:
    """Unpacks gzip, or zlib where `is_gzip` says no. Raises zlib.error for other bytes.

    A file of gzip may be several, one after the other (RFC 1952, 2.2): as programs make it that
    pack in parallel, or add to a file. What else follows a piece is padding, and passed over.
    """

    def __init__(self, *, is_gzip: bool = True) -> None:
        self._is_gzip = is_gzip
        self._reader, self._is_over = self._begun(), False

    def _begun(self) -> Any:
        return zlib.decompressobj(wbits=31 if self._is_gzip else 15)

    def __call__(self, chunk: bytes, most: int) -> bytes:
        """What these bytes hold, at most `most` of it; with so much the rest is lost."""
        parts, size = [], 0
        for at in range(0, len(chunk), STEP):
            step = chunk[at : at + STEP]
            while step and size < most and not self._is_over:
                parts.append(self._reader.decompress(step, most - size))
                size += len(parts[-1])
                step = self._rest()
        return b"".join(parts)

    def _rest(self) -> bytes:
        """What follows the end of a piece, if it is another one, for which it begins anew."""
        rest = self._reader.unused_data
        if not self._is_gzip or rest[:1] != GZIP:
            self._is_over = bool(rest)
            return b""
        self._reader = self._begun()
        return rest

    @property
    def is_whole(self) -> bool:
        """Whether the last piece came to its end."""
        return bool(self._reader.eof)
