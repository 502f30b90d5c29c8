"""Tasks that can be done only by remembering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

STEP, WASHED = 0.1, 300.0  # of the Mackey-Glass equation: time step, and time left out
LAG = 17.0  # of the Mackey-Glass equation, in units of time
SPAN = 20  # rows of one sum of the adding task


def _echo(n: int, lag: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    u = rng.uniform(-0.5, 0.5, n + lag)
    return u[lag:, None], u[:n]


def _adding(n: int, lag: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, two of which are marked in each span; the target is the sum of the marked so far."""
    u, mark = rng.uniform(size=n), np.zeros(n)
    for start in range(0, n, SPAN):
        size = min(SPAN, n - start)
        mark[start + rng.permutation(size)[:2]] = 1.0
    sums = np.concatenate([np.cumsum(part) for part in np.split(u * mark, range(SPAN, n, SPAN))])
    return np.column_stack([u, mark]), sums


def _parity(n: int, lag: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Bits, and whether the last `lag` of them hold an odd number of ones."""
    bits = rng.integers(0, 2, n + lag)
    total = np.cumsum(np.concatenate([[0], bits]))
    return bits[lag:, None].astype(float), (total[lag + 1 :] - total[1 : n + 1]) % 2.0


def _mackey_glass(n: int, lag: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """x' = 0.2 x(t - 17) / (1 + x(t - 17)^10) - 0.1 x by Euler's rule, seen once a unit of time."""
    behind, every = round(LAG / STEP), round(1 / STEP)
    steps = round(WASHED / STEP) + (n + lag) * every
    x = np.empty(steps + behind + 1)
    x[: behind + 1] = 1.2 + 0.1 * rng.uniform(-1, 1)
    for t in range(behind, steps + behind):
        past = x[t - behind]
        x[t + 1] = x[t] + STEP * (0.2 * past / (1 + past**10) - 0.1 * x[t])
    seen = x[-(n + lag) * every :: every]
    return seen[:n, None], seen[lag:]


def _narma(n: int, lag: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The series of order ten: a sum over ten steps and a product of inputs ten steps apart."""
    u, y = rng.uniform(0, 0.5, n + 10), np.zeros(n + 10)
    for t in range(9, n + 9):
        y[t + 1] = 0.3 * y[t] + 0.05 * y[t] * y[t - 9 : t + 1].sum() + 1.5 * u[t - 9] * u[t] + 0.1
    return u[10:, None], y[10:]


def _sines(n: int, lag: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    t = np.arange(n + lag)
    x = np.sin(0.2 * t) + 0.5 * np.sin(0.311 * t) + 0.05 * rng.normal(size=n + lag)
    return x[:n, None], x[lag:]


def _steps(n: int, lag: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A level that jumps every hundred rows, seen with noise; the target is the level."""
    level = rng.normal(size=n // 100 + 1)[np.arange(n) // 100]
    return (level + 0.5 * rng.normal(size=n))[:, None], level


TASKS = {
    "echo": _echo,
    "adding": _adding,
    "parity": _parity,
    "mackey glass": _mackey_glass,
    "narma": _narma,
    "sines": _sines,
    "steps": _steps,
}
MOST = 20_000  # rows; the chaotic series are made step by step


@enter(Card("temporal_tasks", "Tasks of memory", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class TemporalTasks(shared.Generator):
    """Rows in time whose target depends on earlier rows.

    Echo: the input some rows ago. Adding: the sum of the marked numbers of this span of 20 rows.
    Parity: whether the last bits hold an odd number of ones. Mackey and Glass: a chaotic series,
    some rows ahead. NARMA: a target of order ten. Sines: two of them with noise, ahead. Steps: the
    level behind a noisy, jumping signal.

    Shows memory: a method that sees one row at a time cannot do better than the mean.
    """

    n_samples: int = shared.n_samples(500, MOST)
    task: str = choice("echo", *TASKS, doc="What the target is.")
    lag: int = integer(
        5, low=1, high=100, soft=(1, 30),
        doc="How many rows back, or ahead, the target lies where the task has such a distance.",
    )  # fmt: skip

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The rows in the order of time."""
        X, y = TASKS[self.task](self.n_samples, self.lag, self.rng(self.task))
        columns = [numeric(f"x{j + 1}", X[:, j]) for j in range(X.shape[1])]
        time = numeric("time", np.arange(self.n_samples), "count")
        table = Table.of(time, *columns, numeric("y", y))
        truth = shared.Truth(signal=y)
        return Origin(table, self.title(), "y", (("time", "order"),), truth)
