"""How fast this machine works at the moment: a process does a little work now and then.

It is imported in that process, which should start at once: nothing but the standard library.
"""

from __future__ import annotations

import time
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event

WORK, REST = 0.02, 0.08  # seconds of a processor, and by the clock


def count(seconds: Synchronized[float], over: Event) -> None:
    """Add up the time that passes, divided by how much longer than alone the work takes."""
    last = time.monotonic()
    while not over.wait(REST):
        begun = time.monotonic()
        worked()
        slower = max((time.monotonic() - begun) / WORK, 1.0)
        now = time.monotonic()
        seconds.value += (now - last) / slower
        last = now


def worked() -> None:
    """Keep a processor busy for WORK seconds."""
    until = time.process_time() + WORK
    while time.process_time() < until:
        pass
