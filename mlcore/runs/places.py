"""Where the independent calls of a run are carried out: here, one after the other, or elsewhere.

A run that is made of independent parts hands them to a place, and takes their results as they end.
A place may carry out several at once, in other processes or on other machines; the numbers are the
same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol


class Place(Protocol):
    """Carries out calls of one function."""

    def each(self, function: Callable, calls: Sequence[tuple]) -> Iterator[tuple[int, Any]]:
        """Carry out `function(*call)` for each call; yield (position, result) as they end.

        The function stands at the top of a module of mlcore, depends on its arguments alone, and
        these and its result can be pickled. What it raises is raised here.
        """
        ...


class Here:
    """This process, one call after the other, each when its result is asked for."""

    def each(self, function: Callable, calls: Sequence[tuple]) -> Iterator[tuple[int, Any]]:
        """Yield (position, result) of each call, in order."""
        for k, call in enumerate(calls):
            yield k, function(*call)


HERE: Place = Here()
