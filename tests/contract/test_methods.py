"""What every method promises: of fitting, of the fit, and of each verb that the fit has."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from mlcore import capabilities
from mlcore.component import lookup
from mlcore.errors import MlcoreError
from mlcore.fit import Fit
from mlcore.iterate import Stop, last, record
from mlcore.method import IterativeMethod
from mlcore.warm import variants
from tests.contract.subjects import (
    Case,
    Subject,
    arrays,
    cases,
    fitted,
    given_to,
    is_sentence,
    methods,
    same,
    verbs,
    wanted,
)

# "check:component" -> why the promise is not kept. Strict: an exception that is not needed fails.
CONSTANT = "the baseline that learns nothing from the columns, by definition"
EXCEPTIONS: dict[str, str] = {
    "what_is_plain_is_learned:classification.constant": CONSTANT,
    "what_is_plain_is_learned:regression.constant_regression": CONSTANT,
}

KEYWORDS = ("weights", "groups", "lengths")


def can(*protocols: type) -> Callable[[Subject], bool]:
    """Whether the fit of a subject has all these capabilities."""

    def rule(subject: Subject) -> bool:
        try:
            fit = fitted(subject.cls())
        except Exception:  # noqa: BLE001  # each check then fails by itself and says why
            return True
        return all(isinstance(fit, protocol) for protocol in protocols)

    return rule


def takes(word: str) -> Callable[[Subject], bool]:
    """Whether the method takes this beside X and y."""
    return lambda subject: word in subject.cls.card.takes


def has_steps(subject: Subject) -> bool:
    """Whether it iterates."""
    return hasattr(subject.cls, "steps")


def is_deterministic(subject: Subject) -> bool:
    """Whether the seed does not matter."""
    return not subject.cls.card.random


def learns_classes(subject: Subject) -> bool:
    """Whether it needs class labels."""
    return subject.cls.card.task == "classification"


def fit_is_complete(subject: Subject) -> None:
    """The fit knows who made it, on which columns, and why it ended."""
    method, g = subject.cls(), given_to(subject.cls)
    fit = fitted(method)
    assert isinstance(fit, Fit)
    assert fit.made_by == method
    assert fit.columns == g.columns
    assert fit.n_columns == 4
    assert fit.n_iter >= 0
    assert fit.stop is None or (fit.stop.kind in Stop.KINDS and is_sentence(fit.stop.why))
    assert capabilities.capabilities_of(fit)


def equal_seeds_give_equal_bits(subject: Subject) -> None:
    """Twice the same seed is twice the same fit; without randomness any seed is."""
    g, method = given_to(subject.cls), subject.cls()
    first = method.fit(g.X, g.y, columns=g.columns, seed=3)
    same(first, method.fit(g.X, g.y, columns=g.columns, seed=3))
    if is_deterministic(subject):
        same(first, method.fit(g.X, g.y, columns=g.columns, seed=4))


def inputs_are_left_alone(subject: Subject) -> None:
    """Neither values nor flags of what is given change, and the fit holds copies."""
    g, method = given_to(subject.cls), subject.cls()
    X, y = g.X.copy(), None if g.y is None else g.y.copy()
    fit = method.fit(X, y, seed=1)
    for verb in verbs(fit):
        getattr(fit, verb)(X)
    np.testing.assert_array_equal(X, g.X)
    assert X.flags.writeable
    assert not [at for at, values in arrays(fit) if np.shares_memory(values, X)]
    if y is not None:
        np.testing.assert_array_equal(y, g.y)
        assert y.flags.writeable
        assert not [at for at, values in arrays(fit) if np.shares_memory(values, y)]


def form_of_the_rows_does_not_matter(subject: Subject) -> None:
    """Lists, another order in memory and whole numbers are the same rows."""
    g, method = given_to(subject.cls), subject.cls()
    whole = np.round(g.X)
    expected = method.fit(whole, g.y, seed=1)
    for X in (np.asfortranarray(whole), whole.tolist(), whole.astype(int), whole[:, ::-1][:, ::-1]):
        same(method.fit(X, g.y, seed=1), expected)


def fit_is_read_only_after_a_worker(subject: Subject) -> None:
    """Nobody can change a fit, nor its copy after a trip through another process."""
    fit, new = fitted(subject.cls()), given_to(subject.cls).new
    back = pickle.loads(pickle.dumps(fit))
    for it in (fit, back):
        assert [at for at, values in arrays(it) if values.flags.writeable] == []
    same(back, fit)
    for verb in verbs(fit):
        np.testing.assert_array_equal(getattr(back, verb)(new), getattr(fit, verb)(new))


def verbs_refuse_what_they_cannot_read(subject: Subject) -> None:
    """Wrong width, text, a single row as a vector, holes: a sentence, naming the column."""
    fit, g = fitted(subject.cls()), given_to(subject.cls)
    for verb in verbs(fit):
        ask = getattr(fit, verb)
        for X, says in (
            (g.new[:, :3], "4 columns"),
            (np.hstack([g.new, g.new]), "4 columns"),
            (g.new[0], "two dimensions"),
            (np.full((2, 4), "a"), "numbers"),
            (np.empty((0, 4)), "at least one row"),
            (spoiled(g.new, np.inf), "column height"),
        ):
            assert says in refusal(ask, X)
        if "missing" not in subject.cls.card.takes:
            assert "column height" in refusal(ask, spoiled(g.new, np.nan))


def fitting_refuses_what_it_cannot_read(subject: Subject) -> None:
    """The same when fitting, and a target that is missing or too short."""
    g, method = given_to(subject.cls), subject.cls()
    bad = [
        (g.X[0], g.y),
        (np.full((45, 4), "a"), g.y),
        (np.empty((0, 4)), np.empty(0)),
        (spoiled(g.X, np.inf), g.y),
    ]
    if "missing" not in method.card.takes:
        bad.append((spoiled(g.X, np.nan), g.y))
    if method.card.task:
        bad += [(g.X, None), (g.X, g.y[:-1]), (g.X, np.full(45, np.nan)), (g.X, g.y[:, None])]
    for X, y in bad:
        refusal(method.fit, X, y)
    assert "height" in refusal(method.fit, spoiled(g.X, np.inf), g.y, columns=g.columns)
    refusal(method.fit, g.X, g.y, columns=g.columns[:3])


def keywords_that_are_not_taken_are_refused(subject: Subject) -> None:
    """What the card does not name is refused by name."""
    g, method = given_to(subject.cls), subject.cls()
    for word in KEYWORDS:
        if word not in method.card.takes:
            assert word in refusal(method.fit, g.X, g.y, **{word: np.ones(45)})
    for seed in (-1, 1.5, "a", None):
        assert "seed" in refusal(method.fit, g.X, g.y, seed=seed)


def spoiled(X: np.ndarray, value: float) -> np.ndarray:
    """The rows with one bad value in the third column."""
    bad = X.copy()
    bad[1, 2] = value
    return bad


def refusal(ask: Callable[..., Any], *given: Any, **more: Any) -> str:
    """The sentence with which something is refused."""
    with pytest.raises(MlcoreError) as error:
        ask(*given, **more)
    assert is_sentence(str(error.value)), str(error.value)
    return str(error.value)


@wanted(has_steps)
def steps_check_at_once(subject: Subject) -> None:
    """What is wrong with the rows is said before the first step is asked for."""
    g, method = given_to(subject.cls), subject.cls()
    refusal(method.steps, spoiled(g.X, np.inf), g.y)
    refusal(method.steps, g.X, g.y, seed=-1)
    for X, y in degenerate(method):
        with suppress(MlcoreError):
            assert next(method.steps(X, y)) is not None  # steps that begin also give one


@wanted(has_steps)
def steps_end_where_the_fit_stands(subject: Subject) -> None:
    """At least one step, numbered from 0; the last alone has a stop, and makes the same fit."""
    g, method = given_to(subject.cls), subject.cls()
    steps = record(method.steps(g.X, g.y, columns=g.columns, seed=1), keep=10**6)
    assert [step.k for step in steps] == list(range(len(steps)))
    assert [step.stop is not None for step in steps] == [False] * (len(steps) - 1) + [True]
    assert np.isfinite([step.objective for step in steps]).all()
    assert [step.note for step in steps if not is_sentence(step.note)] == []
    fit, end = fitted(method), last(method.steps(g.X, g.y, columns=g.columns, seed=1))
    assert end.stop == fit.stop
    if type(method)._finished is not IterativeMethod._finished:
        checked = method._given(g.X, g.y, None, g.columns, None, None, 1)
        same(method._finished(checked, end), fit)
        return
    shared = [f.name for f in fields(end.state) if hasattr(fit, f.name)]
    assert shared, "nothing of the last step can be compared with the fit"
    for name in shared:
        np.testing.assert_array_equal(getattr(end.state, name), getattr(fit, name), err_msg=name)


@wanted(has_steps)
def steps_travel(subject: Subject) -> None:
    """A recording can be sent between processes and is small."""
    g = given_to(subject.cls)
    steps = record(subject.cls().steps(g.X, g.y, seed=1))
    assert len(pickle.dumps(steps)) < 2**20


def degenerate(method: Any) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """Tables at the edge of what can be fitted, with targets to match."""
    g = given_to(method)
    tables = [
        g.X[:1], g.X[:2], g.X[:3], g.X[:, :1], np.ones((6, 4)), np.zeros((1, 1)),
        np.hstack([g.X, np.full((45, 1), 2.5)]), np.hstack([g.X, g.X]), np.repeat(g.X[:2], 9, 0),
        np.random.default_rng(0).normal(size=(5, 12)), g.X * 1e-200, g.X * 1e200, g.X * 1e12 + 1e15,
        np.eye(12), np.where(g.X > 0, 1.0, 0.0),
    ]  # fmt: skip
    found = [(X, target(method, len(X))) for X in tables]
    if method.card.task == "classification":
        found += [(g.X, np.zeros(45)), (g.X, np.arange(45)), (g.X, np.arange(45) == 0)]
    if method.card.task == "regression":
        found += [(g.X, np.zeros(45)), (g.X, g.y * 1e-200), (g.X, g.y * 1e200)]
    return found


def target_of_new(method: Any) -> np.ndarray:
    """The true target of the rows that were not fitted."""
    truth = given_to(method).truth
    assert truth is not None
    return truth


def target(method: Any, n: int) -> np.ndarray | None:
    """A target for n rows; every class occurs as early as it can."""
    y = given_to(method).y
    if method.card.task == "classification":
        return np.arange(n) % 3
    return None if y is None else np.resize(y, n)


def edge_cases_give_a_result_or_a_sentence(subject: Subject) -> None:
    """Never another exception, never a warning, and numbers that can be shown."""
    method = subject.cls()
    for X, y in degenerate(method):
        try:
            fit = method.fit(X, y, seed=1)
        except MlcoreError as error:
            sentence = str(error)
            assert is_sentence(sentence), sentence
            continue
        for verb in verbs(fit):
            values = getattr(fit, verb)(X)
            assert len(values) == len(X)
            assert np.isfinite(values).all(), f"{verb} of rows {X[:2]}"


def every_variant_gives_a_result_or_a_sentence(subject: Subject) -> None:
    """Each part and each telling value of each setting, one at a time."""
    g = given_to(subject.cls)
    works = 0
    for method in variants(subject.cls):
        try:
            fit = method.fit(g.X, g.y, seed=1)  # type: ignore[attr-defined]
        except MlcoreError as error:
            sentence = str(error)
            assert is_sentence(sentence), sentence
            continue
        works += 1
        for verb in verbs(fit):
            assert np.isfinite(getattr(fit, verb)(g.new)).all(), f"{verb} of {method}"
    assert works > 0


def rows_one_by_one_are_rows_at_once(subject: Subject) -> None:
    """What is said of a row does not depend on the rows beside it."""
    fit, new = fitted(subject.cls()), given_to(subject.cls).new
    for verb in verbs(fit):
        at_once = getattr(fit, verb)(new)
        alone = np.concatenate([getattr(fit, verb)(new[i : i + 1]) for i in range(len(new))])
        if at_once.dtype.kind == "f":
            # A matrix product adds in another order for one row than for many.
            scale = np.abs(at_once).max() or 1.0
            np.testing.assert_allclose(alone, at_once, atol=1e-12 * scale, err_msg=verb)
        else:
            np.testing.assert_array_equal(alone, at_once, err_msg=verb)


@wanted(can(capabilities.Predicts))
def predictions_are_labels_or_numbers(subject: Subject) -> None:
    """One a row: a class, a group, or a finite number."""
    fit, new = fitted(subject.cls()), given_to(subject.cls).new
    predicted = fit.predict(new)
    assert predicted.shape == (len(new),)
    if isinstance(fit, capabilities.HasClasses):
        assert np.isin(predicted, fit.classes).all()
        assert (np.sort(fit.classes) == fit.classes).all()
    if subject.cls.card.task == "regression":
        assert predicted.dtype == np.float64


@wanted(lambda subject: bool(subject.cls.card.task))
def what_is_plain_is_learned(subject: Subject) -> None:
    """Groups that lie well apart are told apart, and a straight line is followed."""
    g = given_to(subject.cls)
    truth, predicted = target_of_new(subject.cls), fitted(subject.cls()).predict(g.new)
    if subject.cls.card.task == "classification":
        assert (predicted == truth).mean() >= 0.9
    else:
        assert ((predicted - truth) ** 2).mean() <= 0.5 * truth.var()


@wanted(can(capabilities.HasLabels))
def labels_number_the_groups(subject: Subject) -> None:
    """A group a row, numbered from 0, noise -1; prediction agrees where there is one."""
    fit, g = fitted(subject.cls()), given_to(subject.cls)
    assert fit.labels.shape == (45,)
    assert set(np.unique(fit.labels)) - {-1} == set(range(fit.labels.max() + 1))
    if isinstance(fit, capabilities.Predicts):
        np.testing.assert_array_equal(fit.predict(g.X), fit.labels)
    if isinstance(fit, capabilities.HasCenters):
        assert fit.centers.shape[1] == 4


@wanted(can(capabilities.GivesProbabilities))
def probabilities_are_probabilities(subject: Subject) -> None:
    """None negative, sum one, the largest is what is predicted."""
    fit, new = fitted(subject.cls()), given_to(subject.cls).new
    P = fit.probabilities(new)
    assert P.shape == (len(new), len(fit.classes))
    assert P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(fit.classes[P.argmax(axis=1)], fit.predict(new))


@wanted(can(capabilities.GivesDecision))
def the_largest_decision_is_predicted(subject: Subject) -> None:
    """Three classes: the largest of three scores; two: the second where the score is positive."""
    g, method = given_to(subject.cls), subject.cls()
    fit = fitted(method)
    scores = fit.decision(g.new)
    assert scores.shape == (len(g.new), len(fit.classes))
    np.testing.assert_array_equal(fit.classes[scores.argmax(axis=1)], fit.predict(g.new))
    two = method.fit(g.X, g.y > 0)
    scores = two.decision(g.new)
    assert scores.shape == (len(g.new),)
    np.testing.assert_array_equal(two.classes[(scores > 0).astype(int)], two.predict(g.new))


@wanted(learns_classes)
def names_of_classes_come_back(subject: Subject) -> None:
    """Classes may be text or any whole numbers; predictions are what was given."""
    g, method = given_to(subject.cls), subject.cls()
    codes = fitted(method).predict(g.new)
    for labels in (np.array(["ash", "birch", "cedar"]), np.array([-7, 0, 1000])):
        predicted = method.fit(g.X, labels[g.y], seed=1).predict(g.new)
        np.testing.assert_array_equal(predicted, labels[codes])


@wanted(can(capabilities.Transforms))
def coordinates_have_names(subject: Subject) -> None:
    """As many names as coordinates, all different; training rows are treated like others."""
    fit, new = fitted(subject.cls()), given_to(subject.cls).new
    Z = fit.transform(new)
    names = [column.name for column in fit.out_columns]
    assert Z.shape == (len(new), len(names))
    assert len(set(names)) == len(names)


@wanted(can(capabilities.Transforms, capabilities.Inverts))
def the_way_back_has_the_width_of_the_rows(subject: Subject) -> None:
    """Coordinates lead back to rows; going there again changes nothing."""
    fit, new = fitted(subject.cls()), given_to(subject.cls).new
    Z = fit.transform(new)
    back = fit.inverse_transform(Z)
    assert back.shape == new.shape
    np.testing.assert_allclose(fit.transform(back), Z, atol=1e-8)
    refusal(fit.inverse_transform, np.hstack([Z, Z]))


@wanted(is_deterministic)
def order_of_rows_does_not_matter(subject: Subject) -> None:
    """Rows in another order teach the same, but for the order of additions."""
    g, method = given_to(subject.cls), subject.cls()
    order = np.random.default_rng(2).permutation(45)
    other = method.fit(g.X[order], None if g.y is None else g.y[order], seed=1)
    agree(fitted(method), other, g.new, g.new)


@wanted(is_deterministic)
def order_of_columns_does_not_matter(subject: Subject) -> None:
    """Columns in another order teach the same."""
    g, method = given_to(subject.cls), subject.cls()
    order = [2, 0, 3, 1]
    agree(fitted(method), method.fit(g.X[:, order], g.y, seed=1), g.new, g.new[:, order])


@wanted(can(capabilities.HasLabels))
def groups_do_not_depend_on_the_order(subject: Subject) -> None:
    """Groups that lie well apart are found whatever the order of rows and columns."""
    g, method = given_to(subject.cls), subject.cls()
    rows, columns = np.random.default_rng(2).permutation(45), [2, 0, 3, 1]
    labels = fitted(method).labels
    together = labels[:, None] == labels
    other = method.fit(g.X[rows][:, columns], seed=1).labels
    np.testing.assert_array_equal(other[:, None] == other, together[np.ix_(rows, rows)])


@wanted(takes("weights"))
def weight_zero_is_leaving_out(subject: Subject) -> None:
    """Rows of weight 0 teach nothing."""
    g, method = given_to(subject.cls), subject.cls()
    w = np.random.default_rng(3).integers(0, 2, 45).astype(float)
    y = None if g.y is None else g.y[w > 0]
    weighted = method.fit(g.X, g.y, weights=w, seed=1)
    agree(weighted, method.fit(g.X[w > 0], y, weights=w[w > 0], seed=1), g.new, g.new)
    agree(weighted, method.fit(g.X[w > 0], y, seed=1), g.new, g.new)


@wanted(takes("weights"))
def weights_must_be_weights(subject: Subject) -> None:
    """Negative, missing, all zero or too few: a sentence."""
    g, method = given_to(subject.cls), subject.cls()
    for w in (-np.ones(45), np.full(45, np.nan), np.zeros(45), np.ones(44)):
        assert "weights" in refusal(method.fit, g.X, g.y, weights=w)


def agree(a: Any, b: Any, at: np.ndarray, other: np.ndarray) -> None:
    """Fail unless two fits say the same of rows, up to rounding and the tolerance of a solver."""
    for verb in verbs(a):
        mine, theirs = getattr(a, verb)(at), getattr(b, verb)(other)
        if mine.dtype.kind == "f":
            scale = np.abs(mine).max() or 1.0
            np.testing.assert_allclose(theirs, mine, atol=1e-5 * scale, err_msg=verb)
        else:
            np.testing.assert_array_equal(theirs, mine, err_msg=verb)


def cost_is_a_number_that_grows(subject: Subject) -> None:
    """Seconds and bytes are positive and do not fall with the table."""
    method = subject.cls()
    costs = [method.card.cost(n, p, method) for n, p in ((10, 2), (1000, 20), (100_000, 100))]
    assert np.isfinite(costs).all()
    assert np.min(costs) > 0
    assert (np.diff(costs, axis=0) >= 0).all()
    for other in variants(subject.cls):
        assert np.isfinite(method.card.cost(1000, 20, other)).all()


def the_score_of_the_card_is_defined(subject: Subject) -> None:
    """The scoring that the card names says something of rows left out."""
    card, g = subject.cls.card, given_to(subject.cls)
    by_task = {"classification": "classification_scores", "regression": "regression_scores"}
    scoring = lookup("scoring", card.score or by_task[card.task])()
    y = target(subject.cls, len(g.new))
    scored = scoring.scored(fitted(subject.cls()), g.new, y, 3)  # type: ignore[attr-defined]
    first = scoring.metrics()[0].name  # type: ignore[attr-defined]
    assert np.isfinite(scored.scores[first])
    assert scoring.baseline_of(subject.cls()).fit(g.X, g.y) is not None  # type: ignore[attr-defined]


CHECKS = [
    fit_is_complete,
    equal_seeds_give_equal_bits,
    inputs_are_left_alone,
    form_of_the_rows_does_not_matter,
    fit_is_read_only_after_a_worker,
    verbs_refuse_what_they_cannot_read,
    fitting_refuses_what_it_cannot_read,
    keywords_that_are_not_taken_are_refused,
    steps_check_at_once,
    steps_end_where_the_fit_stands,
    steps_travel,
    edge_cases_give_a_result_or_a_sentence,
    every_variant_gives_a_result_or_a_sentence,
    rows_one_by_one_are_rows_at_once,
    predictions_are_labels_or_numbers,
    what_is_plain_is_learned,
    labels_number_the_groups,
    probabilities_are_probabilities,
    the_largest_decision_is_predicted,
    names_of_classes_come_back,
    coordinates_have_names,
    the_way_back_has_the_width_of_the_rows,
    order_of_rows_does_not_matter,
    order_of_columns_does_not_matter,
    groups_do_not_depend_on_the_order,
    weight_zero_is_leaving_out,
    weights_must_be_weights,
    cost_is_a_number_that_grows,
    the_score_of_the_card_is_defined,
]


@pytest.mark.parametrize("case", cases(CHECKS, methods(), EXCEPTIONS))
def test_method(case: Case) -> None:
    case.check(case.subject)
