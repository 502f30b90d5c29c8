"""Whose turn it is: jobs wait by priority, and owners take turns, so nobody waits for one person's
queue."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Waiting(Protocol):
    """What stands in the queue. Lower priority numbers go first."""

    owner: str
    priority: int


W = TypeVar("W", bound=Waiting)


class FairQueue(Generic[W]):
    """Jobs that wait and a count of those that run; not thread-safe by itself.

    Among the waiting jobs of the lowest priority number, the next is the first of the owner
    who has the fewest running, and among equals of the one who was served longest ago.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, OrderedDict[str, deque[W]]] = {}
        self._running: Counter[str] = Counter()

    def __len__(self) -> int:
        return sum(len(q) for owners in self._waiting.values() for q in owners.values())

    @property
    def running(self) -> int:
        """How many have been taken and are not over."""
        return self._running.total()

    @property
    def first(self) -> int:
        """The lowest priority number of those that wait; 0 where none does."""
        return min(self._waiting, default=0)

    def add(self, item: W) -> None:
        """Queue it behind the others of its owner."""
        owners = self._waiting.setdefault(item.priority, OrderedDict())
        owners.setdefault(item.owner, deque()).append(item)

    def take(self) -> W:
        """The next to run; IndexError when none waits."""
        if not self._waiting:
            raise IndexError("nothing waits")
        owners = self._waiting[min(self._waiting)]
        owner = min(owners, key=lambda name: self._running[name])  # the first among equals
        item = owners[owner][0]
        self.remove(item)
        if owner in owners:
            owners.move_to_end(owner)
        self._running[owner] += 1
        return item

    def ahead(self, group: Hashable, group_of: Callable[[W], Hashable]) -> int:
        """How many other groups will be taken before the first of this one, if none comes in."""
        copy = FairQueue[W]()
        copy._running = Counter(self._running)
        copy._waiting = {
            priority: OrderedDict((owner, deque(queue)) for owner, queue in owners.items())
            for priority, owners in self._waiting.items()
        }
        before: set[Hashable] = set()
        while len(copy) and (taken := group_of(copy.take())) != group:
            before.add(taken)
        return len(before)

    def over(self, item: W) -> None:
        """Say that one that was taken has ended."""
        self._running[item.owner] -= 1
        if not self._running[item.owner]:
            del self._running[item.owner]

    def remove(self, item: W) -> None:
        """Take a waiting one out of the queue."""
        owners = self._waiting[item.priority]
        owners[item.owner].remove(item)
        if not owners[item.owner]:
            del owners[item.owner]
        if not owners:
            del self._waiting[item.priority]
