"""The numbers of a search and of a choice of variables, on values."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from figures.numbers.searches import at_ends, best_by_value, tried
from figures.views import (
    fold_ribbon,
    optimism_bar,
    ranking_bars,
    search_curve,
    search_heatmap,
    selection_stability,
    subset_path,
)
from mlcore.carry import Outcome, carried_out
from mlcore.data.dataset import TableData
from mlcore.errors import DataError, ParamError
from mlcore.evaluation import tuning
from mlcore.evaluation.search import GridSearch, RandomizedSearch
from mlcore.evaluation.splits import KFold
from mlcore.evaluation.tuned import Chosen, Tuned
from mlcore.evaluation.tuning import Tuning
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.preparation.selection.selector import SubsetSelector
from mlcore.run import Run

STEPS = ("impute", "one_hot", "standardise")


@cache
def tuned(kind: str = "grid") -> Tuned:
    """Ridge or elastic net on diabetes, by three outer folds."""
    over = {"method.alpha": "0.01,1,100", "method.l1_ratio": "0,1"}
    search = {
        "grid": GridSearch(over=over, inner=KFold(n_splits=3)),
        "one": GridSearch(over={"method.alpha": "0.01,1,100"}, inner=KFold(n_splits=3)),
        "names": GridSearch(over={"method.selection": ""}, inner=KFold(n_splits=2)),
        "draws": RandomizedSearch(over=tuple(over), n_candidates=7, inner=KFold(n_splits=2)),
    }[kind]
    run = Tuning(
        data=TableData(source="diabetes"), method="elastic_net", search=search,
        evaluation=KFold(n_splits=3),
    )  # fmt: skip
    return tuning.carried_out(run)


def stopped() -> Tuned:
    """A search of which one outer fold is done."""
    events = list(tuning.carry_out(tuned().run))
    return_at = [k for k, e in enumerate(events) if isinstance(e, Chosen)][1]
    found = tuning.so_far(tuned().run, events[: return_at + 1])
    assert found is not None
    return found


def test_the_best_at_a_value_is_over_the_other_settings():
    t = tried(tuned())
    alpha = t.settings[0]
    assert alpha.axis == "log"
    assert alpha.values == (0.01, 1.0, 100.0)
    for k, best in enumerate(best_by_value(t, alpha)):
        own = np.flatnonzero(alpha.at == k)
        assert t.means[best] == t.means[own].min()  # an error: less is better
    assert t.wins.sum() == t.folds == 3


def test_a_winner_at_an_end_is_named():
    t = tried(tuned())
    ends = at_ends(t)
    for setting in t.settings:
        k = int(setting.at[t.best])
        assert (setting.name in ends) == (k in (0, len(setting.values) - 1))


@pytest.mark.parametrize("kind", ["grid", "one", "draws"])
def test_a_search_is_drawn_along_a_setting(kind):
    drawn = search_curve.search_curve(tuned(kind))
    c = drawn.numbers
    assert len(drawn.table[0].values) == len(c.setting.values)
    assert "optimistic" in drawn.reading
    assert sum(drawn.table[3].values) == 3


def test_another_setting_may_be_looked_at():
    c = search_curve.search_curve(tuned(), "l1_ratio").numbers
    assert c.setting.name == "l1_ratio"
    with pytest.raises(ParamError, match="setting of this search"):
        search_curve.search_curve(tuned(), "l1_ration")


def test_a_surface_is_a_grid_or_points_or_says_why_not():
    grid = search_heatmap.search_heatmap(tuned()).numbers
    assert grid.grid.shape == (2, 3)
    assert np.nanmin(grid.grid) == pytest.approx(np.nanmin(tuned().overall.means))
    assert grid.wins.sum() == 3
    draws = search_heatmap.search_heatmap(tuned("draws"))
    assert draws.numbers.grid is None
    assert {t.type for t in draws.figure.data} == {"scatter"}
    assert len(draws.table[0].values) == 7
    alone = search_heatmap.search_heatmap(tuned("one"))
    assert "needs two settings" in alone.figure.layout.annotations[0].text


def test_optimism_is_the_difference_of_the_means():
    o = optimism_bar.optimism_bar(tuned()).numbers
    assert o.optimism == pytest.approx(o.outer.mean() - o.inner.mean())  # of an error
    assert len(o.chosen) == 3
    assert o.baseline > o.outer.mean()


def test_after_a_stop_the_finished_fold_is_drawn():
    part = stopped()
    o = optimism_bar.optimism_bar(part)
    assert o.numbers.folds.tolist() == [1]
    assert o.numbers.planned == 3
    assert "1 outer fold" in o.reading
    assert len(search_curve.search_curve(part).table[0].values) == 3


def test_before_anything_is_done_it_says_so():
    found = tuning.so_far(tuned().run, list(tuning.carry_out(tuned().run))[:2])
    assert found is not None
    assert "No outer fold is done yet." in optimism_bar.optimism_bar(found).reading
    with pytest.raises(DataError, match="not done yet"):
        search_heatmap.search_heatmap(found)


@cache
def outcome(n_features: Any = 2, source: str = "wine") -> Outcome:
    steps = (*STEPS, SubsetSelector(n_features=n_features))
    method = "lda" if source == "wine" else "ridge"
    return carried_out(Run(data=TableData(source=source), preparation=steps, method=method))


def test_the_map_of_choices_is_that_of_the_folds():
    s = selection_stability.selection_stability(outcome()).numbers
    assert s.chosen.shape == (5, 13)
    assert (s.chosen.sum(axis=1) == 2).all()
    for fold, row in zip(outcome().done, s.chosen, strict=True):
        kept = {v for v, is_kept in zip(s.variables, row, strict=True) if is_kept}
        assert kept == {column.variable for column in fold.columns}
    shares = s.chosen.mean(axis=0)
    assert (np.diff(shares) <= 0).all()


def test_the_ribbon_shows_which_variables_each_fold_keeps():
    held = outcome()
    r = fold_ribbon.numbers(held.run.data.dataset({}), held)
    heads = [k for k, head in enumerate(r.heads) if head.startswith("Variable selection: ")]
    assert len(heads) == 13
    assert (r.values[:, heads].sum(axis=1) == 2).all()
    assert all("Kept 2 of 13 variables" in note for note in r.notes)


def test_without_a_choice_the_picture_says_so():
    plain = carried_out(Run(data=TableData(source="wine"), preparation=STEPS, method="lda"))
    assert not selection_stability.selects(plain)
    assert selection_stability.selects(outcome())
    assert "No step" in selection_stability.selection_stability(plain).reading
    assert "No step" in subset_path.subset_path(plain.whole.prepared).reading


def test_the_path_names_the_best_subset_of_each_size():
    held = outcome("best", "diabetes")
    s = subset_path.subset_path(held.whole.prepared)
    assert s.numbers.members[4] == "bmi, bp, s3, s5"
    assert s.numbers.best[4] == pytest.approx(0.687839, abs=5e-7)
    assert "Kept 4 of 10 variables" in s.reading
    kept = dict(zip(s.table[0].values, s.table[1].values, strict=True))
    assert [name for name, said in kept.items() if said] == ["bmi", "bp", "s3", "s5"]


def test_a_filter_is_shown_by_its_ranking():
    steps = (*STEPS, UnivariateFilter(n_features=3))
    held = carried_out(Run(data=TableData(source="diabetes"), preparation=steps, method="ridge"))
    assert selection_stability.pictures_of(held) == ("selection_stability", "ranking_bars")
    drawn = ranking_bars.ranking_bars(held.whole.prepared)
    assert drawn.numbers.variables[:3] == ("bmi", "s5", "bp")
    assert drawn.numbers.kept.tolist() == [True] * 3 + [False] * 7
    assert "Kept 3 of 10 variables; the best that is left out is s4" in drawn.reading
    searched = selection_stability.pictures_of(outcome())
    assert searched == ("selection_stability", "subset_path")
    plain = carried_out(Run(data=TableData(source="wine"), preparation=STEPS, method="lda"))
    assert selection_stability.pictures_of(plain) == ()
