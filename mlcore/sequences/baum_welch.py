"""Baum and Welch's iteration: expected moves and shares of the states, then the likeliest model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from mlcore.gaussians.covariances import moved_means
from mlcore.sequences.emissions import (
    Shown,
    component_shares,
    counted,
    log_emissions,
    pairs_of,
    sides,
    sizes_of,
)
from mlcore.sequences.recursions import Sums, forward_backward, viterbi
from mlcore.sequences.starts import grouped, lumped, split
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given
from mlcore.spine.pool import side_by_side
from mlcore.spine.wording import count

UNUSED = 1e-6  # rows: a state that has fewer keeps what it shows
STARTS = {"kmeans": "kmeans", "random": "points"}  # by their names as starts of a mixture


class Model(NamedTuple):
    """All parameters of a hidden Markov model of N states."""

    start: np.ndarray  # (N,)
    transitions: np.ndarray  # (N, N)
    shown: Shown

    def taken(self, order: np.ndarray) -> Model:
        """The same states in another order, (N,) positions."""
        moved = self.transitions[np.ix_(order, order)]
        return Model(self.start[order], moved, self.shown.taken(order))


@dataclass(frozen=True, eq=False)
class ChainState:
    """Where the iteration stands."""

    labels: np.ndarray  # (n,) by the decoder
    memberships: np.ndarray  # (n, N)
    start: np.ndarray  # (N,)
    transitions: np.ndarray  # (N, N)
    moves: np.ndarray  # (N, N)
    means: np.ndarray  # (N M, q)
    covariances: np.ndarray  # (N M, q, q) or (N M, q)
    frequencies: tuple[np.ndarray, ...]  # (N, L) each
    weights: np.ndarray  # (N, M)
    traces: np.ndarray  # (R, t) log-likelihoods of all runs; NaN where one had ended


class Problem:
    """The rows that all runs share, and what is estimated from them."""

    def __init__(self, method: Any, given: Given) -> None:
        self.method, self.given, self.lengths = method, given, given.sequences
        self.pairs = pairs_of(given.X, given.columns)
        self.rows = sides(given.X, given.columns, self.pairs)
        self.sizes = tuple(size for size in sizes_of(given.columns, self.pairs).tolist() if size)
        if (self.rows.names < 0).any():
            raise DataError(f"{method.title()} got a code that is none of the levels of a column.")
        self.N, self.M = method.n_states, method.n_components
        self.first = np.cumsum(self.lengths) - self.lengths
        self.begins, self.mask = method.allowed(self.N)
        self.ridge, self.spread = self._widths()

    def _widths(self) -> tuple[np.ndarray, np.ndarray]:
        """What is added to variances, (q,), and the standard deviation of each column, (q,)."""
        numbers = self.rows.numbers
        if not numbers.shape[1]:
            return np.empty(0), np.empty(0)
        method, whole = self.method, np.ones((len(numbers), 1))
        mean = moved_means(numbers, whole, numbers[:1])
        pooled = method.covariance.estimated(numbers, whole, mean)[0]
        variances = np.diagonal(pooled) if pooled.ndim == 2 else pooled
        return method.reg_covar * variances, np.sqrt(((numbers - mean) ** 2).mean(axis=0))

    def begun(self, run: int) -> Model:
        """The model from which a run starts, the same however many runs follow."""
        rng, N = self.given.rng(f"start {run}"), self.N
        if not self.rows.numbers.shape[1] and self.method.topology == "full":
            frequencies = tuple(rng.dirichlet(np.ones(size), N) for size in self.sizes)
            nothing = np.empty((N, 0))
            shown = Shown(nothing, nothing, frequencies, np.ones((N, 1)))
            return Model(*self._random_chain(rng), shown)
        M = self.M if self.rows.numbers.shape[1] else 1
        parts = self._first_parts(rng)
        shares = parts.reshape(len(parts), N, M).sum(axis=2)
        first = shares[self.first].sum(axis=0) + 1.0
        moves = np.ones((N, N))
        inside = np.ones(len(shares), dtype=bool)
        inside[self.first] = False
        moves += shares[:-1][inside[1:]].T @ shares[inside]
        everywhere = np.zeros((N * M, len(self.spread))) + self.rows.numbers.mean(axis=0)
        nothing = Shown(everywhere, everywhere[:, :0], (), np.full((N, M), 1 / M))
        shown = self._shows(shares, parts, nothing, pseudo=1.0)
        return Model(_normalised(first * self.begins), _normalised(moves * self.mask), shown)

    def _random_chain(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        start = _normalised(rng.dirichlet(np.ones(self.N)) * self.begins)
        # States last longer than by chance: that is what sequences have and single rows have not.
        moves = rng.dirichlet(np.ones(self.N), self.N) + np.eye(self.N)
        return start, _normalised(moves * self.mask)

    def _first_parts(self, rng: np.random.Generator) -> np.ndarray:
        """Which component of which state each row is given to, (n, N M) of 0 and 1."""
        has_numbers = self.rows.numbers.shape[1] > 0
        Z = self.rows.numbers / self.spread
        if self.method.init == "segments" or not has_numbers:
            place = np.concatenate([np.arange(m) * self.N // m for m in self.lengths])
            shares = np.eye(self.N)[place]
            return split(Z, shares, self.M, rng) if has_numbers else shares
        if self.method.init == "kmeans" and self.M > 1:
            parts = grouped("kmeans", Z, self.N * self.M, rng)
            return parts[:, lumped(parts, self.first, self.M)]
        shares = grouped(STARTS[self.method.init], Z, self.N, rng)
        order = np.argsort((shares.T @ Z)[:, 0] / shares.sum(axis=0), kind="stable")
        return split(Z, shares[:, order], self.M, rng)

    def maximised(self, sums: Sums, before: Model) -> Model:
        """The M step (Rabiner 1989, equations 40 and 52 to 54, summed over the sequences)."""
        pseudo = self.method.pseudo_count
        first = sums.posterior[self.first].sum(axis=0) + pseudo
        moves = (sums.moves + pseudo) * self.mask
        left = moves.sum(axis=1, keepdims=True) > 0  # a state that nothing leaves keeps its moves
        transitions = np.where(left, _normalised(moves), before.transitions)
        shares = sums.posterior
        parts = shares
        if self.rows.numbers.shape[1]:
            parts = component_shares(before.shown, self.rows, shares)
        return Model(
            _normalised(first * self.begins), transitions,
            self._shows(shares, parts, before.shown, pseudo),
        )  # fmt: skip

    def _shows(
        self, shares: np.ndarray, parts: np.ndarray, before: Shown, pseudo: float
    ) -> Shown:  # fmt: skip
        """What states show, by their shares of rows, (n, N), and those of components, (n, N M)."""
        numbers, used = self.rows.numbers, shares.sum(axis=0) > UNUSED
        means, covariances, weights = before.means, before.covariances, before.weights
        if numbers.shape[1]:
            means, covariances = self._normals(parts, before)
            counts = before.parted(parts.sum(axis=0))
            weights = np.where(used[:, None], _normalised(counts), weights)
        tables = [
            counted(codes, shares, size) + pseudo
            for codes, size in zip(self.rows.names.T, self.sizes, strict=True)
        ]
        kept = before.frequencies or tuple(np.full(t.shape, 1 / t.shape[1]) for t in tables)
        frequencies = tuple(
            np.where(used[:, None], _normalised(table), old)
            for table, old in zip(tables, kept, strict=True)
        )
        return Shown(means, covariances, frequencies, weights)

    def _normals(self, parts: np.ndarray, before: Shown) -> tuple[np.ndarray, np.ndarray]:
        """Means and covariances by the shares of the components, (n, N M); unused ones stay."""
        kind, numbers, used = self.method.covariance, self.rows.numbers, parts.sum(axis=0) > UNUSED
        moved = moved_means(numbers, parts, before.means)
        spread = kind.ridged(kind.estimated(numbers, parts, moved), self.ridge)
        if not used.all() and before.covariances.size:
            wide = used.reshape(-1, *[1] * (spread.ndim - 1))
            spread = np.where(wide, spread, before.covariances)
        return np.where(used[:, None], moved, before.means), spread

    def log_prior(self, model: Model) -> float:
        """What pseudo-counts add to the log-likelihood, in nats: 0 without any."""
        pseudo = self.method.pseudo_count
        if not pseudo:
            return 0.0
        tables = (model.start[self.begins], model.transitions[self.mask], *model.shown.frequencies)
        return sum(float(xlogy(pseudo, table).sum()) for table in tables)

    def ordered(self, model: Model) -> np.ndarray:
        """The states in the order in which they are numbered, (N,) positions.

        By the mean of the first column of numbers, else by the mean level of the first column of
        names; as they are where some moves or beginnings are forbidden.
        """
        if self.method.is_ordered:
            return np.arange(self.N)
        shown = model.shown
        if shown.means.shape[1]:
            return np.argsort(shown.state_means[:, 0], kind="stable")
        table = shown.frequencies[0]
        return np.argsort(table @ np.arange(table.shape[1]), kind="stable")


def _normalised(counts: np.ndarray) -> np.ndarray:
    """Counts divided by their sum along the last axis; 0 where there are none."""
    totals = counts.sum(axis=-1, keepdims=True)
    return counts / np.where(totals > 0, totals, 1.0)


class Run:
    """One run from one start."""

    def __init__(self, problem: Problem, number: int) -> None:
        self.problem, self.model = problem, problem.begun(number)
        self.value = -inf  # what is maximised: log-likelihood and prior
        self.trace: list[float] = []  # log-likelihoods
        self.sums: Any = None

    def iterations(self) -> Iterator[Stop | None]:
        """One E step each, after an M step but for the first; the last says why it is."""
        method, n = self.problem.method, self.problem.given.n
        for k in range(method.max_iter + 1):
            model = self.problem.maximised(self.sums, self.model) if k else self.model
            try:
                logs = log_emissions(model.shown, self.problem.rows)
            except np.linalg.LinAlgError:
                yield self._collapsed()
                return
            self.model = model
            self.sums = forward_backward(logs, model.start, model.transitions, self.problem.lengths)
            self.logs = logs
            self.trace.append(float(self.sums.log_density.sum()))
            before, self.value = self.value, self.trace[-1] + self.problem.log_prior(model)
            stop = self._verdict(k, (self.value - before) / n)
            yield stop
            if stop:
                return

    def _collapsed(self) -> Stop:
        """The end of a run whose last model stays: the next one is none."""
        if not self.trace:
            raise DataError(
                "The covariance of a first state has no inverse: a column follows from others, or "
                "states begin on equal rows. Ask for fewer states, or raise reg_covar."
            )
        self.trace.append(self.trace[-1])
        why = "Stopped: a state has shrunk to a point, so its covariance has no inverse any more."
        return Stop("collapsed", f"{why} Ask for fewer states, or raise reg_covar.")

    def _verdict(self, k: int, gain: float) -> Stop | None:
        method = self.problem.method
        if gain <= method.tol:
            rise, tol = f"{max(gain, 0):.3g}", f"{method.tol:.3g}"
            why = f"the log-likelihood a row rose by {rise}, not more than {tol}."
            return Stop("converged", f"Converged: {why}{self._unused()}")
        if k == method.max_iter:
            rise = f": the log-likelihood a row still rose by {gain:.3g}" if gain < inf else ""
            return Stop(
                "limit",
                f"Not converged after {count(method.max_iter, 'iteration')}{rise}.{self._unused()}",
            )
        return None

    def _unused(self) -> str:
        """A sentence about states without rows; empty where there is none."""
        lost = np.flatnonzero(self.sums.posterior.sum(axis=0) <= UNUSED)
        if not len(lost):
            return ""
        few = count(len(lost), "state")
        return f" {few} of {self.problem.N} have no rows: ask for fewer states."

    def step(self, k: int, stop: Stop | None, order: np.ndarray, traces: np.ndarray) -> Step:
        """Where the run stands, its states in the order `order`, (N,)."""
        model, sums = self.model.taken(order), self.sums
        posterior = np.ascontiguousarray(sums.posterior[:, order])
        labels = posterior.argmax(axis=1)
        if self.problem.method.decoder == "viterbi":
            logs = np.ascontiguousarray(self.logs[:, order])
            labels = viterbi(logs, model.start, model.transitions, self.problem.lengths).states
        moves = sums.moves[np.ix_(order, order)]
        state = ChainState(
            labels, posterior, model.start, model.transitions, moves, *model.shown, traces
        )
        return Step(k, self.trace[-1], state, stop, self._note(k))

    def _note(self, k: int) -> str:
        if not k:
            return f"The first model gives a log-likelihood of {self.trace[0]:.6g}."
        gain = (self.trace[-1] - self.trace[-2]) / self.problem.given.n
        return f"Iteration {k} raised the log-likelihood a row by {gain:.3g}."


class Best(NamedTuple):
    """The best of several runs."""

    number: int
    order: np.ndarray  # (N,) its states, in the order in which they are numbered
    traces: np.ndarray  # (R, t)
    run: Run
    stop: Stop


def best_run(problem: Problem) -> Best:
    """The run that ends with the largest value, on ties the first; a collapsed one if all are."""
    numbers = range(problem.method.n_init)
    ended = list(side_by_side(lambda number: _ended(problem, number), numbers))
    # On a point the likelihood grows without bound: that is no merit.
    merits = [(stop.kind != "collapsed", run.value) for run, stop in ended]
    number = merits.index(max(merits))
    run, stop = ended[number]
    traces = np.full((len(ended), max(len(it.trace) for it, _ in ended)), np.nan)
    for row, (it, _) in zip(traces, ended, strict=True):
        row[: len(it.trace)] = it.trace
    return Best(number, problem.ordered(run.model), traces, run, stop)


def _ended(problem: Problem, number: int) -> tuple[Run, Stop]:
    run = Run(problem, number)
    *_, stop = run.iterations()
    assert stop is not None
    return run, stop


def end_of(best: Best) -> Step:
    """The last step of the best run."""
    return best.run.step(len(best.run.trace) - 1, best.stop, best.order, best.traces)


def played(problem: Problem, best: Best) -> Iterator[Step]:
    """The best run once more, an iteration a step, its states numbered as at the end."""
    run = Run(problem, best.number)
    for k, stop in enumerate(run.iterations()):
        yield run.step(k, stop, best.order, best.traces)
