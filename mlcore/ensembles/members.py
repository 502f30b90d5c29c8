"""Several methods side by side: fitting each, and what each says of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesProbabilities, HasClasses
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.fit import Fit
from mlcore.spine.inner import fit_inner, refuse_weights
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

    Raises DataError where a class has none.
    """
    here = given.w > 0
    missing = np.setdiff1d(np.arange(len(given.labels)), given.target[here])
    if len(missing):
        raise DataError(
            f"{who} needs a row of every class with a weight above zero; "
            f"{given.labels[missing[0]]} has none."
        )
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
            members.append(fit_inner(method, given, given.target[rows], rows))
        except MlcoreError as error:
            raise DataError(f"{name} inside {who.lower()}: {error}") from None
    return tuple(members)


def shares_of(member: Any, X: np.ndarray, K: int, *, as_votes: bool = False) -> np.ndarray:
    """The probability of each class by a member that gives them, else its vote, shape (m, K).

    Classes that it has not met get nothing. X has shape (m, p).
    """
    if as_votes or not isinstance(member, GivesProbabilities):
        return np.eye(K)[member.predict(X)]
    P = np.zeros((len(X), K))
    P[:, member.classes] = member.probabilities(X)
    return P


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
