"""Few pages are drawn at once, whoever asks: the others wait, persons in rotation.

A server draws all its pages with one interpreter, which does one thing at a time. Fifty pages drawn
side by side are ready together, at the end, after a third of the time went into handing the
interpreter on; two by two the first are ready at once, and the last sooner as well (decision 0500).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from service.fair_queue import FairQueue, Person

AT_ONCE = 2  # pages: one is computed while another sends, or waits for memory
LONGEST = 10.0  # seconds for which a page is counted: one that hangs keeps others out for so long
COMING_BACK = 2.0  # seconds for which one that was outside waits to come in again, at most
FIRST_TIME, AGAIN = 0, -1  # priorities: what is half done is finished first


@dataclass(eq=False)
class Admitted:
    """A page that is drawn, or waits for that; `began` is a monotonic second."""

    person: Person
    asked: float
    priority: int = FIRST_TIME
    expected: float = 0.0  # seconds; all are short
    began: float = 0.0
    may_begin: threading.Event = field(default_factory=threading.Event)


class _OfThread(threading.local):
    one: Admitted | None = None  # that is inside


class Admission:
    """Lets so many threads go on at once; one that waits for something else is outside."""

    def __init__(self, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once, self._clock = at_once, clock
        self._lock = threading.Lock()
        self._queue: FairQueue[Admitted] = FairQueue(clock)
        self._inside: list[Admitted] = []
        self._of_thread = _OfThread()

    @property
    def is_busy(self) -> bool:
        """Whether anybody is inside, or waits, besides the one who asks."""
        with self._lock:
            return len(self._inside) + len(self._queue) > 1

    @contextmanager
    def inside(self, person: Person) -> Iterator[None]:
        """Wait until this thread may go on, and let the next one in at the end."""
        one = Admitted(person, self._clock())
        self._add(one)
        while not one.may_begin.wait(LONGEST):
            self._admit()  # one that hangs is counted no longer
        self._of_thread.one = one
        try:
            yield
        finally:
            self._of_thread.one = None
            self._leave(one)

    @contextmanager
    def outside(self) -> Iterator[None]:
        """In here a thread that is inside waits for something else, and another may go on.

        It comes back before new ones, and after `COMING_BACK` seconds in any case: it may hold a
        lock that those inside wait for.
        """
        one = self._of_thread.one
        if one is None:
            yield
            return
        self._leave(one)
        try:
            yield
        finally:
            self._come_back(one)

    def _come_back(self, one: Admitted) -> None:
        one.priority, one.asked = AGAIN, self._clock()
        one.may_begin.clear()
        self._add(one)
        if not one.may_begin.wait(COMING_BACK):
            with self._lock:
                if not one.may_begin.is_set():
                    self._let_in(one)

    def _add(self, one: Admitted) -> None:
        with self._lock:
            self._queue.add(one)
        self._admit()

    def _leave(self, one: Admitted) -> None:
        with self._lock:
            self._inside.remove(one)
            self._queue.over(one)
        self._admit()

    def _admit(self) -> None:
        with self._lock:
            while len(self._queue) and self._counted() < self._at_once:
                self._let_in(self._queue.next)

    def _let_in(self, one: Admitted) -> None:
        self._queue.take(one)
        one.began = self._clock()
        self._inside.append(one)
        one.may_begin.set()

    def _counted(self) -> int:
        since = self._clock() - LONGEST
        return sum(one.began > since for one in self._inside)


PAGES = Admission(AT_ONCE)


def pause(seconds: float) -> None:
    """Sleep outside: who leaves the browser alone, or waits for the next key, draws nothing."""
    with PAGES.outside():
        time.sleep(seconds)
