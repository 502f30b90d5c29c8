"""Room that a store keeps on its disk and gives back when the disk is full.

To remove something from a database needs room as well: what is to be overwritten is written to its
log first. Without a reserve nobody could delete a run just when that is needed most.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

LOG = logging.getLogger(__name__)


class Reserve:
    """A file that takes room and says nothing. Several servers may share one."""

    def __init__(self, file: Path | None, size: int) -> None:
        self.file, self.size = file, size  # None: the database is kept elsewhere

    def hold(self) -> None:
        """Take the room, where there is as much."""
        if self.file is None or (self.file.exists() and self.file.stat().st_size == self.size):
            return
        try:
            with open(self.file, "wb", opener=_private) as file:
                _fill(file, self.size)
        except OSError:
            LOG.warning("The disk of the store has no room for a reserve.", exc_info=True)
            self.file.unlink(missing_ok=True)  # what it took is wanted by others

    @contextmanager
    def given_back(self) -> Iterator[None]:
        """Let go of the room for a while."""
        if self.file is not None:
            LOG.warning("The disk of the store is full: its reserve is used.")
            self.file.unlink(missing_ok=True)
        try:
            yield
        finally:
            self.hold()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _fill(file: BinaryIO, size: int) -> None:
    """Have the file system set so many bytes aside."""
    if sys.platform == "linux":
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.write(os.urandom(size))
