"""Files on their way from a browser to a page: how much of them the server holds.

Streamlit takes files at an address of its own, whether or not a page asks for them, and holds them
until the session ends. Here that has bounds: one file, the files of a session, those of all.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Protocol
from weakref import WeakSet

from service.limits import Limits


class Holds(Protocol):
    """What holds the files of all sessions: Streamlit's manager of uploaded files."""

    def add_file(self, session_id: str, file: Any) -> None:
        """Hold a file of a session."""
        ...

    def get_files(self, session_id: str, file_ids: Any) -> list:
        """The files of a session with these ids that are held."""
        ...

    def remove_file(self, session_id: str, file_id: str) -> None:
        """Let go of a file."""
        ...


_BOUND: WeakSet[Any] = WeakSet()


class Bounds:
    """Lets go of the oldest files when a new one exceeds what a session or all may hold.

    A session may hold one file of the largest size: its page reads a file as soon as it is there.
    """

    def __init__(self, manager: Holds, session_bytes: int, total_bytes: int) -> None:
        self._manager, self._add = manager, manager.add_file
        self._session_bytes, self._total_bytes = session_bytes, total_bytes
        self._sizes: OrderedDict[tuple[str, str], int] = OrderedDict()  # the oldest first
        self._lock = threading.Lock()

    def add_file(self, session_id: str, file: Any) -> None:
        """Hold a file of a session, and let go of what is too much with it."""
        with self._lock:
            self._forget_removed()
            self._sizes.pop((session_id, file.file_id), None)
            own = [key for key in self._sizes if key[0] == session_id]
            self._let_go(own, self._session_bytes - len(file.data))
            self._let_go(list(self._sizes), self._total_bytes - len(file.data))
            self._sizes[session_id, file.file_id] = len(file.data)
            self._add(session_id=session_id, file=file)

    def _let_go(self, keys: list[tuple[str, str]], most: int) -> None:
        """Remove the oldest of these until the others have at most so many bytes."""
        used = sum(self._sizes[key] for key in keys)
        for key in keys:
            if used <= most:
                return
            used -= self._sizes.pop(key)
            self._manager.remove_file(*key)

    def _forget_removed(self) -> None:
        """What the page or the end of its session removed meanwhile takes no room."""
        for session, file in list(self._sizes):
            if not self._manager.get_files(session, [file]):
                del self._sizes[session, file]


def bound(manager: Any, limits: Limits) -> None:
    """Hold a manager of uploaded files to these limits from now on; a second time does nothing."""
    if manager in _BOUND:
        return
    _BOUND.add(manager)
    bounds = Bounds(manager, limits.upload_mb * 2**20, limits.uploads_mb * 2**20)
    manager.add_file = bounds.add_file
