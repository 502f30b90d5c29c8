"""Several targets: what is learned of them, and what every consumer of a run makes of it."""

from __future__ import annotations

import ast
import io
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.multioutput import MultiOutputRegressor as Theirs

from mlcore.data.dataset import TableData
from mlcore.data.table import Table, numeric
from mlcore.data.upload import Upload
from mlcore.evaluation.metrics.numbers import mae, r2, rmse
from mlcore.interop.experiment import experiment
from mlcore.preparation.outlier_remover import OutlierRemover
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.regression.ridge import Ridge
from mlcore.runs import saved
from mlcore.runs.carry import carried_out
from mlcore.runs.carry_tuning import carried_out as tuned
from mlcore.runs.comparable import standing
from mlcore.runs.curves import learning_curve
from mlcore.runs.differences import numbers, verdict
from mlcore.runs.run import Comparison, Run
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import DataError, ParamError
from service import tables

BODY = ("weight", "waist", "pulse")
RUN = Run(data="linnerud", method="multi_output_regressor")
DATA = RUN.data.dataset()


@pytest.fixture(scope="module")
def outcome():
    return carried_out(RUN)


def test_the_targets_of_a_source_go_together_whichever_is_first():
    assert (DATA.target, DATA.target_names) == ("weight", BODY)
    assert [column.name for column in DATA.columns] == ["chins", "situps", "jumps"]
    assert DATA.notes[-1].endswith("and the preparation, look at weight alone.")
    waist = TableData(source="linnerud", target="waist").dataset()
    assert waist.target_names == ("waist", "weight", "pulse")
    np.testing.assert_array_equal(waist.targets[:, 0], waist.y)
    for other, columns in (("chins", 5), (None, 6)):
        found = TableData(source="linnerud", target=other).dataset()
        assert (found.targets, found.target_names, len(found.columns)) == (None, (), columns)


def test_only_quantities_are_learned_together():
    found = TableData(source="penguins", roles=(("sex", "target"),)).dataset()
    assert (found.target, found.targets) == ("species", None)
    assert "The target sex is not learned" in found.notes[-1]


def test_rows_without_one_of_the_targets_are_left_out_and_counted():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 40))
    a[:2], b[1:4] = np.nan, np.nan
    table = Table.of(*(numeric(name, v) for name, v in (("a", a), ("b", b), ("c", c))))
    data = TableData(source=Upload(digest=table.digest()), target="a", roles=(("b", "target"),))
    found = data.dataset({table.digest(): table})
    assert found.n == 36
    assert [note.partition(":")[0] for note in found.notes[1:3]] == [
        "2 rows have no a",
        "2 rows have no b",
    ]


def test_a_run_gives_the_scores_of_its_outputs(outcome):
    for fold in outcome.folds:
        X, Y = DATA.X, DATA.targets
        scale, mean = X[fold.train].std(axis=0), X[fold.train].mean(axis=0)
        theirs = Theirs(TheirRidge(alpha=1.0)).fit((X[fold.train] - mean) / scale, Y[fold.train])
        said = theirs.predict((X[fold.test] - mean) / scale)
        np.testing.assert_allclose(fold.predictions, said, rtol=1e-9)
        pairs = list(zip(Y[fold.test].T, said.T, strict=True))
        spreads = Y[fold.train].std(axis=0)
        relative = np.mean([rmse(*pair) for pair in pairs] / spreads)
        assert fold.scores["relative_rmse"] == pytest.approx(relative)
        assert fold.scores["relative_mae"] == pytest.approx(
            np.mean([mae(*pair) for pair in pairs] / spreads)
        )
        assert fold.scores["r2"] == pytest.approx(np.mean([r2(*pair) for pair in pairs]))
        means = np.broadcast_to(Y[fold.train].mean(axis=0), said.shape)
        errors = [rmse(*pair) for pair in zip(Y[fold.test].T, means.T, strict=True)]
        assert fold.baseline["relative_rmse"] == pytest.approx(np.mean(errors / spreads))


def test_other_methods_learn_the_first_target_alone():
    outcome = carried_out(Run(data="linnerud", method="ridge"))
    assert outcome.folds[0].predictions.shape == (4,)
    alone = carried_out(
        Run(
            data=TableData(source="linnerud", roles=(("waist", "label"), ("pulse", "label"))),
            method="ridge",
        )
    )
    np.testing.assert_array_equal(outcome.values("rmse"), alone.values("rmse"))
    assert not alone.run.data.dataset().target_names


def test_resampled_rows_bring_all_their_targets():
    run = Run(
        data="linnerud", method=RUN.method, preparation=("standardise", OutlierRemover(share=0.2))
    )
    whole = carried_out(run).whole
    kept = whole.prepared.rows
    assert len(kept) < DATA.n
    member = Ridge().fit(whole.prepared.X, DATA.targets[kept, 2])
    np.testing.assert_array_equal(whole.fit.members[2].coefficients, member.coefficients)


def test_tables_have_a_column_for_each_output(outcome):
    table = tables.predictions(outcome, DATA)
    names = [f"{which} {name}" for which in ("true", "predicted") for name in BODY]
    assert list(table.columns) == ["row", "fold", *names]
    by_row = table.set_index("row").loc[DATA.rows + 1]
    np.testing.assert_array_equal(by_row[[f"true {n}" for n in BODY]], DATA.targets)
    assert list(tables.prepared(outcome, DATA).columns)[1:4] == list(BODY)


def test_a_saved_model_names_its_outputs(outcome):
    model = saved.read(saved.written(saved.model_of(outcome, DATA)))
    said = model.outputs_of(DATA.table)
    assert list(said) == ["row", *(f"predicted {name}" for name in BODY)]
    fit = outcome.whole.fit
    np.testing.assert_array_equal(
        np.column_stack(list(said.values())[1:]), fit.predict(model.rows(DATA.X))
    )


def test_the_program_for_scikit_learn_reads_all_targets(outcome, tmp_path):
    with zipfile.ZipFile(io.BytesIO(experiment(RUN, {"it": RUN}, DATA))) as archive:
        program = archive.read("experiment.py").decode()
    ast.parse(program)
    assert 'y = rows[["weight", "waist", "pulse"]]' in program
    assert "MultiOutputRegressor(estimator=Ridge(" in program


def test_runs_with_outputs_are_repeated_tuned_and_drawn_over_their_rows(outcome):
    assert verdict(numbers(outcome), numbers(carried_out(RUN))).kind == "identical"
    search = GridSearch(over=(("method.regressor.alpha", "0.1, 10"),))
    found = tuned(Tuning(data="linnerud", method=RUN.method, search=search))
    assert found.metric.name == "relative_rmse"
    assert np.isfinite(found.outer).all()
    (point,) = learning_curve(RUN, DATA, n_points=1)
    np.testing.assert_allclose(point.scores, outcome.values("relative_rmse"), rtol=1e-9)


def test_other_scores_are_not_compared_with_these():
    run = Comparison(data="linnerud", methods=("ridge", "multi_output_regressor"))
    found = standing(run, DATA).reasons
    assert found[1].startswith("Multi-output regression is judged by other measures")


def test_what_the_model_inside_cannot_do_is_said():
    with pytest.raises(ParamError, match="one number inside"):
        MultiOutputRegressor(regressor=MultiOutputRegressor())
    rng = np.random.default_rng(0)
    with pytest.raises(DataError, match="dimensions"):
        Ridge().fit(rng.normal(size=(9, 2)), rng.normal(size=(9, 2)))
    with pytest.raises(DataError, match="at least one output"):
        MultiOutputRegressor().fit(rng.normal(size=(9, 2)), np.empty((9, 0)))
