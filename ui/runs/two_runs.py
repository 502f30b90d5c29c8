"""Two runs beside each other: settings, data and scores that differ, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import streamlit as st

from mlcore.evaluation.comparing.differences import between
from mlcore.evaluation.comparing.paired import corrected_resampled_t
from mlcore.evaluation.intervals import why_no_spread, why_not_of
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.summary import sizes, summary
from mlcore.runs.differences import numbers, settings, verdict
from mlcore.runs.differing import named
from mlcore.runs.kinds import kind_of
from mlcore.spine.errors import MlcoreError
from mlcore.spine.wording import deviation, number, shortened
from ui.runs import running
from ui.runs.listed import Entry
from ui.runs.running import Shown
from ui.wording import plain

CALLED = ("in the first", "in the second")
HEADS = ("What", "First", "Second", "Difference")
LONGEST = 80  # letters of a setting: drawn points are thousands
ROWS_OF_FOLDS = "rows of the folds"


def beside(first: Entry, second: Entry) -> None:
    """Draw the comparison of two runs of the list."""
    st.markdown(f"First: **{plain(first.label)}**  \nSecond: **{plain(second.label)}**")
    shown = [_outcome(entry.run, k) for k, entry in enumerate((first, second))]
    missing = next((one for one in shown if one.outcome is None), None)
    rows = list(_settings(first.run, second.run))
    if missing is not None:
        st.markdown(_why_missing(missing))
        _differing(rows, "Both have the same settings and data.")
        return
    one, other = (each.outcome for each in shown)
    records = numbers(one), numbers(other)
    st.markdown(plain(verdict(*records, CALLED).sentence))
    rows += [*_data(one, other), *_scores(one, other)]
    _differing(rows, "Settings, data and scores are the same.")
    if _same_folds(*records):
        _folds(one, other)


def _outcome(run: Any, k: int) -> Shown:
    """A run as far as the cache has it, or as far as it is carried out again meanwhile."""
    place = f"history.{k}"
    try:
        return running.carried(run, running.dataset_if_any(run), place)
    except MlcoreError as error:
        return Shown("refused", run, sentence=str(error))
    finally:
        # The list holds no outcomes: the cache decides how long they are kept.
        st.session_state.pop(f"last.{place}", None)


def _why_missing(shown: Shown) -> str:
    if shown.status == "running":
        return "The scores are being computed again. Close this and compare once more in a moment."
    if shown.status == "waiting":
        return "The scores are no longer kept. Open the run again and press Run to have them."
    return plain(shown.sentence)


def _settings(first: Any, second: Any) -> Iterator[tuple[str, ...]]:
    """A row a setting that differs."""
    for path, before, after in settings(first, second):
        yield named(first, path), *shortened((before, after), LONGEST), ""


def _data(one: Any, other: Any) -> Iterator[tuple[str, ...]]:
    """How many rows and columns the two methods got, where that differs."""
    if not (hasattr(one, "whole") and hasattr(other, "whole")):
        return
    shapes = one.whole.prepared.X.shape, other.whole.prepared.X.shape
    for name, a, b in zip(("Rows", "Columns as prepared"), *shapes, strict=True):
        if a != b:
            yield name, f"{a:,}", f"{b:,}", f"{b - a:+,}"


def _scores(one: Any, other: Any) -> Iterator[tuple[str, ...]]:
    """A row a score that both have and that differs in the mean or in a fold."""
    other_scores = {
        _called(of, metric): values for of, metric, values in kind_of(other.run).scores(other)
    }
    for of, metric, values in kind_of(one.run).scores(one):
        theirs = other_scores.get(_called(of, metric))
        if theirs is not None and not np.array_equal(values, theirs, equal_nan=True):
            before, after = summary(values), summary(theirs)
            yield (
                _called(of, metric),
                f"{number(before.mean)} ± {deviation(before.sd, before.mean)}",
                f"{number(after.mean)} ± {deviation(after.sd, after.mean)}",
                number(after.mean - before.mean),
            )


def _called(of: str, metric: Any) -> str:
    return f"{metric.title} of {of}" if of else metric.title


def _same_folds(one: dict[str, Any], other: dict[str, Any]) -> bool:
    mine = one["labels"].get(ROWS_OF_FOLDS)
    same = mine == other["labels"].get(ROWS_OF_FOLDS) and mine is not None
    done = [record["choices"].get("folds done") for record in (one, other)]
    return same and done[0] == done[1]


def _folds(one: Any, other: Any) -> None:
    """The first score, fold by fold: both left out the same rows."""
    (_, metric, mine), (_, theirs_metric, theirs) = (
        kind_of(one.run).scores(one)[0],
        kind_of(other.run).scores(other)[0],
    )
    if metric != theirs_metric:
        return
    st.markdown(f"**{metric.title}, fold by fold**, both on the same folds")
    rows: list[tuple[str, ...]] = [
        (f"Fold {fold.k + 1}", number(a), number(b), number(b - a))
        for fold, a, b in zip(one.done, mine, theirs, strict=True)
    ]
    means = (summary(values).mean for values in (mine, theirs, theirs - mine))
    rows.append(("Mean", *map(number, means)))
    _table("The first score fold by fold", rows)
    st.markdown(paired(metric, one, mine, theirs))


def paired(metric: Metric, one: Any, mine: np.ndarray, theirs: np.ndarray) -> str:
    """How much better the second is, with the interval for folds that both share.

    `mine` and `theirs`, shape (J,), are the scores of the folds of `one`.
    """
    defined = np.isfinite(mine) & np.isfinite(theirs)
    train, test = sizes(one.done)[:, defined]
    if why := why_not_of(metric) or why_no_spread(train, test):
        return f"No interval of the difference: {why}"
    test_of = corrected_resampled_t(
        between(theirs[defined], mine[defined], metric.better), train, test
    )
    direction = "better" if test_of.difference >= 0 else "worse"
    return (
        f"The second is {direction} by **{number(abs(test_of.difference))}**; approximate 95 % "
        f"interval of how much better it is: {number(test_of.low)} to {number(test_of.high)} "
        f"(corrected resampled t over {len(train)} folds)."
    )


def _differing(rows: Sequence[tuple[str, ...]], none: str) -> None:
    if rows:
        _table("What differs between the two runs", rows)
    else:
        st.markdown(none)


def _table(what: str, rows: Sequence[tuple[str, ...]]) -> None:
    lines = [dict(zip(HEADS, map(plain, row), strict=True)) for row in rows]
    st.table(lines, border="horizontal", hide_index=True, hide_header=False, alt=what)
