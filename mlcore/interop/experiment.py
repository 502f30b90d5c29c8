"""An experiment written for scikit-learn: a program, the rows it learns from, and the same folds.

The program needs scikit-learn and pandas and nothing of MLScope. Rows and folds come with it,
because they are what has to be the same: the program draws none.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from textwrap import fill
from typing import Any

import numpy as np

from mlcore.data.cells import safe_text
from mlcore.data.dataset import Dataset
from mlcore.data.writing import csv_text
from mlcore.interop.calls import Call, imports, text
from mlcore.interop.columns import NAMES, NUMBERS, kind_of, steps
from mlcore.runs.carry import judge_of, splits_of
from mlcore.runs.run import AnyRun, Run
from mlcore.runs.stamp import stamp
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError

PROGRAM, ROWS, FOLDS = "experiment.py", "rows.csv", "folds.json"

# Our measure: the name of theirs.
SCORERS = {
    "classification_scores": {
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced_accuracy",
        "f_score": "f1_macro",
        "matthews": "matthews_corrcoef",
    },
    "regression_scores": {
        "rmse": "neg_root_mean_squared_error",
        "mae": "neg_mean_absolute_error",
        "median_ae": "neg_median_absolute_error",
        "max_error": "neg_max_error",
        "r2": "r2",
    },
    "output_scores": {"r2": "r2"},
}
OF_PROBABILITIES = {"log_loss": "neg_log_loss", "roc_auc": "roc_auc_ovr"}
# Measures that theirs has no name for are written out.
WRITTEN = {
    "distortion": '''
def distortion(model, X, y=None):
    """Mean squared distance to the nearest center."""
    return -model.score(X) / len(X)
''',
    "log_likelihood": '''
def log_likelihood(model, X, y=None):
    """Mean logarithm of the density at a row."""
    return model.score_samples(X).mean()
''',
    "reconstruction_error": '''
def reconstruction_error(model, X, y=None):
    """Mean squared distance between a prepared row and its reconstruction."""
    Z = model[:-1].transform(X) if len(model) > 1 else X.to_numpy()
    back = model[-1].inverse_transform(model[-1].transform(Z))
    return ((np.asarray(Z) - back) ** 2).sum(axis=1).mean()
''',
    "noise": '''
def noise(model, X, y=None):
    """Share of the fitted rows that are in no group; the rows left out are not looked at."""
    return (model[-1].labels_ == -1).mean()
''',
    "share_outside": '''
def share_outside(model, X, y=None):
    """Share of rows that are called outside."""
    return (model.predict(X) == -1).mean()
''',
}
OWN = {
    "distortion": "distortion",
    "log_likelihood": "log_likelihood",
    "reconstruction": "reconstruction_error",
    "noise_share": "noise",
    "novelty_scores": "share_outside",
}


def why_not(runs: Mapping[str, Run], dataset: Dataset) -> str:
    """Why these runs are not written for scikit-learn, as a sentence; empty where they are."""
    if not runs:
        return "No method is fitted yet."
    try:
        for run in runs.values():
            pipeline(run, dataset)
        _written_by(runs)
    except ParamError as error:
        return str(error)
    return ""


def experiment(whole: AnyRun, runs: Mapping[str, Run], dataset: Dataset) -> bytes:
    """A .zip of program, rows and folds for runs that share data and folds, by their labels."""
    first = next(iter(runs.values()))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PROGRAM, program(whole, runs, dataset))
        archive.writestr(ROWS, csv_text(written_columns(dataset)))
        archive.writestr(FOLDS, json.dumps(_folds(first, dataset)))
    return out.getvalue()


def pipeline(run: Run, dataset: Dataset) -> Call:
    """Preparation and method of a run. Raises ParamError, with the reason, if one cannot be."""
    last = _call(run.method, run.seed, dataset)
    if dataset.weights is not None and "weights" in run.method.card.takes:
        raise ParamError("Weights of rows are not written for scikit-learn.")
    if dataset.sequences is not None and "lengths" in run.method.card.takes:
        raise ParamError("Sequences of rows are not written for scikit-learn.")
    before = steps(run.preparation, _named(dataset))
    return Call("sklearn.pipeline.make_pipeline", (*before, last))


def _call(method: Any, seed: int, dataset: Dataset) -> Call:
    """A method in the words of its peer, the methods inside it in those of theirs."""
    settings = method.peer_settings()
    if isinstance(settings, str):
        raise ParamError(settings)
    if method.card.name in DRAWS:
        settings = settings | {"random_state": seed}
    _refuse_too_many(method.title(), settings.get("n_components"), dataset)
    arguments = {
        name: _with_calls(value, seed, dataset)
        for name, value in settings.items()
        if value is not None
    }
    return Call(method.card.peer, (), arguments)


def _with_calls(value: Any, seed: int, dataset: Dataset) -> Any:
    """A setting with calls in place of the methods in it, of several of them too."""
    if isinstance(value, Component):
        return _call(value, seed, dataset)
    if isinstance(value, list | tuple):
        return type(value)(_with_calls(item, seed, dataset) for item in value)
    return value


# Those of theirs that draw lots.
DRAWS = (
    "kmeans", "gaussian_mixture", "decision_tree", "regression_tree", "random_forest",
    "random_forest_regression", "extra_trees", "extra_trees_regression", "gradient_boosting",
    "gradient_boosting_regression", "adaboost", "bagging", "bagging_regression", "mlp_classifier",
    "mlp_regressor", "isolation_forest",
)  # fmt: skip


def _refuse_too_many(title: str, asked: Any, dataset: Dataset) -> None:
    """Refuse more directions than there are columns; theirs raises where ours takes all."""
    widths = [len(c.levels) if kind_of(c) == NAMES else 1 for c in dataset.columns]
    if isinstance(asked, int) and asked > min(sum(widths), dataset.n // 2):
        raise ParamError(
            f"{title} asks for {asked} directions of {sum(widths)} columns, which scikit-learn "
            "refuses. Lower the number."
        )


def program(whole: AnyRun, runs: Mapping[str, Run], dataset: Dataset) -> str:
    """The text of the program."""
    models = {label: pipeline(run, dataset) for label, run in runs.items()}
    scoring, own = _scoring(runs)
    return PROGRAM_TEXT.format(
        differs=_differences(runs),
        stamp=fill(stamp(whole), 96),
        imports="\n".join(sorted([*imports(models), CROSS_VALIDATE])),
        own="".join(WRITTEN[name] for name in own),
        models=text(models),
        scoring=scoring,
        names=text(_names(dataset)),
        target=_target(dataset, runs),
        columns=text([safe_text(column.name) for column in dataset.columns]),
    )


CROSS_VALIDATE = "from sklearn.model_selection import cross_validate"
PROGRAM_TEXT = '''\
"""The experiment of MLScope, written for scikit-learn: the same rows, the same folds.

