"""The experiment for scikit-learn: its program, run alone in a fresh process, gives our scores."""

from __future__ import annotations

import ast
import io
import os
import re
import runpy
import subprocess
import sys
import warnings
import zipfile
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlcore.clustering.kmeans import KMeans
from mlcore.data.dataset import Dataset, TableData
from mlcore.data.importing import read
from mlcore.data.upload import Upload
from mlcore.evaluation.splits import KFold, ShuffleSplit, Split
from mlcore.evaluation.time_series_split import TimeSeriesSplit
from mlcore.interop.calls import imports, text
from mlcore.interop.experiment import experiment, pipeline, why_not, written_columns
from mlcore.neighbours.knn import KNNClassifier
from mlcore.preparation.impute import Impute
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.standardise import Standardise
from mlcore.regression.elastic_net import ElasticNet
from mlcore.regression.ridge import Ridge
from mlcore.runs.carry import (
    FoldResult,
    Outcome,
    carried_out,
    carried_part,
    does_not_apply,
    judge_of,
    splits_of,
)
from mlcore.runs.run import Comparison, Pipeline, Run
from mlcore.spine.errors import MlcoreError
from mlcore.spine.param_kinds import Part
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries
from mlcore.trees.decision_tree import DecisionTree
from mlcore.warm import holds_methods, representatives
from tests import sampling
from tests.contract.subjects import is_sentence, methods

ROUNDING = 1e-9
CLASSES = {
    "lda": "lda",
    "logistic": "logistic",
    "knn": KNNClassifier(n_neighbors=9),  # an odd number: where votes are equal, ours differ
    "naive_bayes": "naive_bayes",
    "tree": DecisionTree(max_leaf_nodes=3),  # larger ones meet splits of equal gain
    "svc": "svc",
    "multiclass": "multiclass",
    "constant": "constant",
}
QUANTITIES = {
    "linear": "linear_regression",
    "ridge": "ridge",
    "knn": "knn_regression",
    "tree": "regression_tree",
    "constant": "constant_regression",
    "net": ElasticNet(alpha=0.5, tol=1e-12, max_iter=100_000),
}
# name of the method -> relative tolerance: why not rounding alone
LARGER = {
    "logistic": 1e-8,  # both stop by a slope
    "multiclass": 1e-7,  # so do the rules, and their probabilities are scaled to sum 1
    "net": 1e-6,  # both stop by a gap
}


Scores = dict[str, dict[str, list[float]]]  # method -> measure -> value of each fold
OURS = {path.name for path in Path(__file__).parents[2].iterdir() if path.is_dir()} | {"app"}


def printed_alone(content: bytes, folder: Path) -> Scores:
    """What the program prints in a process of its own."""
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    # -I: nothing of this project can be found; a warning is an error.
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", str(folder / "experiment.py")],
        capture_output=True, text=True, timeout=300, env=environment, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return parsed(done.stdout)


def printed(content: bytes, folder: Path) -> Scores:
    """The same in this process, where scikit-learn is there already.

    Again nothing of this project can be found, and a warning is an error.
    """
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    hidden = dict.fromkeys(name for name in {*sys.modules} | OURS if name.split(".")[0] in OURS)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        for name in hidden:
            patch.setitem(sys.modules, name, None)
        patch.chdir(folder)
        warnings.simplefilter("error")
        with redirect_stdout(io.StringIO()) as said:
            runpy.run_path(str(folder / "experiment.py"), run_name="__main__")
    return parsed(said.getvalue())


def test_a_program_that_uses_this_project_or_warns_fails(tmp_path):
    for line, error in (
        ("import mlcore", ImportError),
        ("from mlcore.clustering.kmeans import KMeans", ImportError),
        ("from tests import sampling", ImportError),
        ("import warnings; warnings.warn('old', DeprecationWarning)", DeprecationWarning),
    ):
        with io.BytesIO() as file, zipfile.ZipFile(file, "w") as archive:
            archive.writestr("experiment.py", line)
            archive.close()
            with pytest.raises(error):
                printed(file.getvalue(), tmp_path)


def parsed(text: str) -> Scores:
    found: Scores = {}
    label = measure = ""
    for line in text.splitlines():
        if value := re.fullmatch(r"  fold \d+: (.*)", line):
            found[label][measure].append(float(value[1]))
        elif named := re.match(r"(\w+): mean ", line):
            measure = named[1]
            found[label][measure] = []
        else:
            label = line
            found[label] = {}
    return found


def agree(theirs: dict[str, list[float]], ours: Outcome, tolerance: float) -> None:
    assert theirs
    for measure, values in theirs.items():
        assert values == pytest.approx(list(ours.values(measure)), rel=tolerance, abs=tolerance)


