"""What every fit promises of its verbs: predictions, groups, coordinates, and what they rest on."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from mlcore.evaluation import scoring
from mlcore.runs.carry import judge_of
from mlcore.spine import capabilities
from mlscope.contract.subjects import (
    Subject,
    agree,
    can,
    fitted,
    given_to,
    is_deterministic,
    learns_classes,
    refusal,
    takes,
    target,
    target_of_new,
    verbs,
    wanted,
)


def reads_rows_alone(subject: Subject) -> bool:
    """Whether rows know nothing of each other; of sequences see `test_methods`."""
    return not takes("lengths")(subject)


@wanted(reads_rows_alone)
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
    g, method = given_to(subject.cls), subject.cls()
    truth, predicted = target_of_new(subject.cls), fitted(method).predict(g.new)
    if subject.cls.card.task == "classification":
        assert (predicted == truth).mean() >= 0.9
        assert (method.fit(g.X, g.y == 1).predict(g.new) == (truth == 1)).mean() >= 0.9
    else:
        assert ((predicted - truth) ** 2).mean() <= 0.5 * truth.var()


@wanted(can(capabilities.HasLabels))
def labels_number_the_groups(subject: Subject) -> None:
    """A group a row, numbered from 0, noise -1; prediction agrees where there is one."""
    fit, g = fitted(subject.cls()), given_to(subject.cls)
    labels = fit.labels
    assert labels.shape == (45,)
    assert set(np.unique(labels)) - {-1} == set(range(labels.max() + 1))
    if isinstance(fit, capabilities.Predicts):
        np.testing.assert_array_equal(fit.predict(g.X), labels)
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
    two = method.fit(g.X, np.asarray(g.y) > 0)
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


@wanted(can(capabilities.ScoresRows))
def scores_are_high_where_rows_are_usual(subject: Subject) -> None:
    """A finite score a row, high among the fitted rows, lower than nearly all of theirs far off."""
    fit, g = fitted(subject.cls()), given_to(subject.cls)
    assert fit.score_name == fit.score_name.strip() != ""
    assert fit.own_usualness.shape == (len(g.X),)
    scores = fit.usualness(g.new)
    assert scores.shape == (len(g.new),)
    assert np.isfinite(scores).all()
    far = np.concatenate([g.X.mean(axis=0) + 50 * np.ptp(g.X, axis=0) * d for d in (1, -1)])
    usual = np.quantile(fit.own_usualness, 0.1)
    assert (fit.usualness(far.reshape(2, -1)) <= usual).all()


@wanted(can(capabilities.JudgesRows))
def the_threshold_parts_rows_as_was_asked(subject: Subject) -> None:
    """1 from the threshold on, -1 below; of the fitted rows the share asked for lies below, or on
    the border."""
    fit, g = fitted(subject.cls()), given_to(subject.cls)
    inside = fit.usualness(g.new) >= fit.threshold
    np.testing.assert_array_equal(fit.predict(g.new), np.where(inside, 1, -1))
    own, few = fit.own_usualness, 2 / len(g.X)
    assert (own < fit.threshold).mean() <= fit.share_asked + few
    border = fit.threshold + 1e-6 * np.abs(own).max()
    assert (own <= border).mean() >= fit.share_asked - few
    assert not hasattr(fit, "labels")  # what is usual is no group


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


@wanted(lambda subject: is_deterministic(subject) and reads_rows_alone(subject))
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
    rows = rows if reads_rows_alone(subject) else np.arange(45)
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


def the_score_of_the_card_is_defined(subject: Subject) -> None:
    """What the card names says something of the fit, its headline a number, and of baselines.

    Groups that are all one may have none.
    """
    method, g = subject.cls(), given_to(subject.cls)
    # Of a run only its method is asked.
    judge = judge_of(SimpleNamespace(method=method))  # pyrefly: ignore[bad-argument-type]
    new = scoring.Rows(g.new, target(subject.cls, len(g.new)))
    case = scoring.Case(
        method=method,
        fit=fitted(method),
        train=scoring.Rows(g.X, g.y),
        test=new,
        n_classes=3,
        seed=1,
    )
    scores = judge.scored(case).scores
    assert list(scores) == [metric.name for metric in judge.metrics()]
    assert np.isfinite(scores[judge.metric().name]) or is_one_group(case.fit)
    for simple, own in judge.baselines(method):
        # Baselines are methods.
        # pyrefly: ignore[missing-attribute]
        beside = replace(case, method=simple, fit=simple.fit(g.X, g.y))
        assert np.isfinite(own.scored(beside).scores[own.metric().name])


def is_one_group(fit: Any) -> bool:
    """Whether a fit put all rows into one group."""
    return isinstance(fit, capabilities.HasLabels) and len(np.unique(fit.labels)) == 1


CHECKS = [
    rows_one_by_one_are_rows_at_once,
    predictions_are_labels_or_numbers,
    what_is_plain_is_learned,
    labels_number_the_groups,
    scores_are_high_where_rows_are_usual,
    the_threshold_parts_rows_as_was_asked,
    probabilities_are_probabilities,
    the_largest_decision_is_predicted,
    names_of_classes_come_back,
    coordinates_have_names,
    the_way_back_has_the_width_of_the_rows,
    order_of_rows_does_not_matter,
    order_of_columns_does_not_matter,
    groups_do_not_depend_on_the_order,
    weight_zero_is_leaving_out,
    the_score_of_the_card_is_defined,
]
