"""Who is served next: jobs wait by priority, persons are served in rotation, short work first."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, Protocol, TypeVar


class Person(NamedTuple):
    """Who asks: every tab of one browser is one person, and an address may have several."""

    browser: str = ""
    address: str = ""


class Waiting(Protocol):
    """What stands in the queue. Lower priority numbers go first."""

    person: Person
    priority: int
    expected: float  # seconds that it will take
    asked: float  # monotonic second at which it was asked for


W = TypeVar("W", bound=Waiting)

# Work that takes no longer (seconds) than a person watches for is short.
SHORT_SECONDS = 5.0


class FairQueue(Generic[W]):
    """Jobs that wait and a count of those that run; not thread-safe by itself.

    Among the waiting jobs of the lowest priority number, the next belongs to the person who has
    the fewest running; among equals to the address that has the fewest, then short work goes
    before long, then whoever was served longest ago. Long work that has waited as long as it will
    take counts as short, so that nobody waits for ever.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting: list[W] = []  # in the order in which they were asked for
        self._running: Counter[Hashable] = Counter()  # by person, and by address
        self._served: dict[Person, int] = {}  # the last job that each person had, by number
        self._number = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many have been taken and are not over."""
        return self._running[None]

    @property
    def next(self) -> W:
        """The one that will be taken; IndexError when none waits."""
        if not self._waiting:
            raise IndexError("nothing waits")
        return min(self._waiting, key=self._place)

    def add(self, item: W) -> None:
        """Queue it behind the others of its person; a newcomer counts as served just now."""
        self._served.setdefault(item.person, self._number)
        self._waiting.append(item)

    def take(self, item: W | None = None) -> W:
        """The next to run, or one that must not wait; IndexError when none waits."""
        item = item or self.next
        self._number += 1
        self._served[item.person] = self._number
        self.remove(item)
        self._count(item, 1)
        return item

    def runs_for(self, person: Person) -> int:
        """How many jobs of this person run."""
        return self._running[person]

    def is_short(self, item: W) -> bool:
        """Whether it takes little, or has waited for as long as it will take."""
        waited = self._clock() - item.asked
        return item.expected <= max(SHORT_SECONDS, waited)

    def ahead(self, group: Hashable, group_of: Callable[[W], Hashable]) -> int:
        """How many other groups will be taken before the first of this one, if none comes in."""
        copy = FairQueue[W](self._clock)
        copy._waiting, copy._running = list(self._waiting), Counter(self._running)
        copy._served, copy._number = dict(self._served), self._number
        before: set[Hashable] = set()
        while len(copy) and (taken := group_of(copy.take())) != group:
            before.add(taken)
        return len(before)

    def over(self, item: W) -> None:
        """Take note that one that was taken has ended."""
        self._count(item, -1)

    def remove(self, item: W) -> None:
        """Take a waiting one out of the queue."""
        self._waiting.remove(item)
        if not any(other.person == item.person for other in self._waiting):
            self._served.pop(item.person, None)

    def _place(self, item: W) -> tuple:
        """What decides who is before whom; equal ones stand as they were asked for."""
        by_person, by_address = self._running[item.person], self._running[item.person.address]
        last = self._served[item.person]
        return item.priority, by_person, by_address, not self.is_short(item), last

    def _count(self, item: W, change: int) -> None:
        for whom in (None, item.person, item.person.address):
            self._running[whom] += change
            if not self._running[whom]:
                del self._running[whom]
