"""`python -m benchmarks.estimates [WORD ...]`: what cards say that a fit takes, and what it takes.

Every method, or those whose name contains one of the words, is fitted with its defaults to a table
of 10,000 rows by 20 columns that it can be fitted to, on one thread, as the app does. A line says
the seconds on the card, those of a processor that were measured, and their ratio; a fit that takes
over three times as long as the card says is marked, and the exit code is then 1. With `--noise`
the rows lie in no groups and the target has nothing to do with them, for which many methods take
longest. Where the card
says more than `--most` seconds, or the method refuses so many rows, half as many are taken, and
half of these.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any, NamedTuple

from mlcore.spine.threads import thread_settings

os.environ.update(thread_settings(1))  # before numpy is imported: cards speak of one thread

import numpy as np

from mlcore.spine import registry
from mlcore.spine.errors import MlcoreError

ROWS, COLUMNS = 10_000, 20
FEW = 400  # rows of a first fit, which compiles, imports and tells whether the table suits
FACTOR = 3.0  # by which a fit may take longer than its card says
NOTICED = 0.1  # seconds below which nobody waits
MOST = 60.0  # seconds of a fit that is carried out
HEAD = f"{'method':42} {'rows':>6} {'card':>9} {'measured':>9} {'ratio':>6}"


class Measured(NamedTuple):
    """A fit of a method with its defaults."""

    rows: int
    card: float  # seconds that its card says
    seconds: float  # that it took; NaN where it was not carried out or ended
    why: str = ""  # it has no seconds

    @property
    def is_over(self) -> bool:
        """Whether somebody waited for longer than was expected."""
        return self.seconds > max(FACTOR * self.card, NOTICED)


def methods(words: list[str]) -> list[str]:
    """`slot.name` of every method, or of those that contain one of the words."""
    every = [f"{s}.{name}" for s in registry.slots_of("method") for name in registry.names(s)]
    return [name for name in every if not words or any(word in name for word in words)]


def tables(
    n: int, task: str, is_noise: bool = False
) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Tables of n rows for a task: of all methods, of those that want two classes, or no minus."""
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(n, COLUMNS)), rng.integers(3, size=n)
    if not is_noise:
        X = X @ rng.normal(size=(COLUMNS, COLUMNS)) / COLUMNS**0.5
        X[:, : COLUMNS // 2] += 1.5 * rng.normal(size=(3, COLUMNS // 2))[groups]
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    if task == "classification":
        yield X, groups
        yield X, groups // 2
        yield np.abs(X), groups
    elif task == "regression":
        y = 0.5 * rng.normal(size=n)
        if not is_noise:
            y += X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.5 * X[:, 2] * X[:, 3]
        yield X, y
        yield np.abs(X), np.exp(0.3 * y)
    else:
        yield X, None
        yield np.abs(X), None
        yield np.round(X[:, :1]), None  # one column of states


def measured(name: str, most: float, is_noise: bool = False) -> Measured:
    """The method `slot.name` fitted to the largest table that suits it and can be waited for."""
    method = registry.lookup(*name.split("."))()
    task = method.card.learns_from
    cost, n, why = method.card.cost, ROWS, "The card says nothing of its cost."
    while cost and n > FEW:
        sizes = tables(FEW, task, is_noise), tables(n, task, is_noise)
        for (few, y), (X, target) in zip(*sizes, strict=True):
            expected = cost(*X.shape, method)[0]
            if expected > most:
                break
            try:
                method.fit(few, y)
                began = time.process_time()  # whatever else the machine does meanwhile
                method.fit(X, target)
                return Measured(n, expected, time.process_time() - began)
            except MlcoreError as error:
                why = str(error)
        n //= 2
    return Measured(n, np.nan, np.nan, why)


def _serve(asked: Any, most: float, is_noise: bool) -> None:
    while name := asked.recv():
        asked.send(measured(name, most, is_noise))


class Worker:
    """A process that fits one method after the other, and is ended where one takes too long."""

    def __init__(self, most: float, is_noise: bool = False) -> None:
        self.most, self.is_noise = most, is_noise
        self._start()

    def _start(self) -> None:
        fresh = get_context("spawn")
        self.asked, theirs = fresh.Pipe()
        self.process = fresh.Process(
            target=_serve, args=(theirs, self.most, self.is_noise), daemon=True
        )
        self.process.start()

    def measured(self, name: str) -> Measured:
        """What came back in time, else that it did not."""
        self.asked.send(name)
        if self.asked.poll((FACTOR + 1.0) * self.most):
            try:
                return self.asked.recv()
            except EOFError:
                why = "the process ended"
        else:
            why = f"ended after {(FACTOR + 1.0) * self.most:g} s"
        self.process.kill()
        self._start()
        return Measured(ROWS, np.nan, np.nan, why)

    def end(self) -> None:
        """Let the process go."""
        self.asked.send("")
        self.process.join()


def line(name: str, m: Measured) -> str:
    """One row of the printed table."""
    if np.isnan(m.seconds):
        return f"{name:42} {m.rows:6} {'-':>9} {'-':>9} {'-':>6}  {m.why}"
    mark = f"  over {FACTOR:g} times" if m.is_over else ""
    numbers = f"{m.rows:6} {m.card:9.3f} {m.seconds:9.3f} {m.seconds / m.card:6.2f}"
    return f"{name:42} {numbers}{mark}"


def main(words: list[str], most: float, is_noise: bool) -> int:
    """Measure and print; 1 where a fit takes longer than its card says by more than a factor."""
    names, worker, over = methods(words), Worker(most, is_noise), 0
    if not names:
        print(f"No method has a name with {' or '.join(words)} in it.", file=sys.stderr)
        return 1
    print(f"{COLUMNS} columns, one thread.\n{HEAD}", flush=True)
    for name in names:
        m = worker.measured(name)
        over += m.is_over
        print(line(name, m), flush=True)
    worker.end()
    print(f"{over} of {len(names)} take over {FACTOR:g} times as long as their card says.")
    return int(over > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of names of methods")
    parser.add_argument("--most", type=float, default=MOST, help="seconds of a fit")
    parser.add_argument(
        "--noise", action="store_true", help="rows in no groups, a target by chance"
    )
    options = parser.parse_args()
    sys.exit(main(options.words, options.most, options.noise))
