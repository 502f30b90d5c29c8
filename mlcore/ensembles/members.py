"""Several methods side by side: fitting each, and what each says of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.spine import checks
from mlcore.spine.asking import can, promises
from mlcore.spine.capabilities import GivesProbabilities, HasClasses
from mlcore.spine.capabilities_of_sums import IsSum, Sum, TreeTerm, promises_sum
from mlcore.spine.errors import MlcoreError
from mlcore.spine.fit import Fit
from mlcore.spine.inner import fit_to_target, refuse_weights
from mlcore.spine.method import Given, Method
from mlcore.spine.params import parts


def estimators_of(doc: str, *, beside: str = "") -> Any:
    """The declared classifiers, which differ in what they take for granted."""
    first = ("logistic", "naive_bayes", "decision_tree")
    return parts(
        first,
        slot="classification",
        label="Classifiers",
        doc=doc,
        least=1,
        item="classifier",
        beside=beside,
    )


def models_of(doc: str, *, beside: str = "") -> Any:
    """The same of models that say a number."""
    first = ("ridge", "regression_tree", "gradient_boosting_regression")
    return parts(
        first, slot="regression", label="Models", doc=doc, least=1, item="model", beside=beside
    )


def names_of(methods: Sequence[Method]) -> tuple[str, ...]:
    """Their titles, numbered where one comes twice, (B,)."""
    titles = [method.title() for method in methods]
    return tuple(
        f"{title} {titles[: k + 1].count(title)}" if titles.count(title) > 1 else title
        for k, title in enumerate(titles)
    )


def named_for_peer(methods: Sequence[Method]) -> list[tuple[str, Method]]:
    """Each method with a name of its own, as scikit-learn takes several."""
    return [(f"{method.card.name}_{k + 1}", method) for k, method in enumerate(methods)]


def of_one_output(who: str, methods: Sequence[Method]) -> str:
    """Why it is not written for scikit-learn around one of several outputs; empty where none is."""
    several = (m.title() for m in methods if "output_scores" in m.card.scores)
    title = next(several, "")
    return title and (
        f"{who} of {title} is not written for scikit-learn, whose own refuses a single output."
    )


def silent(methods: Sequence[Method]) -> str:
    """The title of the first that gives no probabilities; empty where all do."""
    return next((m.title() for m in methods if not promises(m, GivesProbabilities)), "")


def rows_with_weight(given: Given) -> Given:
    """The rows that have weight, of all that is given by row."""
    here = given.w > 0
    if here.all():
        return given
    kept: dict[str, Any] = {"X": given.X[here], "y": given.target[here], "weights": given.w[here]}
    for name in ("groups", "order"):
        values = getattr(given, name)
        kept[name] = None if values is None else values[here]
    return replace(given, **kept)


def with_weight(given: Given, who: str) -> Given:
    """The rows that have weight, with their classes as codes.

    Raises ClassError where a class has none.
    """
    here = given.w > 0
    checks.every_class(given.target[here], given.labels, who)
    return rows_with_weight(given)


def fitted(
    methods: Sequence[Method], given: Given, who: str, rows: Any = slice(None)
) -> tuple[Any, ...]:
    """Each method fitted to some of the given rows: fits that know codes of classes, if any.

    Raises DataError, naming the method, for rows or weights that one of them refuses.
    """
    members = []
    for name, method in zip(names_of(methods), methods, strict=True):
        refuse_weights(method, given, who)
        try:
            members.append(fit_to_target(method, given, rows))
        except MlcoreError as error:
            raise error.inside(f"{name} inside {who.lower()}") from None
    return tuple(members)


def shares_of(member: Any, X: np.ndarray, K: int, *, as_votes: bool = False) -> np.ndarray:
    """The probability of each class by a member that gives them, else its vote, shape (m, K).

    Classes that it has not met get nothing. X has shape (m, p).
    """
    if as_votes or not isinstance(member, GivesProbabilities):
        return votes_of(member, X, K)
    P = np.zeros((len(X), K))
    P[:, member.classes] = member.probabilities(X)
    return P


def votes_of(member: Any, X: np.ndarray, K: int) -> np.ndarray:
    """1 for the class that a member predicts of each row, 0 for others, shape (m, K)."""
    return np.eye(K)[member.predict(X)]


def mean_of_sums(
    members: Sequence[Any], shares: np.ndarray, K: int, features: np.ndarray | None = None
) -> Sum | None:
    """What members say on average, for K classes or a number (0); None if one of them is no sum.

    `shares`, shape (B,): what each counts. `features`: positions of the columns of each, shape
    (B, q); None: all.
    """
    trees, curves = list[TreeTerm](), list[Curved]()
    for b, (member, share) in enumerate(zip(members, shares, strict=True)):
        own: Sum | None = member.as_sum if can(member, IsSum) else None
        if own is None or own.scale:
            return None
        codes = member.classes if K else np.zeros(1, dtype=np.int64)
        into = share * np.eye(max(K, 1))[codes]  # from the outputs of the member to all
        columns = None if features is None else features[b]
        trees += (TreeTerm(t.tree, t.answers @ into, _of(columns, t.columns)) for t in own.trees)
        if own.curve is not None:
            curves.append(Curved(own.curve, into, columns))
    return Sum(trees=tuple(trees), curve=_together(curves, max(K, 1)) if curves else None)


class Curved(NamedTuple):
    """The curves of one member."""

    curve: Callable[[np.ndarray, int], np.ndarray]
    into: np.ndarray  # (own outputs, K)
    columns: np.ndarray | None  # (q,)


def _of(columns: np.ndarray | None, inner: np.ndarray | None) -> np.ndarray | None:
    """Positions among columns that are positions themselves."""
    return inner if columns is None else columns if inner is None else columns[inner]


def _together(curves: list[Curved], K: int) -> Callable[[np.ndarray, int], np.ndarray]:
    """What a column adds by the curves of all members that see it, shape (m, K)."""

    def added(X: np.ndarray, j: int) -> np.ndarray:
        total = np.zeros((len(X), K))
        for own in curves:
            if own.columns is None:
                total += own.curve(X, j) @ own.into
            elif len(at := np.flatnonzero(own.columns == j)):
                total += own.curve(X[:, own.columns], int(at[0])) @ own.into
        return total

    return added


def are_sums(methods: Sequence[Method]) -> bool:
    """Whether fits of these methods are sums of what they predict."""
    return all(promises_sum(method, of_predictions=True) for method in methods)


def know_the_same(members: Sequence[Any], n_classes: int, n_columns: int) -> bool:
    """Whether fits read from a file know no other classes, if any, and columns than these."""
    return len(members) > 0 and all(
        isinstance(member, Fit)
        and (not n_classes or _knows_no_others(member, n_classes))
        and member.n_columns == n_columns
        and member.holds_together()
        for member in members
    )


def _knows_no_others(member: Fit, n_classes: int) -> bool:
    return isinstance(member, HasClasses) and bool(np.isin(member.classes, range(n_classes)).all())
