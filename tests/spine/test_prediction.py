"""New rows predicted: their columns found, nothing of them learned, the score as one counts it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.importing import read
from mlcore.data.table import Table, numeric
from mlcore.data.upload import Upload
from mlcore.evaluation.splits import KFold
from mlcore.runs import carry, carry_prediction
from mlcore.runs.fingerprint import sha256
from mlcore.runs.predicting.cutting import cut_at
from mlcore.runs.predicting.matching import Match
from mlcore.runs.predicting.names import paired
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.run import Run
from mlcore.runs.saved import model_of
from mlcore.spine.errors import DataError
from service import tables

SEX = Run(data=TableData(source="penguins", target="sex"), method="logistic")
PENGUINS = SEX.data.dataset()
MESSY = "\n".join([
    "Beobachter;Körpermasse;Bill length (mm);Flipper_cm;Sex;Bill depth (mm);species",
    *(f"=cmd{i};{3400 + 9 * i};{38 + i / 4:.1f};{18 + i / 10:.1f};{'FM'[i % 2]};17,5;Adelie"
      .replace(".", ",") for i in range(20)),
    "x;n/a;38,8;19,1;m;17,6;Macaroni",
]).encode("latin-1")  # fmt: skip


def predicted(run: Run, table: Table, **more: Any) -> Predicted:
    new = Upload.of(table.digest(), "new.csv")
    return carry_prediction.carried_out(Prediction.of(run, new, **more), {table.digest(): table})


def match(outcome: Predicted, name: str) -> Match:
    return next(m for m in outcome.matching.matches if m.name == name)


@pytest.fixture(scope="module")
def messy() -> Predicted:
    table = read(MESSY, "new.csv").table
    return predicted(SEX, table, matches={"body_mass_g": "Körpermasse"})


def test_columns_are_found_by_what_their_names_mean():
    wanted = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    found = paired(wanted, ["Flipper_cm", "mass", "Bill length (mm)", "depth"])
    assert {name: source for name, (source, _) in found.items()} == {
        "bill_length_mm": "Bill length (mm)", "flipper_length_mm": "Flipper_cm",
        "body_mass_g": "mass", "bill_depth_mm": "depth",
    }  # fmt: skip


def test_a_name_that_two_columns_could_mean_is_left_to_a_person():
    assert paired(["length", "width"], ["sepal length", "petal length", "Width"]) == {
        "width": ("Width", "by name")
    }


def test_a_messy_table_is_read_and_every_doubt_is_said(messy):
    states = {m.name: m.state for m in messy.matching.matches}
    assert states == {
        "species": "new level", "island": "missing", "bill_length_mm": "matched",
        "bill_depth_mm": "matched", "flipper_length_mm": "other unit",
        "body_mass_g": "empty cells", "sex": "matched",
    }  # fmt: skip
    assert "1 row says Macaroni" in match(messy, "species").remark
    assert match(messy, "island").fix == "fill"
    assert match(messy, "flipper_length_mm").fix == "times 10"
    assert messy.matching.rows.column("flipper_length_mm").values[0] == pytest.approx(180)
    assert "'F' read as female" in match(messy, "sex").remark
    assert messy.matching.extra == ("Beobachter",)
    assert messy.usable.all()
    assert messy.flags()[20] == [
        "filled: species", "new level: species", "filled: body_mass_g"
    ]  # fmt: skip


def test_a_unit_is_left_alone_where_a_person_says_so(messy):
    left = predicted(SEX, messy.new, fixes={"flipper_length_mm": "as it is"})
    assert left.matching.rows.column("flipper_length_mm").values[0] == pytest.approx(18)
    assert match(left, "flipper_length_mm").offers


def test_one_value_below_zero_hides_no_other_unit():
    masses = PENGUINS.table.column("body_mass_g").values.copy()
    masses[np.flatnonzero(~np.isnan(masses))[0]] = -1.0
    table = PENGUINS.table.replaced(numeric("body_mass_g", masses))
    few = PENGUINS.table.take(np.arange(60, 90))
    grams = few.column("body_mass_g").values * 1000
    brought = Upload.of(table.digest(), "penguins.csv")
    run = replace(SEX, data=TableData(source=brought, target="sex"))
    new = few.replaced(numeric("body_mass_g", grams))
    asked = Prediction.of(run, Upload.of(new.digest(), "new.csv"))
    tables = {table.digest(): table, new.digest(): new}
    outcome = carry_prediction.carried_out(asked, tables)
    assert match(outcome, "body_mass_g").fix == "times 0.001"


def test_rows_that_look_alike_are_never_rescaled():
    few = PENGUINS.table.take(np.arange(50))
    values = few.column("body_mass_g").values / 1.4
    outcome = predicted(SEX, few.replaced(numeric("body_mass_g", values)))
    read_as, known = outcome.matching.rows.column("body_mass_g").values, ~np.isnan(values)
    np.testing.assert_array_equal(read_as[known], values[known])


def test_the_new_table_changes_no_bit_of_the_model():
    """Neither what is fitted nor the cross-validated scores know of the rows to be predicted."""
    plain = carry.carried_out(SEX)
    rng = np.random.default_rng(0)
    for rows in (rng.integers(0, PENGUINS.table.n_rows, 300), np.arange(3)):
        new = PENGUINS.table.take(rows)
        new = new.replaced(numeric("body_mass_g", new.column("body_mass_g").values * 1e3))
        outcome = predicted(SEX, new)
        assert outcome.trained is not None
        assert sha256(outcome.trained.whole.fit) == sha256(plain.whole.fit)
        assert sha256(outcome.trained.whole.prepared.X) == sha256(plain.whole.prepared.X)
        assert carry.report(outcome.trained) == carry.report(plain)


def test_a_row_is_predicted_alike_alone_and_among_others():
    """What fills a cell or scales a value comes from the rows learned from, never from the new."""
    among = predicted(SEX, PENGUINS.table)
    assert among.probabilities is not None
    for row in (3, 200):
        alone = predicted(SEX, PENGUINS.table.take([row]))
        assert alone.probabilities is not None
        np.testing.assert_allclose(alone.probabilities[0], among.probabilities[row], rtol=1e-12)


def test_predictions_are_those_of_the_saved_model():
    outcome = predicted(SEX, PENGUINS.table)
    plain = carry.carried_out(SEX)
    known = model_of(plain, PENGUINS).outputs_of(PENGUINS.table)
    for name, column in outcome.outputs.items():
        np.testing.assert_array_equal(column, known[name])


def test_the_score_is_of_the_new_rows_whose_truth_is_known():
    outcome = predicted(SEX, PENGUINS.table)
    truth = outcome.truth
    assert truth is not None
    assert outcome.interval is not None
    assert outcome.values is not None
    known = ~np.isnan(truth)
    assert 0 < known.sum() < len(known)
    assert outcome.scored_rows == known.sum()
    assert outcome.scores["accuracy"] == (outcome.values[known] == truth[known]).mean()
    assert outcome.interval.low < outcome.scores["accuracy"] < outcome.interval.high
    assert outcome.wrong.sum() == (outcome.values[known] != truth[known]).sum()


def test_without_the_target_there_is_no_score():
    features = [c.name for c in PENGUINS.columns]
    outcome = predicted(SEX, PENGUINS.table.select(*features))
    assert outcome.scores == {} and outcome.interval is None and outcome.truth is None


def test_a_quantity_has_intervals_that_hold_what_they_promise():
    run = Run(data="diabetes", method="ridge")
    whole = run.data.dataset()
    outcome = predicted(run, whole.table)
    assert outcome.ends is not None and outcome.ends_by == "CV+"
    assert outcome.inside > 0.92
    assert outcome.interval is not None and outcome.interval.method == "normal"
    assert outcome.interval.low < outcome.scores["rmse"] < outcome.interval.high


@pytest.mark.parametrize("method", ["kmeans", "gaussian_mixture", "isolation_forest", "pca"])
def test_methods_without_a_target_say_what_they_can(method):
    outcome = predicted(Run(data="iris", method=method), Run(data="iris").data.dataset().table)
    assert outcome.outputs and outcome.scores == {}
    assert all(len(column) == 150 for column in outcome.outputs.values())


def test_several_targets_are_predicted_and_not_scored():
    run = Run(data="linnerud", method="multi_output_regressor")
    outcome = predicted(run, run.data.dataset().table)
    assert len(outcome.outputs) == 3
    assert outcome.scores == {}
    assert "not scored" in outcome.remarks[0]


def test_a_method_that_places_its_own_rows_alone_says_so():
    run = Run(data="iris", method="tsne")
    with pytest.raises(DataError, match="says nothing of new rows"):
        predicted(run, run.data.dataset().table)


def test_another_table_is_refused_in_a_sentence():
    with pytest.raises(DataError, match="does not look like the table"):
        predicted(SEX, Table.of(numeric("a", np.arange(9.0)), numeric("b", np.arange(9.0))))


def test_a_cell_that_nothing_can_fill_leaves_its_row_without_a_prediction():
    run = Run(data="iris", method="lda", preparation=("standardise",))
    table = run.data.dataset().table.take(np.arange(6))
    values = table.columns[0].values.copy()
    values[2] = np.nan
    holed = table.replaced(numeric(table.names[0], values))
    outcome = predicted(run, holed, fixes={table.names[0]: "empty"})
    assert outcome.usable.tolist() == [True, True, False, True, True, True]
    assert "not predicted" in outcome.flags()[2]
    assert predicted(run, holed).usable.all()  # filled, and said to be


def test_a_prediction_reads_back_from_link_and_file():
    run = Prediction.of(SEX, "penguins", matches={"island": "", "sex": "a:b"}, coverage=0.9)
    again, problems = Prediction.from_link(run.to_link())
    assert (again, problems) == (run, ())


def test_another_promise_is_what_a_run_of_its_own_says():
    """Of the same folds, without fitting: sets and intervals of any coverage and way."""
    table = PENGUINS.table.take(np.arange(0, 300, 7))
    classes = predicted(SEX, table)
    for more in ({"coverage": 0.8}, {"coverage": 0.99, "sets": "adaptive"}):
        again = predicted(SEX, table, **more)
        np.testing.assert_array_equal(classes.promising(**more).sets, again.sets)
        assert classes.promising(**more).run == again.run
    run = Run(data=TableData(source="longley"), method="bayesian_linear")
    new = run.data.dataset().table
    numbers = predicted(run, new)
    assert numbers.ends_by == "the method itself"
    assert numbers.promises is not None
    widths = {}
    for way in numbers.promises.ways:
        again = predicted(run, new, intervals=way, coverage=0.8)
        mine = numbers.promising(intervals=way, coverage=0.8)
        np.testing.assert_array_equal(mine.ends, again.ends)
        assert mine.ends is not None
        widths[way] = float(np.ptp(mine.ends, axis=1).mean())
    assert len(set(widths.values())) == 4
    assert numbers.promising(coverage=0.99, intervals="absolute_residuals").doubt.startswith(
        "What is promised of 0.99 from 16 rows left out holds everything: it takes at least 99."
    )


def test_a_threshold_decides_new_rows_and_folds_alike():
    """Of the same fits: by hand from the probabilities, and as a run of its own has it."""
    table = PENGUINS.table.take(np.arange(0, 300, 7))
    plain, cut = predicted(SEX, table), predicted(SEX, table, cut=0.8)
    for mine in (cut, cut_at(plain, 0.8), cut_at(cut_at(plain, 0.2), 0.8)):
        assert mine.values is not None and mine.probabilities is not None
        wanted = (mine.probabilities[:, 1] >= 0.8).astype(int)
        np.testing.assert_array_equal(mine.values, wanted)
        assert mine.outputs["predicted sex"].tolist() == [mine.classes[k] for k in wanted]
        assert mine.scores["accuracy"] == (wanted == mine.truth).mean()
        assert mine.scores["log_loss"] == plain.scores["log_loss"]
        assert mine.interval is not None and mine.interval.low < mine.scores["accuracy"]
        assert mine.run == cut.run and mine.trained is not None
        for fold in mine.trained.folds:
            by_hand = (fold.probabilities[:, 1] >= 0.8) == PENGUINS.y[fold.test]
            assert fold.scores["accuracy"] == by_hand.mean()
        assert mine.trained.mean("accuracy") < plain.trained.mean("accuracy")
    assert (cut.values != plain.values).any()
    assert tables.new_rows(cut)["threshold of male"].unique() == [0.8]
    back = cut_at(cut, None)
    np.testing.assert_array_equal(back.values, plain.values)
    assert (back.scores, back.run, back.uncut) == (plain.scores, plain.run, None)
    # Another promise is of the same decision.
    assert cut.promising(coverage=0.8).scores == cut.scores
    assert cut_at(cut.promising(coverage=0.8), None).run.coverage == 0.8


def test_a_threshold_of_more_than_two_classes_is_refused():
    with pytest.raises(DataError, match=r"threshold of 0\.3 needs two classes with probabilities"):
        predicted(Run(data="iris", method="lda"), Run(data="iris").data.dataset().table, cut=0.3)


@pytest.mark.parametrize("method", ["cost_sensitive", "decision_rule"])
def test_a_threshold_of_a_method_that_decides_by_costs_is_refused_and_not_ignored(method):
    with pytest.raises(DataError, match=r"threshold of 0\.3 .* decides by more"):
        predicted(replace(SEX, method=method), PENGUINS.table.take(np.arange(20)), cut=0.3)


def test_a_coverage_between_the_usual_ones_is_asked_of_the_method():
    run = Run(data=TableData(source="longley"), method="bayesian_linear")
    outcome = predicted(run, run.data.dataset().table, coverage=0.93)
    assert outcome.trained is not None and outcome.ends is not None
    fit: Any = outcome.trained.whole.fit
    told = fit.predictive_interval(outcome.trained.whole.prepared.X, 0.93)
    np.testing.assert_allclose(outcome.ends, told)


def test_rows_of_groups_are_promised_to_rows_of_other_groups():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(12.0), 5)
    x = rng.normal(size=60)
    y = x + rng.normal(size=12)[who.astype(int)]
    columns = (numeric("x", x), numeric("who", who), numeric("y", y))
    table = Table.of(*columns)
    source = Upload.of(table.digest(), "measured.csv")
    data = TableData(source=source, target="y", roles=(("who", "group"),))
    run = Run(data=data, method="linear_regression", evaluation=KFold(n_splits=4))
    outcome = carry_prediction.carried_out(
        Prediction.of(run, source, coverage=0.9), {table.digest(): table}
    )
    assert outcome.promises is not None
    assert (outcome.promises.n, outcome.promises.unit) == (12, "group")
    assert "promised to a row of another group than these 12" in outcome.to_whom
    assert "from 12 groups left out" in outcome.promising(coverage=0.95).doubt
    assert outcome.interval is not None
    assert "rows of one group are alike" in outcome.interval.sentence


def test_rows_left_out_again_count_once():
    twice = replace(SEX, evaluation=KFold(n_splits=4, n_repeats=2))
    outcome = predicted(twice, PENGUINS.table.take(np.arange(9)))
    assert outcome.promises is not None
    assert outcome.promises.n == len(SEX.data.dataset().y)
    assert len(outcome.promises.new) == 8


def test_many_rows_have_ranges_and_sets_and_too_many_say_so(monkeypatch):
    table = PENGUINS.table.take(np.arange(30_000) % PENGUINS.table.n_rows)
    long = predicted(SEX, table)
    assert long.usable.sum() > 20_000 and long.sets is not None and not long.remarks
    monkeypatch.setattr(carry_prediction, "MOST_TOLD", 1000)
    none = predicted(SEX, PENGUINS.table)
    assert none.sets is None and none.ranges is None
    assert "The new table is long: the models of the 5 folds were not asked" in none.remarks[-1]
