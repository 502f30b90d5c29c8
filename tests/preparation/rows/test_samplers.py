"""What every step that changes the rows promises, alone and inside whole runs."""

from __future__ import annotations

import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.interop.experiment import pipeline
from mlcore.neighbours.knn import KNNClassifier
from mlcore.preparation.augmenter import Augmenter
from mlcore.preparation.balancer import Balancer
from mlcore.preparation.chain import prepare
from mlcore.preparation.outlier_remover import OutlierRemover
from mlcore.preparation.standardise import Standardise
from mlcore.runs import carry_comparison, carry_tuning
from mlcore.runs.carry import carried_out
from mlcore.runs.cost import estimate
from mlcore.runs.curves import learning_curve
from mlcore.runs.fitting import fit_prepared
from mlcore.runs.run import Comparison, Pipeline, Run, from_json
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.capabilities import Resamples
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import plain_columns
from mlcore.spine.iterate import returned
from mlcore.spine.registry import entries

SAMPLERS = (
    Balancer(),
    Balancer(method="oversample"),
    Balancer(method="bootstrap"),
    OutlierRemover(share=0.1),
    OutlierRemover(score="knn", share=0.1),
    Augmenter(kinds=("noise", "scale"), copies=2),
)
DATA = TableData(source=Blobs(n_samples=70, weights=(1.0, 5.0, 1.0), seed=2))


def labelled() -> tuple[np.ndarray, np.ndarray]:
    """60 rows of two uneven classes."""
    rng = np.random.default_rng(1)
    y = (rng.random(60) < 0.25).astype(np.int64)
    return rng.normal(size=(60, 3)) + y[:, None], y


def test_every_sampler_of_the_catalogue_is_tested_here():
    found = [cls for cls in entries("preparation").values() if _resamples(cls)]
    assert set(found) == {type(step) for step in SAMPLERS}


def _resamples(cls: type) -> bool:
    return hasattr(cls().fit_class(), "resample")


@pytest.mark.parametrize("step", SAMPLERS, ids=repr)
class TestContract:
    def test_each_row_says_where_it_came_from(self, step):
        X, y = labelled()
        fit = step.fit(X, y)
        assert isinstance(fit, Resamples)
        assert fit.out_columns == fit.columns
        found = fit.resample(X, y)
        assert found.X.shape == (len(found.rows), 3)
        assert set(found.rows.tolist()) <= set(range(60))
        if not isinstance(step, Augmenter):
            np.testing.assert_array_equal(found.X, X[found.rows])

    def test_equal_seeds_give_equal_bits_also_after_a_trip_through_a_worker(self, step):
        X, y = labelled()
        fit = step.fit(X, y, seed=5)
        again = pickle.loads(pickle.dumps(step.fit(X, y, seed=5)))
        for one, other in zip(fit.resample(X, y), again.resample(X, y), strict=True):
            np.testing.assert_array_equal(one, other)
        held = [v for v in vars(again).values() if isinstance(v, np.ndarray)]
        assert held
        assert not any(array.flags.writeable for array in held)

    def test_what_is_given_stays_as_it_was(self, step):
        X, y = labelled()
        before = X.copy(), y.copy()
        step.fit(X, y).resample(X, y)
        np.testing.assert_array_equal(X, before[0])
        np.testing.assert_array_equal(y, before[1])

    def test_rows_of_another_width_are_refused(self, step):
        X, y = labelled()
        with pytest.raises(DataError, match="fitted on 3 columns"):
            step.fit(X, y).resample(X[:, :2], y)

    def test_the_summary_says_what_the_method_learns_from(self, step):
        said = step.fit(*labelled()).summary()
        assert said.note.endswith(".")
        assert said.trained_on.split()[0] in ("on", "without")
        assert all(isinstance(value, float) for _, _, value in said.values)

    def test_rows_left_out_of_the_fit_change_nothing_and_are_not_changed(self, step):
        X, y = labelled()
        moved = X.copy()
        moved[40:] += 1e3
        chain, columns = (Standardise(), step), plain_columns(3)
        first, second = (prepare(chain, rows[:40], y[:40], columns) for rows in (X, moved))
        np.testing.assert_array_equal(first.X, second.X)
        np.testing.assert_array_equal(first.rows, second.rows)
        # The same check fails for a step that saw all rows.
        every = prepare(chain, moved, y, columns)
        assert not np.array_equal(every.X[: len(first.X)], first.X)
        scaled = Standardise().fit(X[:40], columns=columns)
        np.testing.assert_array_equal(first.transform(X[40:]), scaled.transform(X[40:]))
        came = first.as_they_came(X[:40], y[:40])
        np.testing.assert_array_equal(came.X, scaled.transform(X[:40]))
        np.testing.assert_array_equal(came.y, y[:40])

    def test_a_run_scores_every_row_once_and_as_it_came(self, step):
        run = Run(data=DATA, preparation=(Standardise(), step), method="lda")
        outcome, dataset = carried_out(run), run.data.dataset()
        assert sorted(np.concatenate([f.test for f in outcome.folds])) == list(range(dataset.n))
        for fold in outcome.folds:
            prepared = prepare(run.preparation, dataset.X[fold.train], dataset.y[fold.train],
                               dataset.columns)  # fmt: skip
            scaled = Standardise().fit(dataset.X[fold.train])
            fit = run.method.fit(prepared.X, prepared.y)
            said = fit.predict(scaled.transform(dataset.X[fold.test]))
            np.testing.assert_array_equal(fold.predictions, said)
            on_fitted = fit.predict(scaled.transform(dataset.X[fold.train]))
            right = (on_fitted == dataset.y[fold.train]).mean()
            assert fold.fitted_scores["accuracy"] == pytest.approx(right)
            commonest = np.bincount(dataset.y[fold.train]).argmax()
            line = (dataset.y[fold.test] == commonest).mean()
            assert fold.baseline["accuracy"] == pytest.approx(
                line
            )  # of the data, not of the copies

    def test_weights_follow_the_rows(self, step):
        dataset = DATA.dataset()
        weights = np.random.default_rng(0).uniform(0.1, 3.0, dataset.n)
        weighted, rows = replace(dataset, weights=weights), np.arange(5, dataset.n)
        prepared = prepare((step,), dataset.X[rows], dataset.y[rows], dataset.columns)
        method = Run(method="lda").method
        fit = fit_prepared(method, prepared, weighted, rows, 0)
        own = method.fit(prepared.X, prepared.y, weights=weights[rows][prepared.rows])
        np.testing.assert_array_equal(fit.decision(dataset.X), own.decision(dataset.X))

    def test_it_is_not_written_for_scikit_learn_and_says_so(self, step):
        run = Run(data=DATA, preparation=(step,), method="lda")
        with pytest.raises(ParamError, match=f"{step.title()} is not written for scikit-learn"):
            pipeline(run, run.data.dataset())


