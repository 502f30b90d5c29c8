"""Results of functions of a table or a column, computed once and kept as long as the table is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
V = TypeVar("V")


def remembered(find: Callable[[K], Iterable[V]]) -> Callable[[K], tuple[V, ...]]:
    """The function of one unchanging object, with its result kept: it runs once for each object."""
    cache: WeakKeyDictionary[K, tuple[V, ...]] = WeakKeyDictionary()

    @wraps(find)
    def looked_up(key: K) -> tuple[V, ...]:
        if key not in cache:
            cache[key] = tuple(find(key))
        return cache[key]

    return looked_up
