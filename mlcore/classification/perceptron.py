"""The perceptron: a hyperplane that moves towards every row it finds on the wrong side."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.classification._kernels import mistakes
from mlcore.classification.perceptron_bounds import MistakeBounds, bounds_of, lifted
from mlcore.classification.priors import refuse_empty
from mlcore.classification.separability import quick_separation
from mlcore.classification.smooth_perceptron import SmoothPerceptron
from mlcore.maths.arrays import read_only
from mlcore.spine.capabilities_of_sums import Sum, linear_scores
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, integer, real
from mlcore.spine.wording import count, percent

LARGEST = 1e150  # products of larger values overflow
MOST_LENGTHS = 2_000  # updates whose length of the weights is kept
SINGLE = 100  # updates that are steps of their own; after them each pass is one
MOST_VOTES = 1_000_000  # numbers in all weights that vote
AT_ONCE = 2_000_000  # scores of votes that are held at a time


@dataclass(frozen=True, eq=False)
class PerceptronState:
    """The weights as they stand, and all that led to them."""

    coefficients: np.ndarray  # (p,), (K, p) for more than two classes
    intercept: Any  # a number, (K,)
    mistakes: np.ndarray  # (T,) in each pass so far
    lengths: np.ndarray | None  # (u + 1,) length of all weights before and after each update
    voters: tuple[np.ndarray, ...] | None = None  # (V,) of (R, p + 1): all so far, where they vote
    survivals: np.ndarray | None = None  # (V,) rows after which each of them stood


@dataclass(frozen=True, eq=False, kw_only=True)
class MistakenFit(Fit):
    """What was learned from mistakes, and how many there were."""

    made_by: Perceptron
    classes: np.ndarray  # (K,) sorted labels
    mistakes: np.ndarray  # (T,) updates in each pass
    lengths: np.ndarray | None  # (u + 1,) length of all weights before and after each update
    n_rows: int  # that were met in each pass

    def decision(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (m,); else of each class, shape (m, K)."""
        # One hyperplane and several that vote score each in its own way; there is none for both.
        raise NotImplementedError(f"{type(self).__name__} declares no scores")

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score, or most votes, shape (m,).

        A score of 0 is the second of two classes; of more that tie it is the first.
        """
        scores = self.decision(X)
        return self.classes[(scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(1)]

    def bounds(self, X: Any, y: Any) -> MistakeBounds:
        """Within what the length of the weights grows on the rows X, (n, p), that were fitted.

        y, shape (n,), holds their labels.
        """
        codes = np.searchsorted(self.classes, y)
        rows = lifted(self._rows(X), codes, len(self.classes), bias=self.made_by.learn_bias)
        assert self.lengths is not None
        return bounds_of(self.made_by.eta0 * rows, self.lengths)


@dataclass(frozen=True, eq=False, kw_only=True)
class PerceptronFit(MistakenFit):
    """A linear score, of more than two classes one a class."""

    coefficients: np.ndarray  # (p,), (K, p) for more than two classes
    intercept: Any  # a number, (K,)

    def decision(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (m,); else of each class, shape (m, K)."""
        return self._rows(X) @ self.coefficients.T + self.intercept

    @property
    def as_sum(self) -> Sum:
        """Scores: a line a column."""
        return linear_scores(self.coefficients, self.decision)

    def holds_together(self) -> bool:
        """Whether there is a weight for each column."""
        return self.coefficients.shape[-1] == self.n_columns