def test_the_cost_of_a_run_is_that_of_the_rows_that_are_made():
    run = Run(data="penguins", method="knn")
    dataset = run.data.dataset()
    plain, *others = (
        estimate(replace(run, preparation=(*run.preparation, *more)), dataset)[0]
        for more in ((), (Balancer(method="oversample"),), (Augmenter(copies=10),))
    )
    assert plain < others[0] < others[1]
    for step in SAMPLERS:
        made = prepare((step,), *labelled(), plain_columns(3)).X
        assert step.rows_made(60, labelled()[1]) == pytest.approx(len(made), rel=0.15)


def test_positions_are_those_before_the_first_of_several_samplers():
    X, y = labelled()
    chain = (OutlierRemover(share=0.1), Balancer(method="oversample"))
    prepared = prepare(chain, X, y, plain_columns(3))
    np.testing.assert_array_equal(prepared.X, X[prepared.rows])
    np.testing.assert_array_equal(prepared.y, y[prepared.rows])
    assert prepare((Standardise(),), X, y, plain_columns(3)).rows is None


@pytest.mark.parametrize("groups", [None, np.arange(60) // 3], ids=["no groups", "groups"])
def test_copies_stay_together_in_the_folds_of_a_later_step(groups):
    seen = []

    def fit(X, y, *, columns, seed, groups=None):
        seen.append(groups)
        return SimpleNamespace(summary=None)

    later = SimpleNamespace(card=SimpleNamespace(takes=("groups",)), fit=fit)
    X, y = labelled()
    for sampler in (Augmenter(), Balancer()):
        prepared = prepare((sampler, later), X, y, plain_columns(3), groups=groups)
        alone = None if isinstance(sampler, Balancer) else prepared.rows  # no copies, no groups
        expected = alone if groups is None else groups[prepared.rows]
        np.testing.assert_equal(seen[-1], expected)


def test_a_rare_class_is_found_when_classes_are_balanced():
    source = Blobs(n_samples=400, weights=(20.0, 1.0), centers=2, cluster_std=6.0, seed=3)
    plain = Run(data=TableData(source=source), preparation=(Standardise(),), method="logistic")
    runs = [plain, replace(plain, preparation=(Standardise(), Balancer()))]
    means = [carried_out(run).mean("balanced_accuracy") for run in runs]
    assert means[1] > means[0] + 0.05


@pytest.mark.parametrize("step", [SAMPLERS[1], SAMPLERS[3], SAMPLERS[5]], ids=repr)
def test_searches_curves_and_comparisons_go_on_working(step):
    run = Run(data=DATA, preparation=(Standardise(), step), method=KNNClassifier(n_neighbors=3))
    assert from_json(run.to_json()) == run
    assert Run.from_link(run.to_link())[0] == run
    curve = returned(learning_curve(run, run.data.dataset(), n_points=2))
    assert np.isfinite([point.scores for point in curve.points]).all()
    found = returned(
        carry_tuning.carry_out(Tuning.of(run, GridSearch(over={"method.n_neighbors": "1,5"})))
    )
    assert all(np.isfinite(judged.scores).all() for judged in found.judged)
    own = Pipeline(preparation=run.preparation, method="lda")
    outcome = carry_comparison.carried_out(Comparison(data=DATA, methods=("lda", own)))
    assert not any(entrant.failure for entrant in outcome.entrants)
