"""What was once found about a table or a column, which never change: kept as long as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
V = TypeVar("V")


def remembered(find: Callable[[K], Iterable[V]]) -> Callable[[K], tuple[V, ...]]:
    """A function of one unchanging thing, carried out once for each."""
    cache: WeakKeyDictionary[K, tuple[V, ...]] = WeakKeyDictionary()

    @wraps(find)
    def looked_up(key: K) -> tuple[V, ...]:
        if key not in cache:
            cache[key] = tuple(find(key))
        return cache[key]

    return looked_up
