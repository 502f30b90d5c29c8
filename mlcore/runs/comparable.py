"""Which methods may stand beside each other on some data, and what they are called there."""

from __future__ import annotations

from typing import Any, NamedTuple

from mlcore.data.dataset import Dataset
from mlcore.evaluation.judge import Judge
from mlcore.evaluation.scoring import Scoring
from mlcore.runs.carry import does_not_apply, judge_of
from mlcore.runs.labels import told_apart
from mlcore.runs.refusals import prepared_if_it_can_be
from mlcore.runs.run import Comparison, Pipeline, Run


class Standing(NamedTuple):
    """Who can stand in a comparison, and by what those who can are judged."""

    reasons: tuple[str, ...]  # why each method cannot; an empty text where it can
    judge: Judge  # the scorings that those share, in the order of the first; none for nobody


def standing(run: Comparison, dataset: Dataset) -> Standing:
    """Who can stand in a comparison on this data: each shares a scoring with all before it."""
    judge, first, reasons = Judge(()), None, []
    for one in run.runs():
        why = does_not_apply(one, dataset) or ""
        if not why and first is None:
            judge, first = judge_of(one), one
        elif not why and first is not None:
            shared = _shared(judge, one, first, dataset)
            why = "" if shared.scorings else _apart(one, first, dataset)
            judge = judge if why else shared
        reasons.append(why)
    return Standing(tuple(reasons), judge)


def _shared(judge: Judge, run: Run, first: Run, dataset: Dataset) -> Judge:
    """What is left of a judge with one more method."""
    own = judge_of(run).scorings
    shared = [scoring for scoring in judge.scorings if scoring in own]
    if run.preparation != first.preparation:
        shared = [scoring for scoring in shared if not scoring.is_in_prepared]
    shared = [s for s in shared if _unit(s, run, dataset) == _unit(s, first, dataset)]
    return Judge(tuple(shared))


def _unit(scoring: Scoring, run: Run, dataset: Dataset) -> str:
    """Of what the numbers of a run are by a scoring, where methods differ in that."""
    if type(scoring).unit is Scoring.unit:
        return ""
    prepared = prepared_if_it_can_be(run, dataset)
    if prepared is None:
        return ""
    return scoring.unit(run.method, prepared.X, prepared.columns)


def _apart(run: Run, first: Run, dataset: Dataset) -> str:
    """Why a method shares no score with those before it."""
    title, other = run.method.title(), first.method.title()
    both = [scoring for scoring in judge_of(run).scorings if scoring in judge_of(first).scorings]
    if both and run.preparation == first.preparation:
        mine, theirs = (_unit(both[0], one, dataset) for one in (run, first))
        return (
            f"Likelihoods of {title} are of {mine}, those of {other} of {theirs}: they say nothing "
            "beside each other. Compare it with others of its kind."
        )
    if both:
        return (
            f"{title} is judged in its prepared coordinates, and these are others than those of "
            f"{other}; give both the same preparation."
        )
    return f"{title} is judged by other measures than {other}; compare it with its own kind."


def labels(run: Comparison) -> tuple[str, ...]:
    """What to call the methods: those of one name by the settings that differ."""
    return told_apart([_name(method) for method in run.methods], run.methods)


def _name(method: Any) -> str:
    if not isinstance(method, Pipeline):
        return method.title()
    steps = ", ".join(step.title().lower() for step in method.preparation)
    return f"{method.method.title()} after {steps or 'no preparation'}"
