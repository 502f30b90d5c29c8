"""Functions that the tests have carried out in a worker."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.places import HERE, Place
from mlcore.spine.errors import DataError

HOARD: list[np.ndarray] = []


class Part(NamedTuple):
    done: int
    total: int
    found: object
    unit: str = "parts"


class Fold(NamedTuple):
    done: int
    total: int
    unit: str = "folds"


@dataclass
class Table:
    """Counts in each process how often one was received."""

    values: np.ndarray
    received = 0

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        Table.received += 1


class Counted(Dataset):
    """Counts how often this process pickled one."""

    pickled = 0

    def __getstate__(self) -> dict:
        Counted.pickled += 1
        return self.__dict__


def counted(dataset: Dataset) -> Counted:
    made = object.__new__(Counted)
    made.__dict__.update(dataset.__dict__)
    return made


def add(a: float, b: float) -> float:
    return a + b


def pid() -> int:
    return os.getpid()


def settings() -> dict[str, str]:
    return dict(os.environ)


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def folds(done: int, total: int, then: str = "finish") -> Iterator[Fold]:
    """Tell `done` folds, then do one more thing."""
    if then == "spin":
        _spin()(np.array([-1.0]))  # compiled before the first fold is told
    for k in range(done):
        yield Fold(k + 1, total)
    globals()[then]()
    return done


def parts(
    n: int, part: str = "sleep", *args: object, place: Place = HERE, before: Sequence = ()
) -> Generator[Part, None, list]:
    """A run of n independent calls of another probe; each that ended is an event."""
    events = []
    ended = place.each(globals()[part], [(*args, k) for k in range(len(before), n)])
    for found in chain((part.found for part in before), (found for _, found in ended)):
        events.append(Part(len(events) + 1, n, found))
        yield events[-1]
    return [event.found for event in events]


def nap(seconds: float, k: int) -> tuple[int, int]:
    """Who took it."""
    time.sleep(seconds)
    return k, os.getpid()


def stumble(name: str, at: int, k: int) -> int:
    """Call another probe at one place."""
    if k == at:
        globals()[name]()
    return k


def fill(mib: int, k: int) -> int:
    """Occupy memory for some seconds."""
    held = np.ones(mib * 2**17)
    time.sleep(5)
    return len(held)


def rows_of(dataset: Dataset, k: int) -> tuple[int, int, int]:
    """Which process, which object in it, how many rows."""
    return os.getpid(), id(dataset), dataset.n


def finish() -> None:
    pass


def multiply() -> None:
    """A loop in C that never ends."""
    A = np.ones((1500, 1500))
    while True:
        A @ A


def spin() -> None:
    """A compiled loop that never ends and keeps the interpreter to itself."""
    _spin()(np.zeros(1))


@cache
def _spin():
    from numba import njit

    @njit
    def forever(x):
        while x[0] >= 0:
            x[0] += 1
            if x[0] > 1e9:
                x[0] = 0

    return forever


def eat() -> None:
    """Take memory until there is no more."""
    held = []
    while True:
        held.append(np.ones(4_000_000))
        time.sleep(0.01)


def hoard() -> None:
    """Leave memory occupied when the task is over."""
    HOARD.append(np.ones(75_000_000))


def take_all() -> None:
    np.ones(2**60, dtype=np.uint8)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuse() -> None:
    raise DataError("k-means with n_clusters=3 needs at least that many points; got 2.")


def break_down() -> float:
    return 1 / 0


def unsendable():
    return lambda: 0


def output_goes_to_the_log() -> bool:
    return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())


def look_at(table: Table) -> tuple[int, float, bool, int]:
    """How often this process received a table, its sum, whether it can be written to, and who."""
    return Table.received, float(table.values.sum()), table.values.flags.writeable, os.getpid()


def leave(code: int) -> None:
    """End the process at once."""
    os._exit(code)


def product(n: int) -> float:
    """A corner of a product that is large enough for several threads."""
    return float((np.ones((n, n)) @ np.ones((n, n)))[0, 0])