@pytest.mark.parametrize(
    ("data", "chosen"), [("iris", CLASSES), ("penguins", CLASSES), ("diabetes", QUANTITIES)]
)
def test_the_scores_are_ours(data, chosen, tmp_path):
    whole = Comparison(data=data, methods=tuple(chosen.values()))
    runs = dict(zip(chosen, whole.runs(), strict=True))
    # Alone where most is written: what a program does not import is there in this process.
    answered = printed_alone if data == "penguins" else printed
    found = answered(experiment(whole, runs, whole.data.dataset()), tmp_path)
    assert found.keys() == runs.keys()
    for name, run in runs.items():
        agree(found[name], carried_out(run), LARGER.get(name, ROUNDING))


@pytest.mark.parametrize(
    ("data", "method"),
    [
        ("penguins", "pca"),
        ("iris", "dbscan"),
        ("iris", KMeans(n_init=50)),  # with few starts optima differ
        ("linnerud", "multi_output_regressor"),
    ],
)
def test_scores_of_no_target_and_of_several_are_ours(data, method, tmp_path):
    run = Run(data=data, method=method)
    found = printed(experiment(run, {"it": run}, run.data.dataset()), tmp_path)
    agree(found["it"], carried_out(run), ROUNDING)


def test_probabilities_are_scored_where_every_method_has_them(tmp_path):
    run = Run(data="penguins", method="lda", evaluation=KFold(n_splits=3, n_repeats=2), seed=4)
    found = printed(experiment(run, {"lda": run}, run.data.dataset()), tmp_path)["lda"]
    assert len(found["log_loss"]) == 6
    agree(found, carried_out(run), ROUNDING)


@pytest.mark.parametrize("splitter", [TimeSeriesSplit(n_splits=3, gap=2), ShuffleSplit(n_splits=4)])
def test_folds_that_leave_rows_aside_are_the_same(splitter, tmp_path):
    run = Run(data="diabetes", method="ridge", evaluation=splitter)
    found = printed(experiment(run, {"it": run}, run.data.dataset()), tmp_path)
    agree(found["it"], carried_out(run), ROUNDING)


def test_three_methods_with_their_defaults_and_a_preparation_of_its_own(tmp_path):
    own = Pipeline(preparation=(Impute(strategy="mean"), OneHot(drop="first")), method="lda")
    whole = Comparison(data="penguins", methods=("lda", "knn", "decision_tree", own))
    labels = ("lda", "knn", "tree", "own")
    runs = dict(zip(labels, whole.runs(), strict=True))
    content = experiment(whole, runs, whole.data.dataset())
    found = printed(content, tmp_path)
    for label in ("lda", "knn", "own"):
        agree(found[label], carried_out(runs[label]), ROUNDING)
    # Of equal gains the peer takes one at random: other trees, equally good on the training rows.
    ours = carried_out(runs["tree"]).mean("accuracy")
    assert sum(found["tree"]["accuracy"]) / 5 == pytest.approx(ours, abs=0.03)
    text = (tmp_path / "experiment.py").read_text()
    assert "tree: Of splits that gain the same" in text
    assert whole.digest() in text.replace("\n", "")


def test_classes_that_look_like_numbers_and_a_column_called_target(tmp_path):
    rows = "\n".join(f"{(i * 7) % 13}.5,{(i * 5) % 11},{(i * 7) % 13 // 5}" for i in range(80))
    table = read(f"target,b,group of rows\n{rows}\n".encode(), "mine.csv").table
    held = {table.digest(): table}
    name = "group of rows"
    data = TableData(source=Upload(digest=table.digest()), target=name, kinds=((name, "nominal"),),
                     roles=(("target", "feature"),))  # fmt: skip
    run = Run(data=data, method="lda")
    assert data.dataset(held).classes == ("0", "1", "2")
    found = printed(experiment(run, {"lda": run}, data.dataset(held)), tmp_path)
    agree(found["lda"], carried_out(run, held), ROUNDING)


def test_a_brought_table_with_strange_names_scales_and_missing_values(tmp_path):
    levels = ("poor", "fair", "good")
    rows = "\n".join(
        f"{i % 13}.5,{levels[i % 3]},{'=x' if i % 2 else ''},{'no' if (i * 7) % 5 > 2 else '@yes'}"
        for i in range(80)
    )
    table = read(f'"=a ""b""",grade,c,y\n{rows}\n'.encode(), "mine.csv").table
    held = {table.digest(): table}
    kinds = (("c", "nominal"), ("grade", "ordinal"))
    data = TableData(source=Upload(digest=table.digest()), target="y", kinds=kinds,
                     roles=(("c", "feature"),))  # fmt: skip
    run = Run(data=data, method="lda")
    found = printed(experiment(run, {"lda": run}, data.dataset(held)), tmp_path)
    agree(found["lda"], carried_out(run, held), ROUNDING)