@dataclass(frozen=True, eq=False, kw_only=True)
class VotedPerceptronFit(MistakenFit):
    """All weights that there have been; each votes as often as it was not wrong."""

    voters: np.ndarray  # (V, R, p + 1) weights and offset, R = 1 of two classes, else K
    survivals: np.ndarray  # (V,) rows after which each of them stood

    def decision(self, X: Any) -> np.ndarray:
        """Share of the votes for the second of two classes less that for the first, shape (m,).

        Of more classes the share of each, shape (m, K).
        """
        X = self._rows(X)
        V, R, _ = self.voters.shape
        step = max(AT_ONCE // (V * R), 1)
        blocks = [self._votes(X[k : k + step]) for k in range(0, len(X), step)]
        return np.concatenate(blocks) / self.survivals.sum()

    def _votes(self, X: np.ndarray) -> np.ndarray:
        R = self.voters.shape[1]
        scores = np.tensordot(X, self.voters[:, :, :-1], (1, 2)) + self.voters[:, :, -1]
        if R == 1:
            return np.where(scores[:, :, 0] >= 0, 1.0, -1.0) @ self.survivals
        return np.einsum("mvk,v->mk", np.eye(R)[scores.argmax(axis=2)], self.survivals)

    def holds_together(self) -> bool:
        """Whether each of the weights has a number for each column, and votes."""
        V, R, q = self.voters.shape if self.voters.ndim == 3 else (0, 0, 0)
        K = len(self.classes)
        return (
            V > 0
            and (R, q) == (1 if K == 2 else K, self.n_columns + 1)
            and self.survivals.shape == (V,)
            and self.survivals.sum() > 0
        )


def _cost(n: int, p: int, it: Perceptron) -> tuple[float, float]:
    passes = min(it.max_iter, 100)
    return 1e-3 + passes * (2e-8 + 1.5e-9 * p) * n, 16.0 * n * (p + 2)


@enter(
    Card(
        "perceptron",
        "Perceptron",
        ("classification",),
        paper="Rosenblatt (1958), Psychological Review 65; Freund and Schapire (1999), Machine "
        "Learning 37; Soheili and Peña (2012), SIAM Journal on Optimization 22",
        task="classification",
        peer="sklearn.linear_model.Perceptron",
        sources=(
            "cs2:perceptron", "cs2:pocket_perceptron", "cs2:voted_perceptron",
            "cs2:smooth_perceptron", "cs2:perceptron_convergence", "cs1:perceptron_voted",
            "s841:perceptron_sgd", "s841:perceptron_batch", "epfl:perceptron_rule",
        ),
        takes=("weights",),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"w \leftarrow w + \eta\, y_i x_i \quad \text{if } y_i (w^\top x_i + b) < 0",
        synonyms=("Rosenblatt", "pocket algorithm", "averaged perceptron", "voted perceptron",
                  "mistake bound", "smooth perceptron", "von Neumann algorithm"),
        line="a line corrected by every mistake",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Perceptron(IterativeMethod):
    r"""Moves a hyperplane towards every row that it finds on the wrong side.

    Row by row, with $y_i = \pm 1$: if the sign of $w^\top x_i + b$ is not $y_i$, then
    $w \leftarrow w + \eta\, y_i x_i$ and $b \leftarrow b + \eta\, y_i$. Of more classes each has
    its own weights: those of the true class gain the row, those of the class that was said lose it.
    A row of weight $\omega$ moves them $\omega$ times as far.

    Use it to see how a machine learns, and on many rows that a hyperplane can part. O(n p) a pass.
    If a hyperplane with margin $\gamma$ parts rows no longer than R, there are at most
    $(R / \gamma)^2$ mistakes; if none does, they never end: then keep the pocket, the average or
    all weights, which vote, each as often as it was not wrong: $\operatorname{sign} \sum_t c_t
    \operatorname{sign}(w_t^\top x + b_t)$.
    The hyperplane stops at the first place where it makes no mistake, however near to the rows.
    """

    followed: ClassVar[str] = "share of rows named wrongly"

    peer_differs = "Theirs parts each of several classes from the rest, and shuffles by other lots."

    rule: str = choice(
        "rosenblatt",
        "rosenblatt",
        "batch",
        "smooth",
        doc="Learn from each mistake at once, from all mistakes of a pass together, or in each "
        "pass from all rows, the more the worse they lie, which ends sooner for narrow margins.",
    )
    keep: str = choice(
        "last",
        "last",
        "pocket",
        "averaged",
        "voted",
        doc="The weights at the end, those with the fewest errors of all that ended a pass or were "
        "right longest, the mean of the weights over all rows that were met, or all of them, which "
        "vote.",
    )
    eta0: float = real(
        1.0,
        above=0.0,
        soft=(0.01, 10.0),
        log=True,
        symbol=r"\eta",
        label="Learning rate",
        doc="How far a mistake moves the weights; from zero it changes their length alone.",
        only_if={"rule": other_than("smooth")},
        advanced=True,
    )
    decay: float = real(
        0.0, low=0.0, soft=(0.0, 2.0), symbol=r"\delta", label="Decay of the rate",
        doc="In pass t, from 0, the learning rate is η / (1 + δ t): large steps first, then small "
        "ones.",
        only_if={"rule": other_than("smooth")}, advanced=True,
    )  # fmt: skip
    order: str = choice(
        "cyclic",
        "cyclic",
        "shuffled",
        doc="Rows as they lie, or in another order in each pass.",
        only_if={"rule": "rosenblatt"},
    )
    start: str = choice(
        "zero",
        "zero",
        "random",
        doc="Weights before the first row.",
        only_if={"rule": other_than("smooth")},
        advanced=True,
    )
    learn_bias: bool = flag(
        True,
        label="Offset",
        doc="Whether there is an offset; without it the hyperplane goes through the origin.",
        advanced=True,
    )
    max_iter: int = integer(
        100, low=1, high=10_000, soft=(1, 1000), log=True, label="Most passes",
        doc="Passes over the rows after which it ends, with mistakes or without.",
    )  # fmt: skip

    def conflict(self) -> str | None:
        """Pocket and votes look at weights from row to row; a smooth rule averages by itself."""
        if self.rule == "smooth" and self.keep != "last":
            return (
                "The smooth rule moves by the mean of all that rows pulled so far, and its last "
                "weights are what it has to give. Choose the rule of Rosenblatt, or keep the last."
            )
        if self.rule == "batch" and self.keep in ("pocket", "voted"):
            return (
                "Pocket and votes go by how many rows the weights stayed right for, and the batch "
                "rule moves them once a pass. Choose the rule of Rosenblatt, or keep the last."
            )
        return None

    def fit_class(self) -> type[MistakenFit]:
        """One hyperplane, or all that vote."""
        return VotedPerceptronFit if self.keep == "voted" else PerceptronFit

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse products that overflow."""
        largest = max(float(X.max()), -float(X.min()))  # without the sizes as an array of its own
        if largest <= LARGEST:
            return None
        return (
            f"{self.title()} multiplies rows with sums of rows; a value of {largest:.3g} is too "
            "large for that. Scale the columns."
        )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(rule="rosenblatt", keep="last", start="zero", decay=0.0):
            return missing
        shuffled = self.order == "shuffled"
        return {"eta0": self.eta0, "fit_intercept": self.learn_bias, "max_iter": self.max_iter,
                "tol": None, "shuffle": shuffled}  # fmt: skip

    def _fit(self, given: Given) -> MistakenFit:
        work = _Work(self, given)
        while not (stop := work.passed()):
            pass
        return self._finished(given, work.step(stop))

    def _steps(self, given: Given) -> Iterator[Step]:
        return _Work(self, given).steps()

    def _finished(self, given: Given, end: Step) -> MistakenFit:
        state: PerceptronState = end.state
        same: dict[str, Any] = {
            "made_by": self,
            "columns": given.columns,
            "n_iter": len(state.mistakes),
            "stop": end.stop,
            "classes": given.labels,
            "mistakes": state.mistakes,
            "lengths": state.lengths,
            "n_rows": int(np.count_nonzero(given.w)),
        }
        if state.voters is not None and state.survivals is not None:
            return VotedPerceptronFit(
                voters=np.array(state.voters), survivals=state.survivals, **same
            )
        return PerceptronFit(coefficients=state.coefficients, intercept=state.intercept, **same)


class _Work:
    """The weights on their way, pass by pass or mistake by mistake."""

    def __init__(self, method: Perceptron, given: Given) -> None:
        self.method, self.given, here = method, given, given.w > 0
        refuse_empty(np.bincount(given.target, given.w), given.labels, method.title().lower())
        self.X = read_only(given.X if here.all() else given.X[here])
        self.codes = read_only(given.target[here].astype(np.int64))
        self.w = given.w[here]
        self.steps_of = read_only(method.eta0 * self.w)  # how far each row moves the weights now
        self.rows = np.flatnonzero(here)  # their numbers among all
        p, K = given.p, len(given.labels)
        self.W = np.zeros((1 if K == 2 else K, p + 1))
        if method.start == "random":
            self.W[:] = given.rng("start").normal(size=self.W.shape)
            self.W[:, p] *= method.learn_bias
        self.sums = (
            np.zeros_like(self.W) if method.keep == "averaged" else np.zeros((len(self.W), 0))
        )
        self.pocket = self.W.copy()
        self.lengths = np.zeros(MOST_LENGTHS + 1 if method.rule == "rosenblatt" else 1)
        self.lengths[0] = np.sqrt((self.W**2).sum())
        # Rows met, updates, row of the last update, run of right rows, longest run.
        self.at = np.array([0, 0, -1, 0, 0])
        self.least = np.array([np.inf])  # weight of the wrong rows of the pocket
        self.voters, self.born = [self.W.copy()], [0]  # all weights, and rows met before each
        self.rng = given.rng("order")
        self.smooth: SmoothPerceptron | None = None
        self.done: list[int] = []
        self.k = 0

    def steps(self) -> Iterator[Step]:
        """The first updates one by one, then pass by pass."""
        stop = None
        while not stop:
            if self.method.rule == "rosenblatt" and self.at[1] < SINGLE:
                stop = yield from self._singly()
            else:
                stop = self.passed()
            yield self.step(stop)

    def _singly(self) -> Generator[Step, None, Stop | None]:
        """A pass whose updates are steps, except for its end; why it was the last, if it was."""
        order, place, before = self._order(), 0, int(self.at[1])
        while (place := self._go(order, place, 1)) < len(order):
            yield self.step(None, under_way=int(self.at[1]) - before)
        return self._ended(int(self.at[1]) - before)

    def passed(self) -> Stop | None:
        """A whole pass; why it was the last, if it was."""
        if self.method.rule != "rosenblatt":
            together = self._together if self.method.rule == "batch" else self._smoothed
            return self._ended(together())
        before, order, place = int(self.at[1]), self._order(), 0
        most = 1 if self.method.keep == "voted" else len(order)
        while (place := self._go(order, place, most)) < len(order):
            pass
        return self._ended(int(self.at[1]) - before)

    def _order(self) -> np.ndarray:
        n = len(self.X)
        return np.arange(n) if self.method.order == "cyclic" else self.rng.permutation(n)

    def _go(self, order: np.ndarray, place: int, most: int) -> int:
        it, before = self.method, int(self.at[1])
        place = mistakes(
            self.X, self.codes, self.steps_of, read_only(order), place, most, it.learn_bias,
            it.keep == "pocket", self.W, self.sums, self.pocket, self.lengths, self.at, self.least,
        )  # fmt: skip
        if it.keep == "voted" and self.at[1] > before:
            self._elected()
        return place

    def _elected(self) -> None:
        """Let the weights after a mistake vote too."""
        if (len(self.voters) + 1) * self.W.size > MOST_VOTES:
            raise DataError(
                f"{self.method.title()} made {count(len(self.voters), 'mistake')}, and weights of "
                "as many cannot be held to vote. Allow fewer passes, or keep the average."
            )
        self.voters.append(self.W.copy())
        # The run of right rows begins anew after the mistake, whose row they are now judged after.
        self.born.append(int(self.at[0] - 1))

    def _together(self) -> int:
        """One update by all mistakes; how many these are."""
        answers, R = self._classes(self.W), len(self.W)
        wrong = np.flatnonzero(answers != self.codes)
        rows = np.column_stack([self.X[wrong], np.full(len(wrong), float(self.method.learn_bias))])
        rows *= self.steps_of[wrong, None]
        if R == 1:
            by = (2.0 * self.codes[wrong] - 1.0) @ rows
        else:
            eye = np.eye(R)
            by = (eye[self.codes[wrong]] - eye[answers[wrong]]).T @ rows
        if self.sums.size:
            self.sums += self.at[0] * by
        self.W += by
        self.at[0] += 1
        self.at[1] += len(wrong)
        return len(wrong)

    def _smoothed(self) -> int:
        """One step of the smooth rule; how many rows are wrong after it."""
        if self.smooth is None:
            ones = np.full(len(self.X), float(self.method.learn_bias))
            K = len(self.given.labels)
            rows = np.column_stack([self.X, ones])
            self.smooth = SmoothPerceptron(rows, self.codes, self.w, K)
        else:
            self.smooth.move()
        self.W[:] = self.smooth.W
        wrong = int((self._classes(self.W) != self.codes).sum())
        self.at[:2] += 1, wrong
        return wrong

    def _classes(self, W: np.ndarray) -> np.ndarray:
        scores = self.X @ W[:, :-1].T + W[:, -1]
        return (scores[:, 0] >= 0).astype(int) if len(W) == 1 else scores.argmax(axis=1)

    def _kept(self) -> np.ndarray:
        """The weights that count so far."""
        if self.method.keep == "pocket" and np.isfinite(self.least[0]):
            return self.pocket
        if self.method.keep == "averaged" and self.at[0]:
            return self.W - self.sums / self.at[0]
        return self.W

    def _ended(self, new: int) -> Stop | None:
        """Count a pass with so many mistakes; why it was the last, if it was."""
        self.done.append(new)
        if self.method.decay:
            slower = 1.0 + self.method.decay * len(self.done)
            self.steps_of = read_only(self.method.eta0 / slower * self.w)
        passes, all_of_them = count(len(self.done), "pass", "passes"), int(self.at[1])
        if new == 0:
            made = count(all_of_them, "mistake")
            why = f"A whole pass without a mistake, after {made} in {passes}."
            if self.smooth:
                why = f"No row is on the wrong side after {passes}."
            return Stop("converged", why)
        if len(self.done) < self.method.max_iter:
            return None
        return Stop("limit", f"Not converged after {passes}. {self._verdict()}")

    def _verdict(self) -> str:
        """Whether more passes would end it."""
        known = quick_separation(self.X, self.codes)
        if known == "complete" and self.method.learn_bias:
            return "A hyperplane parts these rows: more passes will find one."
        if known in ("quasi", "none"):
            by = " with the rule of Rosenblatt" if self.method.rule == "smooth" else ""
            return (
                "No hyperplane parts these rows, so mistakes never end: keep pocket or average"
                f"{by}."
            )
        return "Allow more passes, or keep the pocket or the average."

    def step(self, stop: Stop | None, under_way: int | None = None) -> Step:
        """The weights as they stand, after a pass or `under_way` in one with so many mistakes."""
        W = self._kept().copy()
        wrong = float(np.average(self._classes(W) != self.codes, weights=self.w))
        # The bound is for rows that all move the weights alike.
        is_alike = bool((self.w == 1).all()) and not self.method.decay
        has_lengths = self.method.rule == "rosenblatt" and is_alike
        votes = self.method.keep == "voted"
        state = PerceptronState(
            W[0, :-1] if len(W) == 1 else W[:, :-1],
            float(W[0, -1]) if len(W) == 1 else W[:, -1],
            np.array([*self.done, under_way] if under_way is not None else self.done),
            self.lengths[: self.at[1] + 1].copy() if has_lengths else None,
            tuple(self.voters) if votes else None,
            np.diff([*self.born, int(self.at[0])]) if votes else None,
        )
        self.k += 1
        return Step(self.k - 1, wrong, state, stop, self._note(stop, wrong, under_way))

    def _note(self, stop: Stop | None, wrong: float, under_way: int | None) -> str:
        t = len(self.done)
        if stop and stop.kind == "converged":
            return f"Pass {t} leaves no mistake." if self.smooth else f"Pass {t} makes no mistake."
        now = f"{percent(wrong)} of the rows are now on the wrong side"
        if self.smooth:
            return f"In pass {t} all rows pulled, those that lie worst the most; {now}."
        if under_way is None:
            return f"Pass {t} made {count(self.done[-1], 'mistake')}; {now}."
        row = self.rows[self.at[2]] + 1
        return f"Row {row} was wrong in pass {t + 1}, and the border moved; {now}."
