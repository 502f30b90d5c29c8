"""AdaBoost: rounds of a weak learner on rows that weigh more, the worse they are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.ensembles.members import with_weight
from mlcore.ensembles.stumps import Stumps, can_be_stumps
from mlcore.ensembles.weak_learners import WeakLearner, is_stump
from mlcore.maths.class_scores import best_class, decision_of, softmax
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.capabilities_of_sums import LOG_ODDS, SCORE, Sum, TreeTerm
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.inner import naming_classes
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part, real
from mlcore.spine.wording import count, percent
from mlcore.trees.decision_tree import DecisionTree, DecisionTreeFit
from mlcore.trees.growth import Rows, rescaled

LEAST = 1e-10  # an error is no better than chance, or a vote is none, if it is as near as this
LOG_MOST = 700.0  # exp of more overflows


@dataclass(frozen=True, eq=False)
class AdaBoostState:
    """The rounds so far."""

    members: tuple[Any, ...] = ()
    alphas: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: np.ndarray = field(default_factory=lambda: np.empty(0))
    losses: np.ndarray = field(default_factory=lambda: np.empty(0))
    wrong: np.ndarray = field(default_factory=lambda: np.empty(0))
    stop: Stop | None = None

    def followed_by(
        self, member: Any, alpha: float, error: float, loss: float, wrong: float, stop: Stop | None
    ) -> AdaBoostState:
        """These rounds and one more."""
        return AdaBoostState(
            (*self.members, member),
            np.append(self.alphas, alpha),
            np.append(self.errors, error),
            np.append(self.losses, loss),
            np.append(self.wrong, wrong),
            stop,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class AdaBoostFit(Fit):
    """The members and what each of them counts."""

    made_by: AdaBoost
    classes: np.ndarray  # (K,) sorted labels
    members: tuple[Any, ...]  # (T,) fits that predict codes of classes
    alphas: np.ndarray  # (T,) weight of each vote
    errors: np.ndarray  # (T,) weighted error of each member in its round
    losses: np.ndarray  # (T,) exponential loss of the first 1, 2 ... on the fitted rows
    training_errors: np.ndarray  # (T,) share of fitted rows that the first 1, 2 ... get wrong
    floor: float  # probabilities below this count as this

    def decision(self, X: Any) -> np.ndarray:
        """Half the log-odds of the second class, shape (m,), or a score a class, shape (m, K)."""
        return decision_of(self.votes(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes, shape (m,); the first on ties."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """What the exponential loss takes for the probability of each class, shape (m, K)."""
        return softmax(2.0 * self.votes(X))

    def votes(self, X: Any, rounds: int | None = None) -> np.ndarray:
        """The weighted votes for each class, shape (m, K), of all rounds or the first of them."""
        X = self._rows(X)
        V = np.zeros((len(X), len(self.classes)))
        for member, alpha in zip(self.members[:rounds], self.alphas[:rounds], strict=True):
            V += alpha * _says(self.made_by.variant, member, X, len(self.classes), self.floor)
        return V

    @property
    def as_sum(self) -> Sum | None:
        """Log-odds of two classes, scores of more: the members, if each is one tree."""
        if not all(isinstance(member, DecisionTreeFit) for member in self.members):
            return None
        terms = tuple(map(self._term, self.members, self.alphas))
        scale = LOG_ODDS if len(self.classes) == 2 else SCORE
        return Sum(trees=terms, scale=scale, scores=lambda X: 2.0 * self.decision(X))

    def _term(self, member: DecisionTreeFit, alpha: float) -> TreeTerm:
        """Twice the weighted votes of a tree, of two classes their difference: the scale on which
        probabilities are a softmax."""
        tree, K = member.tree, len(self.classes)
        leaf = member.as_sum.trees[0].answers
        votes = np.eye(K)[member.classes[tree.label]]
        if self.made_by.variant != "discrete":
            votes = np.zeros((len(tree), K))
            votes[:, member.classes] = leaf
            votes = votes if self.made_by.variant == "gentle" else _half_logs(votes, self.floor)
        answers = decision_of(2.0 * alpha * votes)
        return TreeTerm(tree, answers.reshape(len(tree), -1))

    def holds_together(self) -> bool:
        """Whether each member has a weight."""
        return len(self.members) == len(self.alphas) > 0


def _says(variant: str, member: Any, X: np.ndarray, K: int, floor: float) -> np.ndarray:
    """What a member says for each class before it is weighed, shape (m, K)."""
    if variant == "discrete":
        return np.eye(K)[_codes(member, X)]
    P = np.zeros((len(X), K))
    P[:, member.classes] = member.probabilities(X)
    return P if variant == "gentle" else _half_logs(P, floor)


def _half_logs(P: np.ndarray, floor: float) -> np.ndarray:
    """Half the logarithms of probabilities, (m, K), about their mean in each row."""
    logs = 0.5 * np.log(np.maximum(P, floor))
    return logs - logs.mean(axis=1, keepdims=True)


def _codes(member: Any, X: np.ndarray) -> np.ndarray:
    if isinstance(member, DecisionTreeFit):  # the rows are checked
        return member.classes[member.tree.label[member.tree.leaf_of(X)]]
    return member.predict(X)


class _Learning(NamedTuple):
    """What all rounds learn from: the rows that have weight."""

    given: Given
    shares: np.ndarray  # (n,) share of each row before the first round
    rows: Rows | None  # sorted once, where trees are grown
    stumps: Stumps | None  # where these are stumps of least error

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.given.labels)

    @property
    def floor(self) -> float:
        """The least probability that is believed: half a row."""
        return 0.5 / self.given.n


def _cost(n: int, p: int, it: AdaBoost) -> tuple[float, float]:
    inner = it.estimator.method
    own = inner.card.cost
    seconds, size = own(n, p, inner) if own else (1e-3, 8.0 * n * p)
    if isinstance(inner, DecisionTree):
        seconds = 2e-4 + 2.5e-8 * n * p * np.log2(inner.max_leaf_nodes)
    return 1e-3 + it.n_estimators * (seconds + 5e-8 * n), size + 16.0 * n * (p + 4)


@enter(
    Card(
        "adaboost",
        "AdaBoost",
        ("classification",),
        paper="Freund and Schapire (1997), J. Computer and System Sciences 55(1)",
        task="classification",
        peer="sklearn.ensemble.AdaBoostClassifier",
        sources=(
            "cs2:adaboost", "cs2:weighted_resampling", "s841:adaboost", "epfl:adaboost",
            "epfl:weak_linear", "cs1:boosting_intro", "s841:boosting_knn", "s841:boosting_svm",
        ),
        takes=("weights",),
        random=True,
        cost=_cost,
        formula=r"F = \sum_t \alpha_t f_t, \quad \alpha_t = \tfrac12 \log "
        r"\tfrac{1 - \epsilon_t}{\epsilon_t}, \quad w_i \leftarrow w_i e^{-\alpha_t y_i f_t(x_i)}",
        synonyms=("SAMME", "AdaBoostClassifier", "boosted stumps", "adaptive boosting"),
        line="weak rules, errors weigh more each round",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class AdaBoost(IterativeMethod):
    r"""Adds up weak classifiers, each learned on rows that weigh more, the worse they are told.

    Round t fits $f_t$ to the weighted rows, with weighted error $\epsilon_t$, gives it the vote
    $\alpha_t = \tfrac12 \log \tfrac{1 - \epsilon_t}{\epsilon_t}$, and multiplies the weight of each
    row by $e^{-\alpha_t y f_t(x)}$; the class is the sign of $\sum_t \alpha_t f_t$. Libraries that
    leave the half away have the same rule. For K classes $\tfrac12 \log (K - 1)$ is added (SAMME).

    Use it to make a strong rule of simple ones: stumps need no scaling and hardly any settings.
    O(T p n) after one sort. It fails where no weak rule is better than chance, as on a balanced
    cross, and rows with a wrong label get ever more weight.
    """

    peer_differs = "Of splits that gain the same, theirs takes one at random and ours the first."

    estimator: WeakLearner = part(
        "stump", slot="weak_learner", label="Weak learner", doc="What is fitted in each round."
    )
    n_estimators: int = integer(
        50,
        low=1,
        high=10_000,
        soft=(1, 500),
        symbol="T",
        label="Number of rounds",
        doc="At most so many rounds.",
    )
    learning_rate: float = real(
        1.0,
        above=0.0,
        high=1.0,
        soft=(0.01, 1.0),
        log=True,
        doc="Share of each vote that counts.",
    )
    variant: str = choice(
        "discrete",
        "discrete",
        "real",
        "gentle",
        doc="Members vote for a class, or say half the log-odds of their probabilities, or, more "
        "gently, the difference of these.",
    )
    weighting: str = choice(
        "auto",
        "auto",
        "weights",
        "resampling",
        doc="Hand the weights to the learner, or draw rows by them; auto draws where it takes "
        "none.",
        advanced=True,
    )

    @property
    def _draws(self) -> bool:
        takes = "weights" in self.estimator.method.card.takes
        return self.weighting == "resampling" or (self.weighting == "auto" and not takes)

    @property
    def is_sum(self) -> bool:
        """Whether its members are trees."""
        return isinstance(self.estimator.method, DecisionTree)

    @property
    def sums_trees(self) -> bool:
        """The same."""
        return self.is_sum

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        missing = self.beyond_peer(variant="discrete", weighting=("auto", "weights"))
        return missing or {
            "estimator": self.estimator.method,
            "n_estimators": self.n_estimators,
            "learning_rate": self.learning_rate,
        }

    def conflict(self) -> str | None:
        """Refuse a learner that does not give what the variant adds up, or takes no weights."""
        inner = self.estimator.method
        if self.variant != "discrete" and not promises(inner, GivesProbabilities):
            return (
                f"{self.variant.title()} AdaBoost adds up probabilities, which {inner.title()} "
                "does not give. Choose the discrete variant."
            )
        if self.weighting == "weights" and "weights" not in inner.card.takes:
            return f"{inner.title()} takes no weights. Choose resampling."
        return None

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more than two classes for the gentle variant."""
        if self.variant == "gentle" and y is not None and (K := int(y.max()) + 1) > 2:
            return f"Gentle AdaBoost parts two classes; there are {K}. Choose another variant."
        return None

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(self._learning(given))

    def _finished(self, given: Given, end: Step) -> AdaBoostFit:
        state = end.state
        return AdaBoostFit(
            made_by=self,
            columns=given.columns,
            n_iter=len(state.members),
            stop=state.stop,
            classes=given.labels,
            members=state.members,
            alphas=state.alphas,
            errors=state.errors,
            losses=state.losses,
            training_errors=state.wrong,
            floor=0.5 / np.count_nonzero(given.w),
        )

    def _learning(self, given: Given) -> _Learning:
        some = with_weight(given, self.title())
        trees = isinstance(self.estimator.method, DecisionTree) and not self._draws
        rows = Rows(some.X, given.columns) if trees else None
        stumps = None
        if rows and is_stump(self.estimator) and can_be_stumps(given.columns, len(given.labels)):
            stumps = Stumps(rows, some.target)
        return _Learning(some, some.w / some.w.sum(), rows, stumps)

    def _played(self, on: _Learning) -> Iterator[Step]:
        state, V, shares = AdaBoostState(), np.zeros((on.given.n, on.n_classes)), on.shares
        for t in range(self.n_estimators):
            member = self._member(on, shares, t)
            says = _says(self.variant, member, on.given.X, on.n_classes, on.floor)
            error = float(shares[says.argmax(axis=1) != on.given.target].sum())
            stop = self._verdict(on, t, error, says)
            if stop and error > LEAST and t:  # no better than chance: the rounds before decide
                yield Step(t, state.losses[-1], replace(state, stop=stop), stop, stop.why)
                return
            if stop and error <= LEAST and self.variant == "discrete":  # it alone decides
                state, V = AdaBoostState(), np.zeros_like(V)
            alpha = self._alpha(on, error, chance=bool(stop) and error > LEAST)
            V += alpha * says
            shares, loss = _reweighted(on, V)
            wrong = float(on.shares[best_class(decision_of(V)) != on.given.target].sum())
            if not stop and t + 1 == self.n_estimators:
                stop = Stop("converged", f"All {count(t + 1, 'round')} are done.")
            state = state.followed_by(member, alpha, error, loss, wrong, stop)
            note = (
                f"Round {t + 1} errs on {percent(error)} of the weight and votes with "
                f"{alpha:.3g}; together {percent(wrong)} of the rows are wrong."
            )
            yield Step(t, loss, state, stop, note)
            if stop:
                return

    def _verdict(self, on: _Learning, t: int, error: float, says: np.ndarray) -> Stop | None:
        """Why round t is the last: it makes no error, or is no better than chance."""
        if error <= LEAST:
            alone = ", so it alone decides" if self.variant == "discrete" else ""
            return Stop("converged", f"Round {t + 1} makes no error{alone}.")
        chance = 1.0 - 1.0 / on.n_classes
        near = abs(error - chance) <= LEAST if on.n_classes == 2 else error >= chance - LEAST
        if self.variant != "discrete":
            near = float(np.ptp(says, axis=1).max()) <= LEAST
        if not near:
            return None
        return Stop("converged", f"Round {t + 1} is no better than chance, so it adds nothing.")

    def _alpha(self, on: _Learning, error: float, *, chance: bool) -> float:
        """What the vote of a member with this weighted error counts."""
        if chance:
            return 0.0
        if self.variant != "discrete":
            return self.learning_rate
        if error <= LEAST:
            return _half_odds(on.floor, on.n_classes)
        return self.learning_rate * _half_odds(error, on.n_classes)

    def _member(self, on: _Learning, shares: np.ndarray, t: int) -> Any:
        """The weak learner fitted to weighted rows, or to rows drawn by the weights."""
        method, given = self.estimator.method, on.given
        rng = given.rng("member", t)
        weights = shares * given.n
        codes = np.arange(on.n_classes)
        if on.stumps is not None:
            assert isinstance(method, DecisionTree)
            tree = on.stumps.tree(rescaled(weights))
            return DecisionTreeFit(made_by=method, columns=given.columns, tree=tree, classes=codes)
        if on.rows is not None:
            assert isinstance(method, DecisionTree)
            return method.fit_sorted(replace(given, weights=weights, classes=codes), on.rows)
        seed, more = int(rng.integers(2**31)), {"weights": weights}
        at: Any = slice(None)
        if self._draws:
            at, more = _drawn(rng, shares, given.target), {}
        with naming_classes(given):
            return method.fit(
                given.X[at], given.target[at], columns=given.columns, seed=seed, **more
            )


def _half_odds(error: float, K: int) -> float:
    return 0.5 * float(np.log((1.0 - error) / error) + np.log(K - 1.0))


def _reweighted(on: _Learning, V: np.ndarray) -> tuple[np.ndarray, float]:
    """The shares of the rows after these votes, shape (n,), and the exponential loss."""
    own = V[np.arange(len(V)), on.given.target]
    logs = np.log(on.shares) - 2.0 * (own - V.mean(axis=1))
    most = float(logs.max())
    shares = np.exp(logs - most)
    total = float(shares.sum())
    return shares / total, float(np.exp(min(most + np.log(total), LOG_MOST)))


def _drawn(rng: np.random.Generator, shares: np.ndarray, y: np.ndarray) -> np.ndarray:
    """As many rows as there are, drawn by their shares, with at least two classes among them."""
    at = np.sort(rng.choice(len(shares), size=len(shares), p=shares))
    if (y[at] == y[at[0]]).all():
        others = np.flatnonzero(y != y[at[0]])
        at[-1] = others[shares[others].argmax()]
    return at
