"""A saved model asked about new rows: the same archive as `python -m mlcore predict` takes.

The archive may be anybody's. Reading runs nothing of it (`mlcore.runs.saved`); what its numbers do
to a fit is caught here, so that a spoiled one ends in a sentence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.sources import Source
from mlcore.data.steps.new_rows import words_of
from mlcore.data.table import Table
from mlcore.evaluation.judge import Judge
from mlcore.evaluation.scoring import Case, Rows
from mlcore.runs import carry, saved
from mlcore.runs.carry_prediction import interval_on, truth_of
from mlcore.runs.predicting.asking import Answer, asked, scored
from mlcore.runs.predicting.matching import Matching, changed_and_matched
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.predicting.wanted import Wanted, brought_for, wanted_by
from mlcore.runs.run import Run
from mlcore.runs.saved import Model
from mlcore.spine.errors import FileError, MlcoreError

# What numbers that do not belong together make numpy, scipy and our own code raise.
SPOILT = (
    TypeError, ValueError, IndexError, KeyError, AttributeError, ArithmeticError, RecursionError,
    AssertionError, np.linalg.LinAlgError,
)  # fmt: skip


class Opened(NamedTuple):
    """What there is to know of a saved model before it is asked."""

    digest: str  # SHA-256 of the archive
    run: Run
    target: str
    classes: tuple[str, ...]
    wanted: tuple[Wanted, ...]  # of a table before its changes
    remarks: tuple[str, ...]  # what there is to know of these
    versions: tuple[tuple[str, str], ...]


def opened(content: bytes) -> Opened:
    """What stands in an archive. Raises FileError for any other bytes."""
    model = saved.read(content)
    return Opened(
        hashlib.sha256(content).hexdigest(), model.run, model.target, model.classes,
        _whole(lambda: brought_for(model.new_rows, wanted_by(model))),
        tuple(filter(None, [words_of(model.new_rows.left_out)])), model.versions,
    )  # fmt: skip


def matching_of(
    content: bytes, table: Table, matches: Mapping[str, str], fixes: Mapping[str, str]
) -> Matching:
    """The columns of a table beside those of a saved model."""
    model = saved.read(content)
    return _whole(lambda: _matched(model, table, matches, fixes))


def predicted(
    content: bytes,
    source: Source,
    table: Table,
    matches: Mapping[str, str],
    fixes: Mapping[str, str],
) -> Predicted:
    """What a saved model says of the rows of a table, with the score where they have the target.

    Raises FileError where its parts do not belong together.
    """
    model = saved.read(content)
    return _whole(lambda: _predicted(model, source, table, matches, fixes))


def _matched(model: Model, table: Table, matches: Any, fixes: Any) -> Matching:
    return changed_and_matched(model.new_rows, wanted_by(model), table, matches, fixes)


def _predicted(model: Model, source: Source, table: Table, matches: Any, fixes: Any) -> Predicted:
    matching = _matched(model, table, matches, fixes)
    answer = asked(model, matching.rows)
    run = Prediction.of(model.run, source, matches=matches, fixes=fixes)
    is_classes = model.run.method.card.task == "classification"
    truth = truth_of(matching, model.target)
    judge = carry.judge_of(model.run)
    scores, why = ({}, "") if truth is None else _scored(model, judge, matching, answer, truth)
    return Predicted(
        run=run, trained=None, new=matching.table, matching=matching, outputs=answer.outputs,
        values=answer.values, probabilities=answer.probabilities,
        classes=model.classes if is_classes else (), target=model.target, truth=truth,
        usable=answer.usable, scores=scores, metric=judge.metric(),
        interval=interval_on(judge.metric(), scores, truth, answer),
        remarks=tuple(filter(None, [why])), versions=model.versions,
    )  # fmt: skip


def _scored(
    model: Model, judge: Judge, matching: Matching, answer: Answer, truth: np.ndarray
) -> tuple[dict[str, float], str]:
    """The scores of the new rows, or why there are none."""
    none = Rows(np.empty((0, 0)))  # the rows that it learned from are not in the archive
    case = Case(
        method=model.run.method, fit=model.fit, train=none, test=none,
        n_classes=len(model.classes), seed=model.run.seed,
    )  # fmt: skip
    try:
        return scored(judge, case, model, matching.rows, answer, truth), ""
    except MlcoreError as error:
        return {}, str(error)


def _whole(ask: Any) -> Any:
    try:
        with np.errstate(all="ignore"):  # a stranger's numbers: what they give is shown as it is
            return ask()
    except MlcoreError:
        raise
    except SPOILT:
        raise FileError(saved.NOT_ONE.format(why="its parts do not belong together")) from None