REFUSED = [
    Run(data="penguins", method="lda", preparation=(Impute(),)),
    Run(data="penguins", method="lda", preparation=(OneHot(), Impute())),
    Run(data="penguins", method="lda", preparation=(Impute(indicator=True), OneHot())),
    Run(data="penguins", method="lda", preparation=(Impute(), OneHot(), Standardise(scale="mad"))),
    Run(data="penguins", method="lda", preparation=(Impute(), OneHot(min_count=3))),
    Run(data="iris", method=KNNClassifier(weights="kernel")),
    Run(data="diabetes", method=Ridge(alpha_rule="loo")),
]


@pytest.mark.parametrize("run", REFUSED, ids=range(len(REFUSED)))
def test_what_is_not_written_says_why(run):
    said = why_not({"it": run}, run.data.dataset())
    assert is_sentence(said), said


# How many times the same is done is only tried where it is what changes.
FEW = {"n_estimators": 5, "n_init": 1, "max_epochs": 5}
SOME = 3  # each third row, in which iris has its classes


def settings_of(cls: type) -> list[Any]:
    """The defaults, and every single change of a setting that tests must see work."""
    few = {name: n for name, n in FEW.items() if name in params_of(cls)}
    found = [cls(**few)]
    for name, param in params_of(cls).items():
        for value in parts_of(param) if isinstance(param, Part) else param.tries():
            with suppress(MlcoreError):
                found.append(cls(**few | {name: value}))
    return sampling.chosen(dict.fromkeys(found), cls.__name__)


def parts_of(param: Part) -> list[Any]:
    """Every part; of methods one of each kind, since each is written by itself already."""
    if holds_methods(param.slot):
        return representatives(param.slot)
    return [cls() for cls in entries(param.slot).values()] or param.tries()


def theirs_of(run: Run, dataset: Dataset, columns: pd.DataFrame) -> tuple[Any, Split]:
    """Their pipeline, fitted to the training rows of the first fold, and that fold.

    Where many are fitted and predictions may differ, only that theirs takes each value is looked
    at, on fewer rows.
    """
    call, names = pipeline(run, dataset), {}
    exec("\n".join(imports(call)), names)
    (split,) = splits_of(run, dataset)
    is_compared = not run.method.peer_differs or not hasattr(run.method, "n_estimators")
    rows = split.train if is_compared else split.train[::SOME]
    y = None if dataset.y is None else dataset.y[rows]
    if "outputs" in run.method.card.takes:  # theirs wants a table of outputs, also of a single one
        y = np.asarray(y).reshape(len(rows), -1)
    return eval(text(call), names).fit(columns.iloc[rows], y), split


def fold_of(run: Run, dataset: Dataset) -> FoldResult | None:
    """The one fold of a run, alone; None where these settings do not fit the data."""
    if does_not_apply(run, dataset):
        return None
    (split,) = splits_of(run, dataset)
    fold = carried_part(run, dataset, judge_of(run), 0, 1, split)
    assert isinstance(fold, FoldResult)
    return None if fold.failure else fold


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_:UserWarning")  # of leaves, stacked
@pytest.mark.filterwarnings("ignore:Using the fractional value max_samples:UserWarning")
@pytest.mark.parametrize("subject", methods(), ids=str)
def test_every_setting_predicts_the_same_or_says_why_not(subject):
    data = {"classification": "iris", "regression": "diabetes", "": "iris"}
    dataset = Run(data=data[subject.cls.card.task]).data.dataset()
    columns = pd.DataFrame(written_columns(dataset)).drop(columns=str(dataset.target))
    written = 0
    for method in settings_of(subject.cls):
        run = Run(data=data[method.card.task], method=method, evaluation="hold_out")
        if said := why_not({"it": run}, dataset):
            assert is_sentence(said)
        if said or (fold := fold_of(run, dataset)) is None:
            continue
        written += 1
        theirs, split = theirs_of(run, dataset, columns)
        assert type(theirs[-1]).__module__.startswith(method.card.peer.rpartition(".")[0])
        if not method.peer_differs and hasattr(theirs, "predict"):
            found = theirs.predict(columns.iloc[split.test]).reshape(fold.predictions.shape)
            np.testing.assert_allclose(found, fold.predictions, rtol=1e-6, err_msg=repr(method))
    assert bool(written) == bool(subject.cls.card.peer)  # without a peer nothing is written


def test_the_program_is_python_whatever_the_names():
    for slot, name in (("method", "lda"), ("method", "ridge")):
        cls = entries(slot)[name]
        run = Run(data={"lda": "penguins", "ridge": "diabetes"}[name], method=cls())
        with zipfile.ZipFile(io.BytesIO(experiment(run, {'"""\\': run}, run.data.dataset()))) as z:
            ast.parse(z.read("experiment.py"))
