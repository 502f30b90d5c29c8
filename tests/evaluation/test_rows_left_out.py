"""Every question about predictions is answered on rows that the model had not seen.

The rows that it learned from are spoilt once it has learned. What is said must be the same to the
last bit, and another thing where the rows left out are spoilt: an explanation that is made on
training rows fails here, whatever it explains.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from mlcore.evaluation.splits import KFold
from mlcore.runs.carry import splits_of
from mlcore.runs.explaining.model import Model, model_of
from mlcore.runs.fingerprint import sha256
from mlcore.runs.run import Run
from mlcore.spine.registry import entries, lookup

RUN = Run(data="penguins", method="lda", evaluation=KFold(n_splits=3))
PARTS = {"shapley": ("at", "values"), "shapley_rows": ("rows",)}  # beside what training rows lend
CASES: dict[str, dict[str, Any]] = {
    "importance": {"shuffles": 2},
    "effect": {"variable": "bill_length_mm", "second": "island", "points": 6, "rows": 200},
    "shapley": {"background": 10},
    "shapley_rows": {"rows": 60, "background": 10},
    "what_if": {"search": False},
    "slices": {},
    "fairness": {"protected": "sex"},
}


@cache
def model() -> Model:
    dataset = RUN.data.dataset()
    return model_of(RUN, dataset, splits_of(RUN, dataset)[0])


def spoilt(rows: np.ndarray) -> Model:
    """The same fit, beside a data set in which these rows have each other's values.

    The values are those that there were, so that grids over their range stay.
    """
    now, rng = model(), np.random.default_rng(1)
    X, y = now.dataset.X.copy(), np.array(now.dataset.y)
    for j in range(X.shape[1]):
        X[rows, j] = X[rng.permutation(rows), j]
    y[rows] = y[rng.permutation(rows)]
    return replace(now, dataset=replace(now.dataset, X=X, y=y))


def said(name: str, by: Model) -> str:
    """The digest of an answer: of the predictions alone where training rows lend their values."""
    row = int(by.dataset.rows[by.split.test[5]]) + 1
    settings = CASES[name] | ({"row": row} if name in ("shapley", "what_if") else {})
    reply = lookup("question", name)(**settings).answer(by, 0)
    told = [getattr(reply, part) for part in PARTS.get(name, reply._fields)]
    if name in PARTS:
        told.append(np.round(reply.shared.predictions, 9))  # sums over what was lent
    return sha256([np.asarray(each) if isinstance(each, np.ndarray) else repr(each)
                   for each in told])  # fmt: skip


def test_every_question_is_tried_here():
    assert set(CASES) == set(entries("question"))


@pytest.mark.parametrize("name", sorted(CASES))
def test_it_is_answered_on_rows_left_out(name):
    split, answer = model().split, said(name, model())
    assert said(name, spoilt(split.train)) == answer
    if name not in ("slices", "fairness"):
        assert said(name, spoilt(split.test)) != answer


@pytest.mark.parametrize("name", ["slices", "fairness"])
def test_what_is_scored_by_group_are_predictions_for_rows_left_out(name):
    split = model().split
    reply = lookup("question", name)(**CASES[name]).answer(model(), 0)
    assert reply.test.tolist() == split.test.tolist()
    own = model().outputs(model().dataset.X[split.test])
    assert reply.probabilities == pytest.approx(own, abs=1e-12)


@pytest.mark.parametrize("way", ["conditional", "together"])
def test_other_ways_to_shuffle_score_rows_left_out_too(way):
    by = model()
    found = lookup("question", "importance")(shuffles=2, way=way).answer(by, 0)
    right = by.decisions(by.dataset.X[by.split.test]) == by.dataset.y[by.split.test]
    assert found.score == pytest.approx(right.mean())
    assert found.n_rows == len(by.split.test)
