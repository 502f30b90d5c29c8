"""A rule for several classes from rules for two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mlcore.classification.multiclass_codes import Code
from mlcore.maths.class_scores import best_class
from mlcore.maths.votes import votes
from mlcore.spine import checks
from mlcore.spine.asking import any_of, promises
from mlcore.spine.capabilities import GivesDecision, GivesProbabilities, Predicts
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import CLASS, ClassError, ClassNote, MlcoreError
from mlcore.spine.inner import fit_inner, refuse_weights
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod, Method
from mlcore.spine.outer import OuterFit, where_inner
from mlcore.spine.params import choice, part
from mlcore.spine.random import generator
from mlcore.spine.wording import percent

SIDES = {0: -1, 1: 1}  # of a rule: the classes that a binary classifier is told are 0 and 1
NAMED = 5  # classes whose names fit into a sentence
SUREST = 1e-12  # a probability nearer to 0 or 1 has no log-odds that can be added


@dataclass(frozen=True, eq=False)
class MulticlassState:
    """The rules that are learned so far."""

    members: tuple[Any, ...] = ()
    errors: np.ndarray = field(default_factory=lambda: np.empty(0))
    counts: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))


@dataclass(frozen=True, eq=False, kw_only=True)
class MulticlassFit(OuterFit):
    """Rules of two classes and the code that joins them.

    Where fewer members are there than columns, as while it is being fitted, those there decide.
    """

    made_by: Multiclass
    classes: np.ndarray  # (K,) sorted labels
    code: np.ndarray  # (K, B) of -1, 0 and 1: column j is what member j parts
    members: tuple[Predicts, ...]  # B of them, which know the classes 0 (at -1) and 1
    errors: np.ndarray  # (B,) share of its own training rows that each member gets wrong
    counts: np.ndarray  # (B,) of these rows

    def scores(self, X: Any) -> np.ndarray:
        """Score of each member, shape (m, B): positive for its classes at 1."""
        X = self._rows(X)
        return np.column_stack([_score(member, X) for member in self.members])

    def decision(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (m,); else the decoded scores, shape (m, K)."""
        if len(self.classes) == 2:
            return self.scores(X)[:, 0]
        if self.made_by.decode == "coupling":
            return self._shares(X)
        scores = self.scores(X)
        return DECODED[self.made_by.decode](scores, self.code[:, : scores.shape[1]])

    def predict(self, X: Any) -> np.ndarray:
        """The class whose code word is nearest to the scores, shape (m,); the first on ties."""
        return self.classes[best_class(self.decision(X))]

    def vote_shares(self, X: Any) -> np.ndarray:
        """Share of each class in the votes of the rules, shape (m, K).

        A rule gives its vote to the classes on the side that it says, in equal parts.
        """
        is_positive = self.scores(X) > 0
        sides = (part / part.sum(axis=0) for part in (self.code > 0, self.code < 0))
        yes, no = (side[:, : is_positive.shape[1]].T for side in sides)
        return (is_positive @ yes + ~is_positive @ no) / is_positive.shape[1]

    def _shares(self, X: Any) -> np.ndarray:
        X = self._rows(X)
        members: tuple[Any, ...] = self.members
        R = np.column_stack([member.probabilities(X)[:, 1] for member in members])
        code: Any = self.made_by.code
        return code.shares(R, self.code[:, : R.shape[1]])

    def holds_together(self) -> bool:
        """Whether the code has a row for each class and a column for each member."""
        return self.code.shape == (len(self.classes), len(self.members))

    @where_inner(GivesProbabilities)
    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (m, K), from those of the members by the code."""
        return self._shares(X)


def _score(member: Any, X: np.ndarray) -> np.ndarray:
    """The first that the member gives: decision, log-odds, or side as -1 or 1; shape (m,)."""
    if isinstance(member, GivesDecision):
        return member.decision(X)
    if isinstance(member, GivesProbabilities):
        p = np.clip(member.probabilities(X)[:, 1], SUREST, 1.0 - SUREST)
        return np.log(p) - np.log1p(-p)
    return 2.0 * member.predict(X) - 1.0


def _by_loss(F: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Minus the logistic loss of the members for the word of each class, in nats."""
    return -(
        np.logaddexp(0.0, -F) @ (code > 0).T
        + np.logaddexp(0.0, F) @ (code < 0).T
        + np.log(2.0) * (code == 0).sum(axis=1)
    )


