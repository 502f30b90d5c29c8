"""Take it away: tables as CSV, the run as JSON and as a script; each says where it is from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mlcore.capabilities import HasLabels, Transforms
from mlcore.carry import Outcome
from mlcore.data.cells import safe_text
from mlcore.data.dataset import Dataset
from mlcore.run import script


def take_away(outcome: Outcome, dataset: Dataset) -> None:
    """Buttons for everything that leaves the browser."""
    name = f"{outcome.run.method.card.name}-{outcome.run.short()}"
    files: dict[str, tuple[str, Any]] = {
        "Scores of each fold": (f"{name}-scores.csv", lambda: csv(scores(outcome), outcome)),
        "Run as JSON": (f"{name}.json", lambda: outcome.run.to_json(indent=1)),
        "Python script": (f"{name}.py", lambda: script(outcome.run)),
    }
    if any(fold.predictions is not None for fold in outcome.done):
        files["Predictions on rows left out"] = (
            f"{name}-predictions.csv", lambda: csv(predictions(outcome, dataset), outcome),
        )  # fmt: skip
    if isinstance(outcome.whole.fit, Transforms):
        files["Transformed rows"] = (
            f"{name}-transformed.csv", lambda: csv(transformed(outcome, dataset), outcome),
        )  # fmt: skip
    if isinstance(outcome.whole.fit, HasLabels):
        files["Groups of the rows"] = (
            f"{name}-groups.csv", lambda: csv(groups(outcome, dataset), outcome),
        )  # fmt: skip
    with st.container(horizontal=True):
        for label, (file, make) in files.items():
            st.download_button(
                label, make, file, icon=":material/download:", on_click="ignore", key=f"take.{file}"
            )
    st.caption("Pictures are taken away by the small buttons at their upper right.")


def csv(frame: pd.DataFrame, outcome: Any) -> str:
    """The table with one comment line that says what it comes from."""
    said = ", ".join(f"{k} {v}" for k, v in outcome.versions)
    stamp = f"# run {outcome.run.digest()}, seed {outcome.run.seed}, {said}\n"
    safe = frame.rename(columns=safe_text)
    for column in safe.select_dtypes(exclude="number"):
        safe[column] = [safe_text(str(value)) for value in safe[column]]
    return stamp + safe.to_csv(index=False, lineterminator="\n")


def scores(outcome: Outcome) -> pd.DataFrame:
    """A line a fold: every score on rows left out, on the fitted rows, and of the baseline."""
    lines = []
    for fold in outcome.folds:
        line: dict[str, Any] = {"fold": fold.k + 1, "rows": len(fold.test)}
        for metric in outcome.scoring.metrics():
            line[metric.name] = fold.scores.get(metric.name)
            line[f"{metric.name} on the fitted rows"] = fold.fitted_scores.get(metric.name)
            line[f"{metric.name} of the baseline"] = fold.baseline.get(metric.name)
        lines.append(line | {"seconds": fold.seconds, "failure": fold.failure})
    return pd.DataFrame(lines)


def predictions(outcome: Outcome, dataset: Dataset) -> pd.DataFrame:
    """A line a prediction on a row left out, with the truth and the probabilities."""
    return pd.concat(
        [_predicted(fold, dataset) for fold in outcome.done if fold.predictions is not None]
    ).sort_values(["row", "fold"])


def _predicted(fold: Any, dataset: Dataset) -> pd.DataFrame:
    found: dict[str, Any] = {"row": dataset.rows[fold.test] + 1, "fold": fold.k + 1}
    if dataset.y is not None:
        found[f"true {dataset.target}"] = _said(dataset.y[fold.test], dataset)
    found["predicted"] = _said(fold.predictions, dataset)
    if fold.probabilities is not None:
        for k, name in enumerate(dataset.classes):
            found[f"probability of {name}"] = fold.probabilities[:, k]
    return pd.DataFrame(found)


def _said(values: np.ndarray, dataset: Dataset) -> np.ndarray:
    if dataset.task != "classification" or (len(values) and values.max() >= len(dataset.classes)):
        return values
    return np.array(dataset.classes, dtype=object)[values.astype(int)]


def transformed(outcome: Outcome, dataset: Dataset) -> pd.DataFrame:
    """Every row in the coordinates that the method made of all rows."""
    fit = outcome.whole.fit
    Z = fit.transform(outcome.whole.prepared.transform(dataset.X))
    named = {column.name: Z[:, j] for j, column in enumerate(fit.out_columns)}
    return pd.DataFrame({"row": dataset.rows + 1, **named})


def groups(outcome: Outcome, dataset: Dataset) -> pd.DataFrame:
    """The group of every row."""
    return pd.DataFrame({"row": dataset.rows + 1, "group": outcome.whole.fit.labels})
