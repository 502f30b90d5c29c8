"""Where the independent calls of a run are carried out: here, one after the other, or elsewhere.

A run that is made of independent parts hands them to a place, and takes their results as they end.
A place may carry out several at once, in other processes or on other machines; the numbers are the
same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar, Protocol, TypeVar


class Event(Protocol):
    """A dataclass that says what has ended."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


E = TypeVar("E", bound=Event)


class Place(Protocol):
    """Carries out calls of one function."""

    def each(self, function: Callable, calls: Iterable[tuple]) -> Iterator[tuple[int, Any]]:
        """Carry out `function(*call)` for each call; yield (position, result) as they end.

        A call is made up when its turn comes: all together may be larger than the memory.

        The function stands at the top of a module of mlcore, depends on its arguments alone, and
        these and its result can be pickled. What it raises is raised here.
        """
        ...


class Here:
    """This process, one call after the other, each when its result is asked for."""

    def each(self, function: Callable, calls: Iterable[tuple]) -> Iterator[tuple[int, Any]]:
        """Yield (position, result) of each call, in order."""
        for k, call in enumerate(calls):
            yield k, function(*call)


HERE: Place = Here()


def each_counted(
    place: Place, function: Callable, calls: Iterable[tuple], before: Sequence[E], **known: int
) -> Generator[E, None, list[E]]:
    """Yield the events of an attempt that was stopped, then those of the calls, each with how many
    are `done` by then and with what else is known; return them all.

    An event has a field `done`, and fields for what is known.
    """
    events: list[E] = []
    for event in chain(before, (event for _, event in place.each(function, calls))):
        events.append(replace(event, done=len(events) + 1, **known))
        yield events[-1]
    return events