def _by_margins(F: np.ndarray, code: np.ndarray) -> np.ndarray:
    """The scores on the side of each word, summed: the largest has the word nearest to them."""
    return F @ code.T


def _by_hamming(F: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Minus the Hamming distance of the predicted sides from each word; a 0 counts half."""
    return (np.where(F > 0, 1.0, -1.0) @ code.T - code.shape[1]) / 2.0


DECODED: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "loss": _by_loss,
    "margins": _by_margins,
    "hamming": _by_hamming,
    "votes": votes,
}


def _cost(n: int, p: int, method: Multiclass) -> tuple[float, float]:
    # How many classes there are is not known yet: three are likely.
    rules = method.code.matrix(3, generator(0, "code")).shape[1]
    own = method.estimator.card.cost
    seconds, size = own(n, p, method.estimator) if own else (1e-3, 8.0 * n * p)
    return rules * (seconds + 1e-4 + 2e-8 * n * p), size + 8.0 * n * (p + rules)


@enter(
    Card(
        "multiclass",
        "Multiclass reduction",
        ("classification",),
        paper="Allwein, Schapire and Singer (2000), J. Machine Learning Research 1",
        task="classification",
        peer="sklearn.multiclass.OneVsRestClassifier",
        sources=(
            "cs1:ova", "cs1:ovo", "prac:multiclass_reduction", "epfl:multiclass_combine",
            "s841:perceptron_multiclass", "s841:pairwise_discriminants", "s841:two_level_fda",
        ),
        takes=("weights",),
        random=True,
        cost=_cost,
        formula=r"\hat y = \arg\min_k \sum_j L(M_{kj} f_j(x)), \qquad M_{kj} \in \{-1, 0, 1\}",
        synonyms=(
            "one-vs-rest", "one-vs-one", "one-vs-all", "OvR", "OvO", "ECOC",
            "error-correcting output codes", "OneVsRestClassifier",
        ),
        line="several classes by rules of two",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Multiclass(IterativeMethod):
    r"""Learns several classes by rules that each part some of them from others.

    A code M has a word of -1, 0 and 1 for each class, and a rule $f_j$ for each place of the words,
    learned on the rows of the classes that are not 0 there. A row gets the class whose word agrees
    best with what the rules say of it. Probabilities come from those of the rules.

    Use it with a method for two classes, or to see whether one that knows several itself does
    better. O(B) fits for a code of B columns: K of them for one against the rest, K (K - 1) / 2
    smaller ones for one against one. Fails where the rules do not fit together: one against the
    rest compares scores of rules that never met, and leaves a class that lies between two others
    without a line of its own; one against one has votes of rules that know neither class at hand.
    """

    followed: ClassVar[str] = "share of rows named wrongly"

    peer_differs = "Of classes with equal scores theirs takes the last, ours the first."

    estimator: Method = part(
        "logistic", slot="classification", label="Binary classifier", doc="What parts two sides."
    )
    code: Code = part("one_vs_rest", slot="code", symbol="M", doc="Which sides are parted.")
    decode: str = choice(
        "loss",
        "loss",
        "margins",
        "hamming",
        "votes",
        "coupling",
        label="Decoding",
        doc="The class with the smallest logistic loss of the scores, the largest sum of them, "
        "the fewest wrong rules, the most votes (ties by scores), or the most probable.",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(code="one_vs_rest", decode=("loss", "margins")):
            return missing
        return {"estimator": self.estimator}

    def conflict(self) -> str | None:
        """Refuse codes and decodings that need more than the binary classifier gives."""
        inner, scored = self.estimator, any_of(GivesProbabilities, GivesDecision)
        if self.decode == "coupling" and not promises(inner, GivesProbabilities):
            return (
                f"Coupling needs probabilities, which {self.estimator.title()} does not give. "
                "Choose another decoding or another rule."
            )
        if self.code.needs_scores and not promises(inner, scored):
            return (
                f"One against the rest compares scores, and {self.estimator.title()} gives labels "
                "alone. Choose one against one."
            )
        return None

    def fit_class(self) -> type[MulticlassFit]:
        """A fit with probabilities where the rule has them."""
        return MulticlassFit.around(self.estimator)

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given, self._code(given))

    def _played(self, given: Given, code: np.ndarray) -> Iterator[Step]:
        state = MulticlassState()
        for j in range(code.shape[1]):
            state = self._with_member(given, code, state)
            fit = self._made(given, code, state)
            is_wrong = fit.predict(given.X) != given.labels[given.target]
            wrong = float(given.w[is_wrong].sum() / given.w.sum())
            yield Step(j, wrong, state, fit.stop, _note(given, fit))

    def _fit(self, given: Given) -> MulticlassFit:
        code, state = self._code(given), MulticlassState()
        for _ in range(code.shape[1]):
            state = self._with_member(given, code, state)
        return self._made(given, code, state)

    def _finished(self, given: Given, end: Step) -> MulticlassFit:
        return self._made(given, self._code(given), end.state)

    def _code(self, given: Given) -> np.ndarray:
        checks.every_class(given.target[given.w > 0], given.labels, self.title())
        refuse_weights(self.estimator, given, self.title())
        return self.code.matrix(len(given.labels), given.rng("code"))

    def _with_member(
        self, given: Given, code: np.ndarray, state: MulticlassState
    ) -> MulticlassState:
        """The state with the rule of the next column, learned from the classes not 0 there."""
        j = len(state.members)
        rows = np.flatnonzero((code[given.target, j] != 0) & (given.w > 0))
        side = (code[given.target[rows], j] > 0).astype(np.int64)
        member = self._member(given, code, rows, side, j)
        is_wrong = member.predict(given.X[rows]) != side
        return MulticlassState(
            (*state.members, member),
            np.append(state.errors, given.w[rows][is_wrong].sum() / given.w[rows].sum()),
            np.append(state.counts, len(rows)),
        )

    def _member(
        self, given: Given, code: np.ndarray, rows: np.ndarray, side: np.ndarray, j: int
    ) -> Predicts:
        try:
            return fit_inner(self.estimator, given, side, rows)
        except MlcoreError as error:
            if isinstance(error, ClassError):
                error = error.named(
                    {k: list(given.labels[code[:, j] == s]) for k, s in SIDES.items()}
                )
            raise error.inside(_rule(given, code, j)) from None

    def _made(self, given: Given, code: np.ndarray, state: MulticlassState) -> MulticlassFit:
        many, B = len(state.members), code.shape[1]
        why = "The rule is learned." if B == 1 else f"All {B} rules are learned."
        return self.fit_class()(
            made_by=self,
            columns=given.columns,
            n_iter=many,
            stop=Stop("converged", why) if many == B else None,
            classes=given.labels,
            code=code,
            members=state.members,
            errors=state.errors,
            counts=state.counts,
        )


def _rule(given: Given, code: np.ndarray, j: int, what: str = "") -> ClassNote:
    """The number of rule j, its two sides where the classes are few, and `what` is said of it."""
    if len(given.labels) > NAMED:
        return ClassNote(f"Rule {j + 1} of {code.shape[1]}{what}", ())
    sides = [given.labels[code[:, j] == side].tolist() for side in (1, -1)]
    one, other = (", ".join([CLASS] * len(side)) for side in sides)
    return ClassNote(f"Rule {j + 1}, {one} against {other}{what}", [*sides[0], *sides[1]])


def _note(given: Given, fit: MulticlassFit) -> ClassNote:
    """What the last rule does, as a sentence."""
    j = len(fit.members) - 1
    what = f": {percent(fit.errors[j])} of its {fit.counts[j]} rows are on the wrong side."
    return _rule(given, fit.code, j, what)
