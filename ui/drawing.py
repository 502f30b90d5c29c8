"""How many pages this server process is drawing at the moment: what nobody asked for waits then."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()
_UNDER_WAY = [0]


@contextmanager
def under_way() -> Iterator[None]:
    """In here a page is drawn, for somebody who waits for it."""
    _add(1)
    try:
        yield
    finally:
        _add(-1)


def is_busy() -> bool:
    """Whether any page is drawn besides the one that asks."""
    return _UNDER_WAY[0] > 1


def _add(pages: int) -> None:
    with _LOCK:
        _UNDER_WAY[0] += pages
