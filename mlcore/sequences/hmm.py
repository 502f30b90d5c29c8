"""Hidden Markov model: rows as what a chain of states, itself unseen, shows step by step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.maths.arrays import distinct_rows, vanishing
from mlcore.sequences.baum_welch import ChainState, Problem, best_run, end_of, played
from mlcore.sequences.emissions import pairs_of
from mlcore.sequences.hidden import HMMFit
from mlcore.sequences.symbols import n_values
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part, real, text

LONGEST_NAME = 30
PAIR = 2  # values that a column of numbers may have to be read as names
MOVE = re.compile(r"(\d+)\s*-\s*(\d+)")  # from one state to another, by their numbers
LARGEST = 1e150  # of a value whose square is a number


def _cost(n: int, p: int, method: HMM) -> tuple[float, float]:
    N, iterations = method.n_states, min(method.max_iter, 40)
    is_matrix = method.covariance.card.name in ("full", "tied")
    density = method.n_components * (15 + (0.4 * p * p if is_matrix else 3 * p))
    each = 2e-4 + 1e-9 * n * N * (15 + 2 * N + density)
    return 3e-3 + method.n_init * iterations * each, 8.0 * (n * (2 * p + 6 * N) + 4 * N * p * p)


@enter(
    Card(
        "hmm",
        "Hidden Markov model",
        ("sequences",),
        paper="Baum and others (1970), Annals of Mathematical Statistics 41(1); "
        "Rabiner (1989), Proceedings of the IEEE 77(2)",
        sources=(
            "epfl:hmm_discrete", "epfl:hmm_gaussian", "epfl:hmm_gmm", "epfl:hmm_topology_full",
            "epfl:hmm_topology_left_right", "epfl:hmm_baum_welch", "epfl:hmm_posterior_decode",
            "epfl:hmm_viterbi", "epfl:hmm_predict", "epfl:em_generic", "mi2:em_hmm",
        ),
        takes=("columns", "lengths"),
        scores=("sequence_likelihood", "state_accuracy", "information"),
        random=True,
        cost=_cost,
        formula=r"p(x, s) = \pi_{s_1} b_{s_1}(x_1) \prod_{t > 1} a_{s_{t-1} s_t} b_{s_t}(x_t)",
        synonyms=(
            "HMM", "Baum-Welch", "Viterbi", "GaussianHMM", "CategoricalHMM", "regime switching",
            "latent states", "hmmlearn", "GMMHMM", "GMM-HMM", "mixture emissions",
        ),
        line="a hidden chain of states behind what is seen",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class HMM(IterativeMethod):
    r"""Explains sequences by a chain of hidden states, each with a distribution.

    $p(x, s) = \pi_{s_1} b_{s_1}(x_1) \prod_t a_{s_{t-1} s_t} b_{s_t}(x_t)$. In a state the columns
    of numbers are normal with a mean and a covariance of its own, or a mixture of such (GMM-HMM);
    columns of names, and those that hold but two values, have frequencies. The iteration of Baum
    and Welch counts how often each state is visited and each move made, given the rows, and takes
    the likeliest model for these counts: the likelihood never falls, and it ends in a maximum that
    depends on the start; the likeliest of several runs is kept. Sequences share the model and
    nothing else.

    Use it for rows in an order whose source changes from time to time: regimes, phases, dialogue.
    O(n N^2 + n N p^2) an iteration. Fails where what lasts is no state but a trend, and where the
    number of states is guessed: likelihood on training rows only rises with it.
    """

    n_states: int = integer(
        3, low=1, high=30, soft=(1, 8), symbol="N", label="Number of states",
        doc="Number of hidden states.",
    )  # fmt: skip
    covariance: Any = part(
        "diag", slot="covariance", label="Covariances",
        doc="The shapes that the numbers may have in a state.",
    )  # fmt: skip
    n_components: int = integer(
        1, low=1, high=20, soft=(1, 5), symbol="M", label="Components a state",
        doc="Normal distributions that the numbers of a state are a mixture of; 1 is plain.",
    )  # fmt: skip
    topology: str = choice(
        "full", "full", "left_to_right", symbol="A", label="Moves",
        doc="From every state to every other, or only on to itself and the next.",
    )  # fmt: skip
    forbidden: str | None = text(
        None, none="none", longest=400, label="Forbidden moves",
        doc="Moves that are never made, such as 1-3, 3-1: from and to a state, by their numbers. "
        "States are then numbered as they begin, by the mean of the first column.",
        advanced=True,
    )  # fmt: skip
    start: str = choice(
        "free", "free", "first", symbol="π", label="First state",
        doc="The distribution of the first state is learned, or sequences begin in state 1.",
    )  # fmt: skip
    decoder: str = choice(
        "viterbi", "viterbi", "posterior", label="Decoder",
        doc="States are those of the likeliest path, or the likeliest of each row by itself.",
    )  # fmt: skip
    init: str = choice(
        "kmeans", "kmeans", "random", "segments", label="Start",
        doc="First states: groups of k-means, rows drawn as centers, or equal parts of a sequence.",
        advanced=True,
    )  # fmt: skip
    n_init: int = integer(
        5, low=1, high=100, soft=(1, 20), symbol="R", label="Restarts",
        doc="Runs from different starts, of which the likeliest is kept.",
    )  # fmt: skip
    pseudo_count: float = real(
        0.0, low=0.0, soft=(0.0, 2.0), label="Pseudo-count",
        doc="Added to every count of a move, a first state and a name, so that none gets 0.",
        advanced=True,
    )  # fmt: skip
    reg_covar: float = real(
        1e-6, low=0.0, soft=(1e-9, 0.1), log=True, symbol="ε", label="Ridge",
        doc="Added to every variance, as a share of that of all rows.", advanced=True,
    )  # fmt: skip
    names: str | None = text(
        None, none="their numbers", longest=400, label="Names of the states",
        doc="Separated by commas, in the order of their numbers; states without one keep theirs.",
        advanced=True,
    )  # fmt: skip
    tol: float = real(
        1e-6, low=0.0, soft=(1e-9, 1e-2), log=True, label="Tolerance",
        doc="Stop when the log-likelihood a row rises by no more, in nats.", advanced=True,
    )  # fmt: skip
    max_iter: int = integer(
        200, low=1, soft=(10, 1000), log=True, label="Most iterations",
        doc="Iterations after which a run stops.", advanced=True,
    )  # fmt: skip

    def conflict(self) -> str | None:
        """Names that can be told apart and drawn, and a way out of every state."""
        return self._wrong_names() or self._wrong_moves()

    def _wrong_moves(self) -> str | None:
        for written in self._moves():
            if not MOVE.fullmatch(written):
                return f"Forbidden moves are written as 1-3, 3-1; got {written}. Mend it."
        stuck = np.flatnonzero(~self.allowed(self.n_states)[1].any(axis=1))
        if not len(stuck):
            return None
        return f"No move out of state {stuck[0] + 1} is left. Forbid fewer moves."

    def _moves(self) -> list[str]:
        """The forbidden moves as they are written."""
        return [move.strip() for move in (self.forbidden or "").split(",") if move.strip()]

    @property
    def is_ordered(self) -> bool:
        """Whether states differ by where they lead to or begin, and so keep their numbers."""
        return self.topology != "full" or self.start == "first" or bool(self._moves())

    def _wrong_names(self) -> str | None:
        names = [name for name in self._named() if name]
        if len(set(names)) < len(names):
            return "Two states have the same name. Give each its own, or leave it out."
        wrong = [name for name in names if len(name) > LONGEST_NAME or set(name) & set("<>&")]
        if not wrong:
            return None
        return (
            f"A state has a name of at most {LONGEST_NAME} letters without <, > and &; "
            f"got {wrong[0]}. Shorten it."
        )

    def _named(self) -> list[str]:
        """What is written between the commas."""
        return [name.strip() for name in (self.names or "").split(",")]

    def called(self, N: int) -> tuple[str, ...]:
        """The names of N states, in the order of their numbers."""
        named = self._named()[:N]
        return tuple(
            named[k] if k < len(named) and named[k] else f"state {k + 1}" for k in range(N)
        )

    def allowed(self, N: int) -> tuple[np.ndarray, np.ndarray]:
        """Which states may come first, (N,), and which moves may be made, (N, N)."""
        begins, moves = np.ones(N, dtype=bool), np.ones((N, N), dtype=bool)
        if self.start == "first":
            begins[1:] = False
        if self.topology == "left_to_right":
            moves = np.eye(N, dtype=bool) | np.eye(N, k=1, dtype=bool)
        for move in map(MOVE.fullmatch, self._moves()):
            source, target = (int(k) - 1 for k in move.groups()) if move else (-1, -1)
            if 0 <= source < N and 0 <= target < N:
                moves[source, target] = False
        return begins, moves

    def without_memory(self) -> HMM:
        """The same with one state: rows that know nothing of each other."""
        return HMM(
            n_states=1, n_init=1, covariance=self.covariance, n_components=self.n_components,
            pseudo_count=self.pseudo_count,
        )  # fmt: skip

    def likelihoods_of(self, X: np.ndarray, columns: tuple[Column, ...]) -> str:
        """Of what the likelihoods of rows X, shape (n, p), are, in plural."""
        return "densities" if (n_values(X, columns) > PAIR).any() else "single values"

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse fewer rows than states, and numbers whose squares vanish or overflow."""
        if len(X) < max(self.n_states, 2):
            least = max(self.n_states, 2)
            return f"{self.title()} needs at least {least} rows; there are {len(X)}. Add rows."
        if np.abs(X).max() > LARGEST:
            return f"The squares of values above {LARGEST:g} are no numbers. Scale the columns."
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        problem = self._problem(given)
        return played(problem, best_run(problem))

    def _end(self, given: Given) -> Step:
        return end_of(best_run(self._problem(given)))

    def _problem(self, given: Given) -> Problem:
        problem = Problem(self, given)
        numbers = problem.rows.numbers
        if numbers.shape[1]:
            asked = self.n_states * self.n_components
            different = len(distinct_rows(numbers, asked))
            if different < asked:
                each = f" of {self.n_components} components" if self.n_components > 1 else ""
                raise DataError(
                    f"{self.n_states} states{each} need {asked} different rows; there are "
                    f"{different}. Lower the number of states."
                )
        return problem

    def _finished(self, given: Given, end: Step) -> HMMFit:
        state: ChainState = end.state
        return HMMFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            labels=state.labels,
            memberships=state.memberships,
            start=state.start,
            transitions=state.transitions,
            moves=state.moves,
            means=state.means,
            covariances=state.covariances,
            frequencies=state.frequencies,
            mixture_weights=state.weights,
            pairs=pairs_of(given.X, given.columns),
            log_likelihood=end.objective,
            traces=state.traces,
        )
