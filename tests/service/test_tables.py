"""Tables that leave the browser: what stands in them, and that no spreadsheet executes it."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.importing import read
from mlcore.data.sources import Bundled
from mlcore.data.upload import Upload
from mlcore.preparation.impute import Impute
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.preparation.standardise import Standardise
from mlcore.runs import carry_comparison, carry_trial, carry_tuning, saved
from mlcore.runs.carry import Outcome, carried_out
from mlcore.runs.run import Comparison, Run, Trial, from_json
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from service import tables
from service.kinds import files_of

HOSTILE = ("=1+1", "+cmd", "-cmd", "@sum", "\tx", "\rx", "-5", "+3.5", "1e3", "plain")


def back(text: str) -> pd.DataFrame:
    """The table of a file as a spreadsheet reads it: its first line are names, all cells text."""
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


@pytest.fixture(scope="module")
def iris() -> Outcome:
    return carried_out(Run(data="iris", method="lda", seed=3))


def dataset(outcome: Outcome):
    return outcome.run.data.dataset()


def test_what_a_spreadsheet_would_execute_is_text_and_numbers_stay_numbers(iris):
    frame = pd.DataFrame(
        {"=name": HOSTILE, "value": np.linspace(-1, 1, len(HOSTILE)), "mixed": [-1.5, *HOSTILE[1:]]}
    )
    lines = list(csv.reader(io.StringIO(tables.csv(frame), newline="")))
    assert lines[0] == ["'=name", "value", "mixed"]
    found = [line[0] for line in lines[1:]]
    assert found == [
        "'=1+1", "'+cmd", "'-cmd", "'@sum", "'\tx", "'\rx", "-5", "+3.5", "1e3", "plain",
    ]  # fmt: skip
    assert [float(line[1]) for line in lines[1:]] == list(frame["value"])
    assert lines[1][2] == "-1.5"


def test_a_table_begins_with_its_names_and_its_own_name_says_the_run(iris):
    for file in files_of(iris.run, iris, dataset(iris)):
        if file.name.endswith(".csv"):
            assert iris.run.short() in file.name
            assert not str(file.make()).startswith("#")
    assert list(back(tables.csv(tables.scores(iris))))[:2] == ["fold", "rows"]


def test_what_tables_come_from_is_beside_them(iris):
    found = {file.label: file for file in files_of(iris.run, iris, dataset(iris))}
    with zipfile.ZipFile(io.BytesIO(found["All tables with their origin"].make())) as archive:
        names = archive.namelist()
        origin = archive.read("origin.json").decode()
        scores = archive.read(f"lda-{iris.run.short()}-scores.csv").decode()
    assert scores == found["Scores of each fold"].make()
    assert set(names) == {f.name for f in found.values() if f.name.endswith(".csv")} | {
        "origin.json"
    }
    assert from_json(origin) == iris.run
    about = json.loads(origin)["about"]
    assert about.startswith(f"run {iris.run.digest()}, seed 3, mlcore ")
    assert all(name in about for name, _ in iris.versions)


def test_scores_have_every_digit_and_name_failures(iris):
    found = back(tables.csv(tables.scores(iris)))
    assert [float(v) for v in found["accuracy"]] == list(iris.values("accuracy"))
    assert [float(v) for v in found["accuracy of the baseline"]] == list(
        iris.values("accuracy", "baseline")
    )
    assert set(found["failure"]) == {""}


def test_predictions_name_row_truth_and_probabilities(iris):
    found = tables.predictions(iris, dataset(iris))
    assert list(found["row"]) == list(range(1, 151))
    assert (found["true species"] == found["predicted"]).mean() == pytest.approx(
        iris.mean("accuracy")
    )
    shares = found[[f"probability of {name}" for name in dataset(iris).classes]].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)


def test_groups_are_numbers_and_never_the_names_of_classes():
    outcome = carried_out(Run(data="iris", method="kmeans"))
    found = tables.predictions(outcome, dataset(outcome))
    assert set(found["predicted"]) <= {1, 2, 3}
    assert set(found["true species"]) == set(dataset(outcome).classes)
    labels = outcome.whole.fit.labels
    assert list(tables.groups(outcome, dataset(outcome))["group"]) == list(labels + 1)


def test_verdicts_are_words_beside_the_score():
    outcome = carried_out(Run(data="iris", method="local_outlier_factor", evaluation="hold_out"))
    found = tables.predictions(outcome, dataset(outcome))
    assert set(found["predicted"]) <= {"inside", "outside"}
    judged, fit = tables.judged(outcome, dataset(outcome)), outcome.whole.fit
    below = judged["minus the local outlier factor"] < fit.threshold
    assert (judged["verdict"] == np.where(below, "outside", "inside")).all()
    assert set(judged["species"]) == set(dataset(outcome).classes)


def test_coordinates_and_prepared_rows_are_those_of_all_rows():
    outcome = carried_out(Run(data="penguins", method="pca", evaluation="hold_out"))
    rows = dataset(outcome)
    Z = outcome.whole.prepared.transform(rows.X)
    found = tables.prepared(outcome, rows)
    np.testing.assert_array_equal(found.iloc[:, 2:].to_numpy(), Z)
    assert list(found.columns[2:]) == [c.name for c in outcome.whole.prepared.columns]
    found = tables.transformed(outcome, rows)
    np.testing.assert_array_equal(found.iloc[:, 2:].to_numpy(), outcome.whole.fit.transform(Z))
    assert list(found["row"]) == list(rows.rows + 1)


def test_chosen_variables_of_all_rows_and_of_each_fold():
    steps = (Impute(), OneHot(), Standardise(), UnivariateFilter(n_features=2))
    outcome = carried_out(Run(data="iris", method="lda", preparation=steps))
    found = tables.chosen(outcome)
    assert list(found.columns) == ["variable", "all rows", *(f"fold {k}" for k in range(1, 6))]
    assert (found.iloc[:, 1:].sum() == 2).all()
    kept = {c.variable for c in outcome.whole.prepared.columns}
    assert set(found["variable"][found["all rows"] == 1]) == kept


def test_a_trial_has_a_line_a_replicate():
    run = Trial(problem="bandit_arms", methods=("ucb", "thompson_sampling"), budget=40,
                replicates=3)  # fmt: skip
    outcome = carry_trial.carried_out(run)
    found = tables.replicates(outcome)
    assert len(found) == 9
    assert list(found["regret"]) == [s for row in outcome.rows for s in row.scores]
    names = [file.name for file in files_of(outcome.run, outcome)]
    assert [name.rpartition(".")[2] for name in names] == ["csv", "zip", "html", "json", "py"]


def test_a_tuning_has_every_candidate_and_the_choice_of_every_fold():
    search = GridSearch(over={"method.alpha": "0.1,10"})
    run = Tuning(data="diabetes", method="ridge", search=search)
    tuned = carry_tuning.carried_out(run)
    found = tables.candidates(tuned)
    assert len(found) == 12
    assert (found.groupby("searched on")["chosen"].sum() == 1).all()
    outer = back(tables.csv(tables.tuned_scores(tuned)))
    assert [float(v) for v in outer[tuned.metric.name]] == list(tuned.outer)


def test_a_comparison_has_a_line_a_method_fold_and_measure():
    run = Comparison(
        data="iris", methods=("lda", "svc"), more=(TableData(source=Bundled(name="wine")),)
    )
    outcome, first = carry_comparison.carried_out(run), run.data.dataset()
    found = tables.compared_scores(outcome)
    assert len(found) == 2 * 2 * 5 * 7
    part = found[(found["data set"] == "Iris") & (found["method"] == outcome.entrants[1].label)]
    lda = outcome.entrants[1].outcome
    assert lda is not None
    of_one = part[part["metric"] == "matthews"]
    assert list(of_one["score"]) == list(lda.values("matthews"))
    assert list(of_one["of the baseline"]) == list(lda.values("matthews", "baseline"))
    said = tables.compared_predictions(outcome, first)
    assert list(said.groupby("method").size()) == [150, 150]
    assert "probability of setosa" in said


def test_a_method_that_failed_is_a_line_with_its_reason():
    run = Comparison(data="iris", methods=("lda", "ridge"))
    outcome = carry_comparison.carried_out(run)
    found = tables.compared_scores(outcome)
    (reason,) = found["failure"][found["failure"].fillna("") != ""]
    assert reason == outcome.entrants[1].failure
    offered = files_of(run, outcome, run.data.dataset())
    assert all(file.why_not or file.make() for file in offered)
    (models,) = [file.make() for file in offered if file.label == "Fitted models"]
    with zipfile.ZipFile(io.BytesIO(bytes(models))) as archive:  # type: ignore[arg-type]
        (name,) = archive.namelist()
        assert name == "1-lda-model.zip"
        assert saved.read(archive.read(name)).run == outcome.run.runs()[0]
    assert [file.label for file in offered] == [
        "Scores of every method and fold", "Predictions of all methods",
        "All tables with their origin", "Report, one HTML file",
        "Fitted models",
        "Comparison as JSON", "Python script", "Experiment for scikit-learn",
    ]  # fmt: skip


def test_names_of_columns_and_classes_of_a_brought_table_are_made_safe():
    rows = "\n".join(f"{i},{(i * 7) % 10},{'=1+1' if i % 2 else '@sum'}" for i in range(40))
    table = read(f"a,=b,-y\n{rows}\n".encode(), "mine.csv").table
    held = {table.digest(): table}
    run = Run(data=TableData(source=Upload(digest=table.digest()), target="-y"), method="lda")
    outcome, rows_used = carried_out(run, held), run.data.dataset(held)
    for file in files_of(outcome.run, outcome, rows_used):
        if file.name.endswith(".csv"):
            head, *lines = csv.reader(io.StringIO(file.make()))
            assert not [cell for cell in head if cell.startswith(("=", "@", "-", "+"))]
            cells = [cell for line in lines for cell in line]
            assert not [cell for cell in cells if cell.startswith(("=", "@"))]


def test_run_and_script_come_with_the_tables(iris):
    found = {f.label: f for f in files_of(iris.run, iris, dataset(iris))}
    assert from_json(str(found["Run as JSON"].make())) == iris.run
    assert f"run {iris.run.digest()}, seed 3, mlcore" in str(found["Run as JSON"].make())
    text = str(found["Python script"].make())
    assert text.startswith(f"# run {iris.run.digest()}, seed 3, ")
    compile(text, "script", "exec")
    model = saved.read(bytes(found["Fitted model"].make()))  # type: ignore[arg-type]
    np.testing.assert_array_equal(
        model.predict(dataset(iris).X),
        iris.whole.fit.predict(iris.whole.prepared.transform(dataset(iris).X)),
    )
    assert all(iris.run.short() in file.name for file in found.values())


def test_groups_are_numbered_as_on_the_page():
    grouped = carried_out(Run(data="iris", method="kmeans"))
    labels = grouped.whole.labels(dataset(grouped).X)
    assert tables.groups(grouped, dataset(grouped))["group"].tolist() == (labels + 1).tolist()
    predicted = tables.predictions(grouped, dataset(grouped))["predicted"]
    assert (predicted.min(), predicted.max()) == (1, labels.max() + 1)
    said = saved.model_of(grouped, dataset(grouped)).outputs_of(dataset(grouped).table)
    assert set(said["group"]) == set(range(1, labels.max() + 2))
    noisy = carried_out(Run(data="iris", method="dbscan"))
    labels = noisy.whole.labels(dataset(noisy).X)
    groups = tables.groups(noisy, dataset(noisy))["group"]
    assert (groups == "noise").sum() == (labels < 0).sum() > 0
    assert set(groups) == {"noise", *(str(k + 1) for k in range(labels.max() + 1))}
