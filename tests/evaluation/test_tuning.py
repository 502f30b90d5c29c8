"""Tuning: nested by construction, equal to the reference, honest about its optimism."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlcore.data import dataset as datasets
from mlcore.data.dataset import TableData
from mlcore.evaluation.splits import HoldOut, KFold
from mlcore.runs.carry import carried_out as run_carried_out
from mlcore.runs.carry_tuning import carried_out, carry_out, chosen, report, so_far
from mlcore.runs.run import Run, from_json
from mlcore.runs.tuning import judging
from mlcore.runs.tuning.cost import estimate
from mlcore.runs.tuning.judging import inner_splits
from mlcore.runs.tuning.search import MOST, GridSearch, RandomizedSearch, proposed, tunable
from mlcore.runs.tuning.tuned import ALL_ROWS, Chosen, Judged, settings
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.registry import lookup

ALPHAS = {"method.alpha": "0.1,10,1000"}


def ridge(**more: Any) -> Tuning:
    held = {"search": GridSearch(over=ALPHAS, inner=KFold(n_splits=3))} | more
    return Tuning(
        data=TableData(source="diabetes"), method="ridge", evaluation=KFold(n_splits=4), **held
    )


def events_of(tuning: Tuning) -> list[Any]:
    return list(carry_out(tuning))


# --- what is tried ------------------------------------------------------------------------------


def test_a_grid_is_every_combination_and_the_last_setting_changes_fastest():
    tuning = Tuning(
        data=TableData(source="diabetes"),
        method="elastic_net",
        search=GridSearch(over={"method.l1_ratio": "0,1", "method.alpha": "0.1, 1"}),
    )
    found = tuning.search.candidates(tuning.run(), 0)
    assert [settings(candidate) for candidate in found] == [
        "alpha = 0.1, l1_ratio = 0",
        "alpha = 0.1, l1_ratio = 1",
        "alpha = 1, l1_ratio = 0",
        "alpha = 1, l1_ratio = 1",
    ]


def test_without_settings_the_usual_range_of_the_first_numbers_is_tried():
    run = Run(method="ridge")
    assert proposed(run) == ("method.alpha",)
    values = [dict(c)["method.alpha"] for c in GridSearch(points=8).candidates(run, 0)]
    assert values == lookup("regression", "ridge").__dataclass_fields__["alpha"].metadata[
        "param"
    ].grid(8)


def test_draws_stay_in_the_usual_range_and_one_setting_leaves_the_others_alone():
    run = Run(method="elastic_net")
    one = RandomizedSearch(over=("method.alpha",), n_candidates=50).candidates(run, 3)
    two = RandomizedSearch(over=("method.l1_ratio", "method.alpha"), n_candidates=50).candidates(
        run, 3
    )
    alphas = [dict(candidate)["method.alpha"] for candidate in one]
    assert alphas == [dict(candidate)["method.alpha"] for candidate in two]
    low, high = dict(tunable(run.method, "method"))["method.alpha"].soft  # type: ignore[attr-defined]
    assert min(alphas) >= low
    assert max(alphas) <= high
    assert np.median(alphas) == pytest.approx(np.sqrt(low * high), rel=2)  # a logarithmic scale


def test_what_can_be_varied_is_found_below_parts_and_in_the_preparation():
    run = Run(preparation=("impute", "subset_selector"), method="lda")
    paths = dict(tunable(run))
    assert {"preparation.1.n_features", "preparation.0.strategy", "method.divisor"} <= set(paths)
    assert {path for path, _ in tunable(run.method, "method")} < set(paths)


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (GridSearch(over={"method.alhpa": ""}), "no hyper-parameter"),
        (GridSearch(over={"method.alpha": "1,x"}), "'x' is no value of method.alpha"),
        (GridSearch(over={"method.alpha": "1,-5"}), "must be at least 0"),
        (GridSearch(over={"method.n_alphas": "", "method.tol": "", "method.alpha": ""},
                    points=200), f"at most {MOST} are tried"),
        (RandomizedSearch(over=("method.nothing",)), "no hyper-parameter"),
    ],
)  # fmt: skip
def test_what_cannot_be_tried_is_refused_in_a_sentence(search, said):
    with pytest.raises(ParamError, match=said):
        search.candidates(Run(method="ridge"), 0)


def test_a_tuning_survives_link_and_json():
    tuning = ridge(metric="mae", seed=4)
    assert from_json(tuning.to_json()) == tuning
    assert Tuning.from_link(tuning.to_link()) == (tuning, ())
    assert Tuning.of(tuning.run(), tuning.search, "mae") == tuning


# --- nested by construction ---------------------------------------------------------------------


def test_one_candidate_is_plain_cross_validation():
    tuning = ridge(search=GridSearch(over={"method.alpha": "10"}))
    found = carried_out(tuning)
    plain = run_carried_out(tuning.run((("method.alpha", 10.0),)))
    np.testing.assert_array_equal(found.outer, plain.values("rmse"))


def test_the_choices_are_those_of_the_reference_on_the_same_folds():
    tuning = ridge()
    data = tuning.data.dataset({})
    found = carried_out(tuning)
    for stage in found.stages:
        train, test = stage.fold.train, stage.fold.test
        place = {row: k for k, row in enumerate(train)}
        folds = [
            ([place[r] for r in a], [place[r] for r in b])
            for a, b in inner_splits(tuning, data, train)
        ]
        peer: Any = GridSearchCV
        theirs = peer(
            make_pipeline(StandardScaler(), TheirRidge()), {"ridge__alpha": [0.1, 10, 1000]},
            cv=folds, scoring="neg_root_mean_squared_error",
        ).fit(data.X[train], data.y[train])  # fmt: skip
        # Both solve the same small systems in closed form.
        np.testing.assert_allclose(stage.means, -theirs.cv_results_["mean_test_score"], rtol=1e-8)
        assert stage.best == theirs.best_index_
        wanted = -theirs.score(data.X[test], data.y[test])
        assert stage.fold.scores["rmse"] == pytest.approx(wanted, rel=1e-8)


def moved(dataset: Any, rows: np.ndarray) -> Any:
    """The same data with other values in some rows."""
    X, y = dataset.X.copy(), dataset.y.copy()
    X[rows], y[rows] = X[rows][::-1], y[rows] * -2
    return dataset.__class__(**{**vars(dataset), "X": X, "y": y})


def test_rows_left_out_have_no_say_in_the_choice(monkeypatch):
    tuning = ridge()
    before = carried_out(tuning)
    data = tuning.data.dataset({})
    out = before.stages[0].fold.test
    monkeypatch.setattr(datasets.TableData, "dataset", lambda self, held=None: moved(data, out))
    after = carried_out(tuning)
    np.testing.assert_array_equal(before.stages[0].means, after.stages[0].means)
    # The search on all rows sees them, so the check can fail.
    assert (before.overall.means != after.overall.means).all()
    assert before.outer[0] != after.outer[0]


def test_inner_rows_are_training_rows_of_the_outer_fold():
    tuning = ridge()
    data = tuning.data.dataset({})
    train = np.arange(0, data.n, 3)
    for fitted, scored in inner_splits(tuning, data, train):
        assert set(fitted) | set(scored) == set(train)
        assert not set(fitted) & set(scored)


def test_each_candidate_is_fitted_once_an_inner_fold_and_a_preparation_once_for_all(monkeypatch):
    fits, preparations = [], []
    for name, held in (("fit_prepared", fits), ("prepare", preparations)):
        inside = getattr(judging, name)
        monkeypatch.setattr(judging, name, lambda *a, f=inside, h=held: (h.append(1), f(*a))[1])
    tuning = ridge()
    carried_out(tuning)
    stages, inner, candidates = 5, 3, 3
    assert len(fits) == stages * inner * candidates
    assert len(preparations) == stages * inner
    preview = estimate(tuning, tuning.data.dataset({}))
    assert preview.fits == len(fits) + 4  # and the winner of each outer fold
    assert preview.candidates == candidates
    assert preview.seconds > 0


def test_settings_of_the_preparation_are_tuned_inside_too():
    tuning = Tuning(
        data=TableData(source="penguins"),
        preparation=("impute", "one_hot", "standardise", "subset_selector"),
        method="lda",
        search=GridSearch(over={"preparation.3.n_features": "1,3"}, inner=HoldOut()),
        evaluation=KFold(n_splits=3),
    )
    found = carried_out(tuning)
    assert all(dict(found.candidates[s.best])["preparation.3.n_features"] == 3
               for s in found.stages)  # fmt: skip
    assert found.chosen.preparation[3].n_features == 3
    assert all(len({c.variable for c in s.fold.columns}) == 3 for s in found.stages)


def noise(seed: int) -> Any:
    """Sixty rows of two classes that nothing tells apart."""
    rng = np.random.default_rng(seed)
    data = TableData(source="wine").dataset({})
    held = vars(data) | {"rows": data.rows[:60], "classes": ("a", "b")}
    X = rng.normal(size=(60, data.X.shape[1]))
    return data.__class__(**held | {"X": X, "y": rng.permutation(np.arange(60) % 2)})


@pytest.mark.slow
def test_the_best_of_many_looks_better_than_it_is(monkeypatch):
    inner, outer = [], []
    for seed in range(6):
        made = noise(seed)
        monkeypatch.setattr(datasets.TableData, "dataset", lambda self, held=None, d=made: d)
        found = carried_out(
            Tuning(
                data=TableData(source="wine"),
                preparation=("standardise", "subset_selector"),
                method="lda",
                search=GridSearch(over={"preparation.1.n_features": "1,2,3,5,7,9,11"}),
            )
        )
        inner.append(found.inner.mean())
        outer.append(found.outer.mean())
        assert found.optimism == pytest.approx(inner[-1] - outer[-1])
    assert np.mean(inner) > np.mean(outer) + 0.03
    assert abs(np.mean(outer) - 0.5) < 0.07


# --- progress, stop, failures -------------------------------------------------------------------


def test_progress_counts_candidates_to_the_end():
    events = events_of(ridge())
    judged = [e for e in events if isinstance(e, Judged)]
    assert [e.done for e in judged] == list(range(1, 16))
    assert {e.total for e in events} == {15}
    assert [e.stage for e in events if isinstance(e, Chosen)] == [ALL_ROWS, 0, 1, 2, 3]


def test_a_stop_half_way_keeps_the_finished_folds_as_they_are():
    tuning = ridge()
    events = events_of(tuning)
    whole = carried_out(tuning)
    ends = [k for k, e in enumerate(events) if isinstance(e, Chosen)]
    part = so_far(tuning, events[: ends[2] + 2])  # all rows, two folds, one candidate more
    assert len(part.stages) == 2
    assert part.planned == 4
    np.testing.assert_array_equal(part.outer, whole.outer[:2])
    np.testing.assert_array_equal(part.inner, whole.inner[:2])
    assert part.chosen == whole.chosen
    early = so_far(tuning, events[:2])
    assert early.overall is None
    assert early.chosen is None
    assert np.isnan(early.optimism)
    assert so_far(tuning, []) is None


def test_a_candidate_that_cannot_be_fitted_loses_and_says_why():
    tuning = Tuning(
        data=TableData(source="wine"),
        method="lda",
        search=GridSearch(over={"method.n_components": "1,7"}, inner=KFold(n_splits=2)),
        evaluation=KFold(n_splits=2),
    )
    found = carried_out(tuning)
    assert np.isnan(found.overall.means[1])
    assert found.overall.best == 0
    bad = [j for j in found.judged if j.candidate == 1]
    assert all("at most 2 discriminant axes" in j.failure for j in bad)


def test_where_no_candidate_can_be_judged_the_reason_is_given():
    tuning = Tuning(
        data=TableData(source="wine"), method="lda",
        search=GridSearch(over={"method.n_components": "7,8"}),
    )  # fmt: skip
    with pytest.raises(DataError, match=r"No candidate can be judged.*discriminant axes"):
        carried_out(tuning)
    with pytest.raises(DataError, match="Choose another target"):
        carried_out(Tuning(data=TableData(source="diabetes"), method="lda"))
    with pytest.raises(ParamError, match="no measure 'speed'"):
        carried_out(ridge(metric="speed"))


def test_ties_go_to_the_smaller_spread_and_then_to_the_first():
    means = np.array([0.5, 0.9, 0.9, 0.9, np.nan])
    assert chosen(means, np.array([0, 0.3, 0.1, 0.1, 0]), "higher") == 2
    assert chosen(means, np.zeros(5), "lower") == 0
    assert chosen(np.full(3, np.nan), np.zeros(3), "lower") is None


def test_another_measure_may_choose():
    by_error, by_mae = carried_out(ridge()), carried_out(ridge(metric="mae"))
    assert by_mae.metric.name == "mae"
    np.testing.assert_array_equal(by_mae.outer, [s.fold.scores["mae"] for s in by_mae.stages])
    assert by_error.metric.name == "rmse"


def test_the_report_names_the_choice_and_the_optimism():
    found = carried_out(ridge())
    said = report(found)
    assert f"chosen on all rows: {settings(found.candidates[found.overall.best])}" in said
    assert repr(found.optimism) in said
    assert said.count("inner best") == 4
