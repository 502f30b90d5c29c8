"""Our own threads: independent pieces of work side by side, without a change of a single bit."""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

# Helpers of all work that is shared at once: where these are too few, who shares it works alone.
MOST_HELPERS = 64
T = TypeVar("T")
R = TypeVar("R")


class _OfThread(threading.local):
    """What differs from thread to thread."""

    is_busy: bool = False  # in a thread that carries out a part of some work


_OURS = _OfThread()


class _Helpers:
    """Threads that stay: to begin one takes 0.15 ms, to wake one a quarter of that."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(MOST_HELPERS)
        if sys.platform != "win32":  # a process that was forked has none of its threads
            os.register_at_fork(after_in_child=self.begin_anew)

    def begin_anew(self) -> None:
        """Forget threads that are not there."""
        self.pool = ThreadPoolExecutor(MOST_HELPERS)


_HELPERS = _Helpers()


def threads() -> int:
    """How many threads one fit may use: MLSCOPE_THREADS, 1 unless it says otherwise."""
    return max(int(os.environ.get("MLSCOPE_THREADS") or 1), 1)


def threads_left() -> int:
    """How many threads a part of the work may use here: within work that is shared already, 1."""
    return 1 if _OURS.is_busy else threads()


def side_by_side(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """`work` of each item, in order; who stops asking stops what has not begun.

    Pays only for work that spends its time in compiled loops, which let go of the interpreter.
    Within such work everything is done one after the other: there are never more than `threads`.
    """
    items = list(items)
    if threads_left() == 1 or len(items) <= 1:
        yield from map(work, items)
        return
    due = deque((Future[R](), item) for item in items)
    results = [result for result, _ in due]
    more = min(threads(), len(items)) - 1
    helpers = [_HELPERS.pool.submit(_help, work, due) for _ in range(more)]
    try:
        for result in results:
            while not result.done() and _carried_out(work, due):
                pass  # whoever waits works too
            yield result.result()
    finally:
        due.clear()
        for helper in helpers:
            if not helper.cancel():  # it has begun
                helper.result()


def _help(work: Callable[[T], R], due: deque[tuple[Future[R], T]]) -> None:
    while _carried_out(work, due):
        pass


def _carried_out(work: Callable[[T], R], due: deque[tuple[Future[R], T]]) -> bool:
    """Carry out the next item that nobody has begun; returns whether there was one."""
    try:
        result, item = due.popleft()
    except IndexError:
        return False
    was_busy, _OURS.is_busy = _OURS.is_busy, True
    try:
        result.set_result(work(item))
    except BaseException as error:  # noqa: BLE001  # whoever asks for the result gets it
        result.set_exception(error)
    finally:
        _OURS.is_busy = was_busy
    return True


def even_parts(n: int, most: int) -> list[tuple[int, int]]:
    """First and last of ranges of n of about one size, at most `most`: one, or an even number, so
    that two threads end together."""
    count = max(-(-n // most), 1)
    count += count % 2 if count > 1 else 0
    ends = [n * k // count for k in range(count + 1)]
    return list(itertools.pairwise(ends))


class Crew:
    """Threads that stay, for many pieces of work too short to begin threads for each."""

    def __init__(self) -> None:
        more = threads_left() - 1
        self.size = 1 + more
        self._pool = ThreadPoolExecutor(more, initializer=_set_to_work) if more else None

    def parts(self, n: int, multiple: int = 1) -> list[slice]:
        """As many ranges of n as there are threads, all but the last of such a multiple in size."""
        unit = self.size * multiple
        # To the nearest multiple: of 30 in fours, 16 and 14 and not 12 and 18.
        inner = [(n * k + unit // 2) // unit * multiple for k in range(self.size)]
        ends = [min(end, n) for end in inner] + [n]
        return [slice(a, b) for a, b in itertools.pairwise(ends) if a < b]

    def do(self, work: Callable[[T], object], items: Sequence[T]) -> None:
        """`work` of each item, of the first in the thread that asks."""
        if self._pool is None:
            for item in items:
                work(item)
            return
        others = [self._pool.submit(work, item) for item in items[1:]]
        work(items[0])
        for other in others:
            other.result()


def _set_to_work() -> None:
    _OURS.is_busy = True
