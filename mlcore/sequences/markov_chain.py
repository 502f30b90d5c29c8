"""Markov chain: what comes next hangs on the last states alone, and these are seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from scipy.special import xlogy

from mlcore.sequences import chains
from mlcore.sequences.symbols import Alphabet, alphabet, n_values
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

MOST_CONTEXTS = 1000  # of probabilities several steps ahead: its matrix is square in them


@dataclass(frozen=True, eq=False, kw_only=True)
class MarkovChainFit(Fit):
    """How often what followed what. V is the number of states; the code V stands before a start."""

    made_by: MarkovChain
    edges: tuple[np.ndarray, ...]  # of each column of numbers, where a new bin begins
    sizes: tuple[int, ...]  # how many values each column has
    seen: np.ndarray  # (s,) of several columns the combinations that are states
    contexts: np.ndarray  # (c,) the last states as digits to the base V + 1, ascending
    counts: np.ndarray  # (c, V) how often each state followed
    codes: np.ndarray  # (n,) the state of each fitted row
    lengths: np.ndarray  # (k,) of the fitted sequences

    @property
    def order(self) -> int:
        """How many of the last states the next one hangs on."""
        return self.made_by.order

    @property
    def n_states(self) -> int:
        """The number of states."""
        return self.counts.shape[1]

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """What each state is called, (V,)."""
        return self._alphabet.names(self.columns)

    @cached_property
    def next_shares(self) -> np.ndarray:
        """P(next state | context), shape (c, V)."""
        return _shares(self.counts, self.made_by.pseudo_count)

    @cached_property
    def moves(self) -> np.ndarray:
        """How often each state followed each other one in a sequence, (V, V), for any order."""
        first = np.cumsum(self.lengths) - self.lengths
        at = np.setdiff1d(np.arange(1, len(self.codes)), first)
        moves = np.zeros((self.n_states, self.n_states))
        np.add.at(moves, (self.codes[at - 1], self.codes[at]), 1.0)
        return moves

    @cached_property
    def start(self) -> np.ndarray:
        """The distribution of the first state of a sequence, (V,)."""
        first = self.codes[np.cumsum(self.lengths) - self.lengths]
        counts = np.bincount(first, minlength=self.n_states).astype(np.float64)
        return _shares(counts[None], self.made_by.pseudo_count)[0]

    @cached_property
    def transitions(self) -> np.ndarray:
        """P(next state | last state), (V, V), from single moves, for any order."""
        return _shares(self.moves, self.made_by.pseudo_count)

    @property
    def long_run(self) -> np.ndarray:
        """The share of each state in the long run of the single moves, (V,)."""
        return chains.long_run_shares(self.start, self.transitions)

    @property
    def log_likelihood(self) -> float:
        """Of the fitted rows, in nats."""
        return float(xlogy(self.counts, self.next_shares).sum())

    @property
    def n_parameters(self) -> int:
        """Free probabilities of the contexts that occurred."""
        return len(self.contexts) * (self.n_states - 1)

    @property
    def aic(self) -> float:
        """Akaike's criterion 2 B - 2 log L of the training rows: the lower, the better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion B log n - 2 log L of the training rows: the lower, the better."""
        return log(len(self.codes)) * self.n_parameters - 2 * self.log_likelihood

    def holds_together(self) -> bool:
        """Whether columns, states, contexts and counts fit each other."""
        V = self._alphabet.size
        return (
            len(self.sizes) == len(self.edges) == self.n_columns
            and self.counts.shape == (len(self.contexts), V)
            and len(self.contexts) > 0
            and bool(((self.codes >= 0) & (self.codes < V)).all())
            and int(self.lengths.sum()) == len(self.codes)
        )

    def states(self, X: Any) -> np.ndarray:
        """The state of each row, shape (m,). Raises DataError for a level that is not known."""
        codes = self._alphabet.codes(self._rows(X), self.columns)
        if (codes < 0).any():
            raise DataError(f"Row {int((codes < 0).argmax()) + 1} holds a level that is not known.")
        return codes

    def log_density(self, X: Any, lengths: Any = None) -> np.ndarray:
        """log P(row | rows before it in its sequence), shape (m,): they sum to the likelihood.

        A context that never occurred says nothing: every state is as likely as any other. Raises
        DataError for a row that is impossible.
        """
        codes = self.states(X)
        V, lengths = self.n_states, self._lengths(lengths, len(codes))
        keys = context_keys(codes, lengths, self.order, V)
        at = np.minimum(np.searchsorted(self.contexts, keys), len(self.contexts) - 1)
        is_known = self.contexts[at] == keys
        P = np.where(is_known, self.next_shares[at, codes], 1.0 / V)
        if (P == 0).any():
            row = int((P == 0).argmax())
            raise DataError(
                f"Row {row + 1}, {self.state_names[codes[row]]}, never followed what stands before "
                "it. Raise pseudo_count, which is the way out."
            )
        return np.log(P)

    def ahead(self, history: Any, steps: int) -> np.ndarray:
        """Probabilities of the state 1 .. `steps` rows after the rows `history`, shape (steps, V).

        Raises DataError for more than 1000 contexts.
        """
        V, r = self.n_states, self.order
        if V**r > MOST_CONTEXTS:
            raise DataError(
                f"{V} states have {V**r:,} contexts; at most {MOST_CONTEXTS:,} go ahead."
            )
        codes = self.states(history)
        if len(codes) < r:
            raise DataError(f"A chain of order {r} goes ahead from {r} rows; got {len(codes)}.")
        now = np.zeros((V,) * r)
        now[tuple(codes[len(codes) - r :])] = 1.0
        after = self._all_probabilities().reshape((V,) * (r + 1))
        ahead = np.empty((steps, V))
        for h in range(steps):
            joint = now[..., None] * after
            ahead[h] = joint.sum(axis=tuple(range(r)))
            now = joint.sum(axis=0) if r else now
        return ahead

    def _all_probabilities(self) -> np.ndarray:
        """The distribution of every context without a start in it, (V^r, V)."""
        V, r = self.n_states, self.order
        digits = np.indices((V,) * r).reshape(r, V**r)
        keys = np.zeros(V**r, dtype=np.int64)
        for own in digits:
            keys = keys * (V + 1) + own
        at = np.minimum(np.searchsorted(self.contexts, keys), len(self.contexts) - 1)
        is_known = (self.contexts[at] == keys)[:, None]
        return np.where(is_known, self.next_shares[at], 1.0 / V)

    def sample(self, lengths: Any, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """States of new sequences of these lengths, (n,), and the sequence of each, (n,).

        Numbers were cut into bins, so what is drawn are bins.
        """
        lengths = self._lengths(lengths, int(np.sum(lengths)))
        rng, V, r = generator(seed, "sample"), self.n_states, self.order
        ends, states = (
            np.cumsum(self.next_shares, axis=1),
            np.empty(int(lengths.sum()), dtype=np.int64),
        )
        at = 0
        for length in lengths:
            last = [V] * r
            for u in rng.random(length):
                key = _key(last, V)
                k = int(np.searchsorted(self.contexts, key))
                is_known = k < len(self.contexts) and self.contexts[k] == key
                bounds = ends[k] if is_known else np.arange(1, V + 1) / V
                states[at] = min(int(np.searchsorted(bounds, u, side="right")), V - 1)
                last, at = [*last, int(states[at])][1:] if r else last, at + 1
        return states, np.repeat(np.arange(len(lengths)), lengths)

    @property
    def _alphabet(self) -> Alphabet:
        return Alphabet(self.edges, self.sizes, self.seen)


def _key(last: list[int], V: int) -> int:
    key = 0
    for state in last:
        key = key * (V + 1) + state
    return key


def _shares(counts: np.ndarray, pseudo: float) -> np.ndarray:
    """Counts as probabilities, rows of sum 1; a row without counts is even."""
    V, totals = counts.shape[1], counts.sum(axis=1, keepdims=True)
    raised = np.where(totals + pseudo > 0, counts + pseudo, 1.0)
    return raised / np.where(totals + pseudo > 0, totals + V * pseudo, V)


def context_keys(codes: np.ndarray, lengths: np.ndarray, order: int, n_states: int) -> np.ndarray:
    """The last `order` states before each row as one number, (n,).

    Digits to the base V + 1, the oldest first; V stands where the sequence had not begun.
    """
    place = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    keys = np.zeros(len(codes), dtype=np.int64)
    for back in range(order, 0, -1):
        before = np.where(place >= back, np.roll(codes, back), n_states)
        keys = keys * (n_states + 1) + before
    return keys


def tallied(keys: np.ndarray, codes: np.ndarray, n_states: int) -> tuple[np.ndarray, np.ndarray]:
    """The contexts among `keys`, (c,) ascending, and how often each state follows, (c, V)."""
    contexts, at = np.unique(keys, return_inverse=True)
    counts = np.zeros((len(contexts), n_states))
    np.add.at(counts, (at, codes), 1.0)
    return contexts, counts


def _cost(n: int, p: int, method: MarkovChain) -> tuple[float, float]:
    return 1e-3 + 3e-7 * n * (1 + p), 8.0 * n * (p + 4) + 3.2e5


@enter(
    Card(
        "markov_chain",
        "Markov chain",
        ("sequences",),
        paper="Markov (1913); Anderson and Goodman (1957), Annals of Mathematical Statistics 28(1)",
        sources=("epfl:markov_chain",),
        takes=("columns", "lengths"),
        scores=("sequence_likelihood", "information"),
        cost=_cost,
        formula=r"P(x_t \mid x_{t-1}, \dots, x_1) = P(x_t \mid x_{t-1}, \dots, x_{t-r})",
        synonyms=("transition matrix", "n-gram", "stationary distribution", "Markov process"),
        line="the next state hangs on the last r alone",
    )
)
@dataclass(frozen=True, kw_only=True)
class MarkovChain(Method):
    r"""Counts what follows what: the next state hangs on the last r states alone.

    $P(x_t \mid x_{t-1}, \dots) = (n_{c x_t} + \alpha) / (n_c + V \alpha)$ with c the last r states,
    n how often they occurred and were followed by x, V the number of states. A state is what stands
    in a row: names as they are, numbers by the bin that they fall into; of several columns each
    combination that occurs is one, and any other is one more.

    Use it for sequences of names, and as the line that a hidden Markov model has to beat. O(n r).
    Fails where states last longer or shorter than chance says, and with many states or a high
    order, of which most contexts are seen once or never. Likelihoods of binned numbers are those
    of bins, and no densities: do not set them beside those of other methods.
    """

    order: int = integer(
        1, low=0, high=3, soft=(0, 3), symbol="r", label="Order",
        doc="How many of the last states count; with 0 rows know nothing of each other.",
    )  # fmt: skip
    pseudo_count: float = real(
        1.0, low=0.0, soft=(0.0, 2.0), symbol="α", label="Pseudo-count",
        doc="Added to each count; with 0 what was never seen is impossible.",
    )  # fmt: skip
    bins: int = integer(
        3, low=2, high=50, soft=(2, 10), label="Bins",
        doc="States of a column of numbers: each holds about as many training rows.",
    )  # fmt: skip

    def without_memory(self) -> MarkovChain:
        """The same of order 0."""
        return MarkovChain(order=0, pseudo_count=self.pseudo_count, bins=self.bins)

    def likelihoods_of(self, X: np.ndarray, columns: tuple[Column, ...]) -> str:
        """Of what the likelihoods of rows X, shape (n, p), are, in plural."""
        most = int(n_values(X, columns).max(initial=0))
        return f"{self.bins} bins a column" if most > self.bins else "single values"

    def _fit(self, given: Given) -> MarkovChainFit:
        symbols = alphabet(given.X, given.columns, self.bins)
        codes = symbols.codes(given.X, given.columns)
        if (codes < 0).any():
            raise DataError(f"{self.title()} got a code that is none of the levels of a column.")
        keys = context_keys(codes, given.sequences, self.order, symbols.size)
        contexts, counts = tallied(keys, codes, symbols.size)
        return MarkovChainFit(
            made_by=self,
            columns=given.columns,
            edges=symbols.edges,
            sizes=symbols.sizes,
            seen=symbols.seen,
            contexts=contexts,
            counts=counts,
            codes=codes,
            lengths=np.array(given.sequences, dtype=np.int64),
        )
