"""The numbers of a search for settings, on values."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from figures.numbers.searches import at_ends, best_by_value, tried
from figures.views.evaluation import optimism_bar, search_curve, search_heatmap
from mlcore.data.dataset import TableData
from mlcore.evaluation.splits import KFold
from mlcore.runs import carry_tuning
from mlcore.runs.tuning.search import GridSearch, RandomizedSearch
from mlcore.runs.tuning.tuned import Chosen, Tuned, chosen_in_words
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import DataError, ParamError

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
    return carry_tuning.carried_out(run)


def stopped() -> Tuned:
    """A search of which one outer fold is done."""
    events = list(carry_tuning.carry_out(tuned().run))
    return_at = [k for k, e in enumerate(events) if isinstance(e, Chosen)][1]
    found = carry_tuning.so_far(tuned().run, events[: return_at + 1])
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
        assert (setting.noun in ends) == (k in (0, len(setting.values) - 1))


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
    assert "a number how many outer folds" in search_heatmap.search_heatmap(tuned()).reading
    draws = search_heatmap.search_heatmap(tuned("draws"))
    assert draws.numbers.grid is None
    assert {t.type for t in draws.figure.data} == {"scatter"}
    assert len(draws.table[0].values) == 7
    alone = search_heatmap.search_heatmap(tuned("one"))
    assert "needs two settings" in alone.figure.layout.annotations[0].text
    assert "a number how many" not in draws.reading + alone.reading


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
    assert "folds chose" not in o.reading  # one agrees with itself
    assert "folds chose" in optimism_bar.optimism_bar(tuned()).reading
    assert len(search_curve.search_curve(part).table[0].values) == 3


def test_before_anything_is_done_it_says_so():
    found = carry_tuning.so_far(tuned().run, list(carry_tuning.carry_out(tuned().run))[:2])
    assert found is not None
    assert "No outer fold is done yet." in optimism_bar.optimism_bar(found).reading
    with pytest.raises(DataError, match="not done yet"):
        search_heatmap.search_heatmap(found)


def test_settings_are_called_as_their_controls_are():
    drawn = search_heatmap.search_heatmap(tuned())
    assert (drawn.figure.layout.xaxis.title.text, drawn.figure.layout.yaxis.title.text) == (
        "Alpha", "L1 ratio",
    )  # fmt: skip
    assert "L1 ratio" in drawn.reading and "l1_ratio" not in drawn.reading
    assert "L1 ratio = " in chosen_in_words(tuned())