{stamp}

Needs scikit-learn and pandas. Keep rows.csv and folds.json beside this file.
{differs}"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
{imports}

HERE = Path(__file__).parent
COLUMNS = {columns}
NAMES = {names}  # columns to be read as text
{own}
rows = pd.read_csv(
    HERE / "rows.csv",
    dtype=dict.fromkeys(NAMES, str),
    keep_default_na=False,
    na_values=[""],
)
X = rows[COLUMNS]
{target}
folds = [
    (np.setdiff1d(np.arange(len(rows)), test) if train is None else train, test)
    for train, test in json.loads((HERE / "folds.json").read_text())
]
models = {models}
scoring = {scoring}

for label, model in models.items():
    found = cross_validate(model, X, y, cv=folds, scoring=scoring, error_score="raise")
    print(label)
    for name, scorer in scoring.items():
        sign = -1 if str(scorer).startswith("neg_") else 1
        values = pd.Series(sign * found[f"test_{{name}}"])
        print(f"{{name}}: mean {{float(values.mean())!r}}, sd {{float(values.std())!r}}")
        for k, value in enumerate(values):
            print(f"  fold {{k + 1}}: {{float(value)!r}}")
'''


def _scoring(runs: Mapping[str, Run]) -> tuple[str, list[str]]:
    """The measures as a dictionary, and those of them that are written out."""
    name = _written_by(runs)
    if name in OWN:
        return f'{{"{OWN[name]}": {OWN[name]}}}', [OWN[name]]
    scorers = dict(SCORERS[name])
    if all(promises(run.method, GivesProbabilities) for run in runs.values()):
        scorers |= OF_PROBABILITIES if name == "classification_scores" else {}
    return text(scorers), []


def _written_by(runs: Mapping[str, Run]) -> str:
    """The first scoring shared by all that can be written; ParamError where there is none."""
    judges = [judge_of(run) for run in runs.values()]
    for scoring in judges[0].scorings:
        name = scoring.card.name
        if (name in OWN or name in SCORERS) and all(scoring in one.scorings for one in judges):
            return name
    titles = " and ".join(scoring.title() for scoring in judges[0].scorings)
    raise ParamError(f"{titles} is not written for scikit-learn, and these share no other score.")


def _differences(runs: Mapping[str, Run]) -> str:
    """Where numbers may differ by more than rounding, a line a method."""
    remarks = [f"{label}: {run.method.peer_differs}" for label, run in runs.items()]
    lines = [fill(line, 96) for line in remarks if not line.endswith(": ")]
    return "\n" + "\n".join(lines) + "\n" if lines else ""


def _target(dataset: Dataset, runs: Mapping[str, Run]) -> str:
    """How the program gets its target."""
    card = next(iter(runs.values())).method.card
    task = card.task
    if not task:
        return "y = None"
    if "outputs" in card.takes:
        return f"y = rows[{text([safe_text(name) for name in dataset.answers()])}]"
    if task == "regression":
        return f"y = rows[{text(safe_text(str(dataset.target)))}]"
    classes = text([safe_text(name) for name in dataset.classes])
    target = text(safe_text(str(dataset.target)))
    return f"CLASSES = {classes}\ny = rows[{target}].map(CLASSES.index)"


def _names(dataset: Dataset) -> list[str]:
    """The columns of the file that hold text, also where it looks like numbers."""
    named = [column.name for column in dataset.columns if kind_of(column) != NUMBERS]
    target = [str(dataset.target)] if dataset.classes else []
    return [safe_text(name) for name in (*named, *target)]


def written_columns(dataset: Dataset) -> dict[str, Any]:
    """The rows that are used, as they stand in the table, names as names."""
    values_of: dict[str, Any] = {}
    for j, column in enumerate(dataset.columns):
        values = dataset.X[:, j]
        values_of[column.name] = values if kind_of(column) == NUMBERS else _levels(values, column)
    return values_of | dataset.answers()


def _levels(values: np.ndarray, column: Any) -> np.ndarray:
    names = np.array([*column.levels, None], dtype=object)
    return names[np.where(np.isnan(values), len(column.levels), values).astype(int)]


def _named(dataset: Dataset) -> tuple[Any, ...]:
    """The columns under the names that stand in the file."""
    return tuple(
        replace(c, name=safe_text(c.name), levels=tuple(map(safe_text, c.levels)))
        for c in dataset.columns
    )


def _folds(run: Run, dataset: Dataset) -> list[list[list[int] | None]]:
    """(fitted, left out) of each fold, as positions among the rows; None for all the others."""
    rows = np.arange(dataset.n)
    return [
        [_unless_others(split.train, np.setdiff1d(rows, split.test)), split.test.tolist()]
        for split in splits_of(run, dataset)
    ]


def _unless_others(train: np.ndarray, others: np.ndarray) -> list[int] | None:
    # Of leave-one-out the training rows alone would weigh the square of the table.
    return None if np.array_equal(train, others) else train.tolist()
