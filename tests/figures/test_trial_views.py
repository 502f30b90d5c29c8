"""Pictures of trials on values that can be checked by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from figures.drawing import grids
from figures.drawing.curves import curve_columns
from figures.numbers.grids import GridMap, grid_map
from figures.numbers.trials import ReplicateCurve, half_width, is_lopsided, played, replicated
from figures.view import View, views
from figures.views.decisions import (
    arm_estimates,
    predicted_values,
    regret_curve,
    return_curve,
    trial_scores,
    value_map,
    visit_map,
)
from mlcore.decisions.action_values import ActionValueBandit
from mlcore.decisions.bandit import BanditArms
from mlcore.decisions.blackjack import Blackjack
from mlcore.decisions.changing_maze import ChangingMaze
from mlcore.decisions.explorers import Greedy
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.gym_world import GymWorld
from mlcore.decisions.model_based import ModelBasedRL
from mlcore.decisions.model_uses import DynaQPlus
from mlcore.decisions.taxi import Taxi
from mlcore.decisions.td_control import TDControl
from mlcore.decisions.ucb import UCB
from mlcore.decisions.windy_grid import WindyGrid
from mlcore.runs.carry_trial import TrialOutcome, carried_out, recording
from mlcore.runs.run import Trial
from mlcore.spine.errors import MlcoreError


@cache
def outcome(name: str) -> TrialOutcome:
    """A small trial."""
    trials = {
        "bandit": Trial(
            problem="bandit_arms",
            methods=(ActionValueBandit(explorer=Greedy()), UCB(), "thompson_sampling"),
            budget=400,
            replicates=40,
        ),
        "grid": Trial(methods=("value_iteration", "td_control"), budget=80, replicates=12),
        "given": Trial(
            problem="random_walk", methods=("td_prediction", "td_prediction"), budget=20,
            replicates=10,
        ),
        "few": Trial(methods=("td_control",), budget=20, replicates=3),
        "open": Trial(
            problem=GridWorld(layout="S..G", gamma=1.0, step_reward=0.0), budget=20,
            methods=("td_control",), replicates=2,
        ),
    }  # fmt: skip
    return carried_out(trials[name])


def made(name: str, kind: str, **chosen: Any) -> View:
    """A picture of a trial with these options."""
    entry = views()[name]
    assert entry.options is not None
    return entry.drawn({"trial": outcome(kind)}, entry.options(**chosen))


def test_an_interval_is_that_of_student_and_needs_ten_replicates():
    each = np.arange(10.0)[:, None]
    # The 97.5 % quantile of t with 9 degrees of freedom is 2.2622.
    assert half_width(each)[0] == pytest.approx(2.2622 * each.std(ddof=1) / np.sqrt(10), rel=1e-4)
    assert np.isnan(half_width(each[:9])).all()
    assert half_width(np.full((10, 1), 0.1 + 0.2))[0] == 0.0


def test_a_mean_far_from_the_median_is_said():
    assert is_lopsided(np.array([0.0] * 60 + [100.0] * 40), 5.0)
    assert not is_lopsided(np.arange(100.0), 5.0)
    reading = views()["regret_curve"].make(outcome("bandit")).reading
    assert "The mean of Greedy misleads" in reading


def test_regret_holds_every_strategy_and_the_theory():
    r = regret_curve.numbers(outcome("bandit"))
    assert [c.label for c in r.curves] == ["Greedy", "UCB", "Thompson sampling"]
    assert r.curves[1].end == pytest.approx(outcome("bandit").results[1].scores.mean())
    assert r.slope == pytest.approx(6.80575, abs=1e-5)
    assert [label for label, _ in r.bounds] == ["UCB"]
    names = [trace.name for trace in regret_curve.draw(r).data]
    assert "asymptotic slope" in names
    assert "bound of UCB" not in names  # it lies far above all curves, and is said instead
    assert "Theory bounds the expected regret of UCB by" in regret_curve.reading(r)
    assert "more than can be lost" not in regret_curve.reading(r._replace(most=np.inf))
    assert r.most == pytest.approx(r.curves[0].x[-1] * outcome("bandit").world.gaps.max())
    assert "more than can be lost: that says" in regret_curve.reading(r._replace(most=1.0))


def test_theory_of_regret_says_what_holds_for_ever_and_why_there_is_no_bound():
    """Gaps 0, 0.1, 0.2, 0.3: the mean is 0.15."""
    arms = Trial(
        problem="bandit_arms", methods=(ActionValueBandit(), UCB(alpha=0.5)), budget=400,
        replicates=10,
    )  # fmt: skip
    r = regret_curve.numbers(carried_out(arms))
    assert r.minimax is not None
    assert r.minimax[-1] == pytest.approx(np.sqrt(400 * 4) / 20)  # 2
    assert r.lasting == (("Epsilon-greedy", pytest.approx(0.1 * 0.15)),)
    text = regret_curve.reading(r)
    assert "UCB has no bound for alpha up to 2." in text
    assert "Epsilon-greedy goes on losing 0.0150 a round" in text
    assert "bound for alpha" not in views()["regret_curve"].make(outcome("bandit")).reading


def test_no_bandit_of_normal_rewards_has_the_lower_bound_of_rewards_from_0_to_1():
    arms = Trial(
        problem=BanditArms(reward_distribution="gaussian_rewards"),
        methods=(ActionValueBandit(explorer=Greedy()),), budget=50, replicates=2,
    )  # fmt: skip
    r = regret_curve.numbers(carried_out(arms))
    assert r.minimax is None
    assert not r.lasting  # greedy may lose nothing more once it has the best arm


def test_regret_is_drawn_over_rounds_or_their_logarithms():
    assert made("regret_curve", "bandit").figure.layout.xaxis.type is None
    assert made("regret_curve", "bandit", in_logarithms=True).figure.layout.xaxis.type == "log"


@pytest.mark.parametrize(("name", "kind"), [("regret_curve", "bandit"), ("return_curve", "grid"),
                                            ("value_error", "grid"),
                                            ("prediction_error", "given")])  # fmt: skip
def test_curves_are_means_in_their_interval_or_medians_among_the_replicates(name, kind):
    mean, median = made(name, kind), made(name, kind, line="median")
    assert mean.note.startswith("mean of")
    assert median.note.startswith("median of")
    assert "band: 10 to 90 % of them" in median.note
    assert median.table is not None
    columns = {c.name: np.asarray(c.values) for c in median.table}
    low, high = (next(k for k in columns if k.startswith(f"{p} %")) for p in (10, 90))
    assert (columns[low] <= columns[high]).all()
    assert len(columns) == len(median.table)  # no two have one name
    assert "95 % interval" not in median.reading
    assert "in the mean" not in median.reading
    assert not any("half interval" in name for name in columns)


def test_the_median_of_a_few_replicates_has_no_band():
    each = np.array([[0.0, 1.0], [2.0, 5.0], [10.0, 6.0]])
    some = replicated("A", np.arange(2), each)._replace(is_median=True)
    np.testing.assert_array_equal(some.line, [2.0, 5.0])
    assert np.isnan(some.band).all()
    many = replicated("A", np.arange(1), np.arange(11.0)[:, None])._replace(is_median=True)
    np.testing.assert_allclose(np.ravel(many.band), [1.0, 9.0])


def test_shares_of_the_pulls_add_up():
    a = arm_estimates.numbers(outcome("bandit"))
    np.testing.assert_allclose(a.shares.sum(axis=1), 1.0)
    assert a.best == 3
    assert (a.low <= a.high).all()


def test_a_single_strategy_is_not_said_to_pull_an_arm_most_that_it_pulls_less():
    flat = np.zeros((1, 3))
    a = arm_estimates.Arms(
        np.array([0.3, 0.75, 0.65]), ("UCB",), flat, flat, flat, np.array([[0.2, 0.3, 0.5]]), 1
    )
    text = "Arm 2 pays best, 0.750 in the mean (dotted). UCB pulls it in 30 % of its rounds"
    assert arm_estimates.reading(a) == f"{text}, and arm 3 more, in 50 %."
    often = a._replace(shares=np.array([[0.2, 0.5, 0.3]]))
    assert arm_estimates.reading(often) == f"{text.replace('30', '50')}."


def test_what_theory_allows_of_an_arm_stands_at_its_bar():
    far = BanditArms(means=(0.0, 0.9))
    arms = Trial(problem=far, methods=(UCB(), UCB(alpha=0.5)), budget=2000, replicates=2)
    a = arm_estimates.numbers(carried_out(arms))
    assert a.allowed is not None and np.isnan(a.allowed[1]).all()
    most = UCB().most_pulls(far.world(), 2000)
    assert most is not None
    np.testing.assert_allclose(a.allowed[0], most / 2000)
    (dash,) = [t for t in arm_estimates.draw(a).data if t.name == f"{a.labels[0]}, at most"]
    np.testing.assert_array_equal(dash.y, [a.allowed[0][0], np.nan])
    assert arm_estimates.reading(a).endswith(f"that theory expects of {a.labels[0]}.")
    columns = [c.name for c in arm_estimates.table(a)]
    assert f"at most by theory, {a.labels[0]}" in columns and len(columns) == len(set(columns)) == 7
    few = Trial(problem="bandit_arms", methods=(UCB(),), budget=60, replicates=2)
    soon = arm_estimates.numbers(carried_out(few))
    assert "allows UCB is more than all rounds, so it says nothing." in arm_estimates.reading(soon)


def test_a_map_shows_values_actions_and_errors_where_they_lie():
    world = GridWorld().world()
    best = world.solution
    wrong = np.where(np.arange(9) == 4, 2, best.policy)  # down in row 2, column 3
    g = grid_map(world, best.values, wrong)
    assert g.cells.tolist() == [0, 1, 2, 4, 6, 8, 9, 10, 11]
    assert (g.x[4], g.y[4]) == (2, 1)
    assert g.is_wrong.tolist() == [False] * 4 + [True] + [False] * 4
    assert g.actions[4] == "↓"
    assert g.best[4] == "↑"
    assert g.size == pytest.approx(np.abs(best.values).max())


def test_the_exact_map_has_no_ring_and_the_learned_one_says_how_many():
    exact = views()["exact_map"].make(outcome("grid"))
    rings = next(t for t in exact.figure.data if t.uid == "rings")
    assert len(rings.x) == 0
    learned = views()["value_map"].make(outcome("grid"), 1)
    rings = next(t for t in learned.figure.data if t.uid == "rings")
    if len(rings.x):
        assert f"in {9 - len(rings.x)} of 9 states" in learned.reading
    else:
        assert "in all of 9 states" in learned.reading
    assert learned.note == "Q-learning, first of 12 replicates"
    assert "where the best policy earns " in learned.reading


def test_predicted_values_are_held_against_the_policy_that_they_are_of():
    """Which is not the best one, whose values stand beside those that were learned."""
    p = predicted_values.Predicted(
        "a", np.arange(2), ("here", "there"), np.array([0.5, 0.3]), np.array([0.4, -0.3])
    )
    assert "0.300 for there, where the policy earns −0.300;" in predicted_values.reading(p)


def test_a_world_without_an_exact_answer_says_so_once():
    with pytest.raises(MlcoreError, match="wander"):
        views()["exact_map"].make(outcome("open"))
    asks = views()["value_error"].asks
    assert not any(row.can(*asks) for row in outcome("open").results)
    assert any(row.can(*asks) for row in outcome("grid").results)
    assert "no exact answer" in views()["value_map"].make(outcome("open")).reading
    assert np.isnan(return_curve.numbers(outcome("open")).best)


@pytest.mark.parametrize(("least", "is_whole"), [(-1.8, True), (-60.0, False)])
def test_a_learning_curve_is_whole_or_says_from_where_it_comes(least, is_whole):
    """Its end is at 0 and the best at 1: a long way below these would press them together."""
    mean = np.array([least, -0.5, -0.2, 0.0])
    curve = ReplicateCurve("A", np.arange(4), mean[None], mean, np.full(4, np.nan))
    r = return_curve.Returns((curve,), (curve,), best=1.0, threshold=np.nan, random=least)
    bottom, top = return_curve.draw(r).layout.yaxis.range
    assert (bottom < least) == is_whole and top > 1
    assert ("below the picture" not in return_curve.reading(r)) == is_whole


def test_returns_that_differ_by_rounding_alone_are_level():
    mean = -3.4641 + np.array([0.0, 4e-16, 0.0, -4e-16])
    curve = ReplicateCurve("A", np.arange(4), mean[None], mean, np.full(4, np.nan))
    r = return_curve.Returns((curve,), (curve,), best=np.nan, threshold=np.nan, random=-3.4641)
    bottom, top = return_curve.draw(r).layout.yaxis.range
    assert bottom < -3.6 and top > -3.3
    assert "below the picture" not in return_curve.reading(r)


def test_the_legend_of_a_learning_curve_names_methods_where_there_are_several():
    mean = np.arange(4.0)
    a, b = (ReplicateCurve(n, np.arange(4), mean[None], mean, np.full(4, np.nan)) for n in "AB")
    one = return_curve.Returns((a,), (a,), best=np.nan, threshold=np.nan, random=0.0)
    two = one._replace(online=(a, b), greedy=(a, b))
    shown = [[t.name for t in return_curve.draw(r).data if t.name] for r in (one, two)]
    assert shown[0] == ["exploring", "greedy"]
    assert shown[1] == ["A, exploring", "A, greedy", "B, exploring", "B, greedy"]


def test_single_replicates_of_a_learning_curve_are_drawn_when_they_are_asked_for():
    make, learned = views()["return_curve"].make, outcome("grid").results[1]
    plain = make(outcome("grid"))
    asked = make(outcome("grid"), options=return_curve.ReturnOptions(each=True))
    assert len(asked.figure.data) == len(plain.figure.data) + 1  # of exploring, not of greedy
    (lines,) = [t for t in asked.figure.data if t.name is None and t.line.width == 1]
    np.testing.assert_allclose(
        np.reshape(lines.y, (12, -1))[:, :-1], learned.stacked("online"), rtol=1e-6
    )
    assert asked.note.endswith("thin: each") and "thin" not in plain.note


def test_visits_are_means_over_the_replicates():
    v = visit_map.numbers(outcome("grid"), 1)
    row = outcome("grid").results[1]
    assert v.counts.sum() == pytest.approx(row.stacked("visits").sum() / 12)


def test_scores_begin_with_the_baseline():
    s = trial_scores.numbers(outcome("grid"))
    assert s.labels == ("Random policy", "Value iteration", "Q-learning")
    assert [len(v) for v in s.values] == [1, 1, 12]
    assert np.isnan(s.halves[:2]).all()
    assert "Value iteration has the best mean return" in trial_scores.reading(s)
    level = s._replace(means=np.array([-200.0, -200.0, -201.0]))
    said = "no better than the baseline: random policy has the same mean return, −200."
    assert trial_scores.reading(level).startswith(f"Value iteration is {said}")
    few = trial_scores.reading(trial_scores.numbers(outcome("few")))
    assert "Ten replicates or more" in few


def test_a_plan_stands_beside_every_replicate_and_what_is_level_is_named():
    """Of two that score alike none is "the best" alone; a plan has one score, without chance."""
    plan, learned = np.array([3.0]), np.array([3.0] * 8 + [1.0] * 4)
    behind, halves = trial_scores._paired((np.zeros(1), plan, plan + 1e-15, learned), 1)
    best = int(np.flatnonzero(np.isnan(behind[1:]))[0]) + 1
    assert behind[3 - best] == pytest.approx(0.0) and halves[3 - best] == 0.0
    assert behind[3] == pytest.approx(2.0 / 3.0) and halves[3] == pytest.approx(half_width(learned))
    s = trial_scores.numbers(outcome("few"))
    few = ("Random", "A", "B", "C")
    level = s._replace(
        labels=few, values=(plan - 3, plan, plan, plan - 1), means=np.array([0.0, 3.0, 3.0, 2.0]),
        halves=np.full(4, np.nan), behind=np.array([np.nan, np.nan, 0.0, 1.0]),
        behind_halves=np.array([np.nan, np.nan, 0.0, np.nan]), failed=np.zeros(4, dtype=int),
    )  # fmt: skip
    assert trial_scores.reading(level).endswith("has 0.00. B is as good.")


def test_methods_are_compared_in_pairs():
    base, rng = np.zeros(1), np.random.default_rng(0)
    world = rng.normal(size=20)  # what chance does to both alike
    values = (base, world + 0.1 * rng.normal(size=20), world + 0.5, world[:5] - 9.0)
    behind, halves = trial_scores._paired(values, 1)
    assert behind[1] == pytest.approx((values[2] - values[1]).mean())
    assert halves[1] < 0.1 < half_width(values[1])
    assert np.isnan(behind[[0, 2, 3]]).all()
    losses, _ = trial_scores._paired(values[:3], -1)  # of a loss the smaller one is best
    assert losses[2] == pytest.approx(behind[1])
    assert "which is clear" in trial_scores.reading(trial_scores.numbers(outcome("bandit")))


def test_a_baseline_far_from_all_methods_leaves_them_the_axis():
    s = trial_scores.numbers(outcome("bandit"))
    near = s._replace(values=(s.values[0], *s.values[1:-1], s.values[0] + 1.0))
    assert trial_scores._ends(near) is None
    far = s._replace(means=s.means + np.array([1e6, 0, 0, 0]))
    low, high = trial_scores._ends(far)
    assert low < min(v.min() for v in s.values[1:]) < max(v.max() for v in s.values[1:]) < high
    assert trial_scores.draw(far).data[-1].name == "off the scale"


def test_scores_that_are_the_same_but_for_rounding_have_an_axis_with_room_and_no_best():
    given = trial_scores.numbers(outcome("given"))  # the policy is given, learned are values alone
    low, high = trial_scores.draw(given).layout.xaxis.range
    assert low < 0.46 < 0.54 < high
    assert trial_scores.reading(given).startswith(
        "All have the mean return 0.500, the baseline too"
    )
    s = trial_scores.numbers(outcome("bandit"))
    level = s._replace(behind=s.behind * 0, behind_halves=s.behind_halves * 0)
    assert "as good in every one" in trial_scores.reading(level)


@pytest.mark.parametrize("which", [0, 1])
def test_a_map_is_played_to_where_the_fit_stands(which):
    trial = outcome("grid")
    drawn = views()["value_map"].make(trial, which)
    _, steps = recording(trial.run, which)
    r = played(trial.world, drawn, steps)
    assert len(r.frames) == len(steps)
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    last = r.frames[-1]
    np.testing.assert_array_equal(last[at["arrows"]]["text"], drawn.figure.data[at["arrows"]].text)
    np.testing.assert_array_equal(last[at["rings"]]["x"], drawn.figure.data[at["rings"]].x)
    assert len(r.to_json()) < 200_000


def mapped(problem: GridWorld | Taxi | Blackjack | WindyGrid) -> GridMap:
    """The map of a world before anything is known of it."""
    world = problem.world()
    nothing = np.zeros(world.n_states)
    return grid_map(world, nothing, nothing.astype(np.int64))


def test_cells_are_square_only_where_they_are_places():
    assert grids.base(mapped(GridWorld())).layout.yaxis.scaleanchor == "x"
    assert grids.base(mapped(Taxi())).layout.yaxis.scaleanchor == "x"
    cards = grids.base(mapped(Blackjack())).layout
    assert cards.yaxis.scaleanchor is None
    # Plotly hides a note whose place is beyond the range of an axis.
    assert [(note.yref, note.y) for note in cards.annotations] == [("paper", 1)] * 2
    assert cards.margin.t >= 30, "there the parts of the columns have their names"


def test_a_windy_grid_shows_its_wind_and_arrows_that_can_be_read():
    g = mapped(WindyGrid())
    layout = grids.base(g).layout
    assert layout.xaxis.ticktext[:5] == ("0", "0", "0", "1↑", "1↑")
    assert layout.yaxis.scaleanchor == "x" and not layout.yaxis.showticklabels
    # Its seven rows of cells as wide as a card has room for, and the names of the columns.
    assert layout.height == 7 * 42 + grids.UNDER
    assert grids.words(g, list(g.actions)).textfont.size == grids.ARROW
    assert grids.words(g, ["left"] * len(g.cells)).textfont.size < grids.ARROW


def test_words_leave_room_for_the_sign_of_their_cell():
    g = mapped(Taxi())
    words = grids.words(g, ["x"] * len(g.cells))
    signs = grids.base(g).data[1]
    assert signs.text[0] == "passenger"
    # A cell is never smaller than 54 pixels, two lines of words are 40 high and half a sign 5: four
    # pixels are left between them.
    cell = (grids.base(g).layout.meta["least"] - grids.BESIDE) / g.shape[1]
    assert cell * (words.y[0] - signs.y[0]) >= 40 / 2 + 5 / 2 + 4
    np.testing.assert_allclose(words.y - g.y, words.y[0])
    rings = value_map.draw(g).data[3]
    np.testing.assert_allclose(rings.y, words.y[g.is_wrong])
    assert len(rings.y)
    plain = mapped(GridWorld())
    np.testing.assert_array_equal(grids.words(plain, [""] * len(plain.cells)).y, plain.y)


def test_a_cell_of_nothing_can_be_told_from_no_cell():
    assert grids.COUNTS[0][1] != grids.faded(grids.LIGHT.accent, 0.0)


def test_rewards_by_move_end_where_the_first_method_ended():
    trial = carried_out(
        Trial(
            problem=ChangingMaze(changes_after=300),
            methods=(TDControl(), ModelBasedRL(model_use=DynaQPlus())),
            budget=20,
            replicates=2,
        )
    )
    drawn = views()["reward_curve"].make(trial=trial)
    end = min(f.moves[-1] for row in trial.results for f in row.fits)
    curves = drawn.numbers.curves
    assert [c.x[-1] for c in curves] == [end, end]
    plus = trial.results[1].fits
    last = [np.interp(end, np.append(0, f.moves), np.append(0, f.gained)) for f in plus]
    assert curves[1].end == pytest.approx(np.mean(last))
    assert "Since the world changed 100 moves earn" in drawn.reading
    still = views()["reward_curve"].make(trial=outcome("grid"))
    assert "changed" not in still.reading


def test_rewards_that_are_the_same_for_every_move_are_said_to_be():
    windy = Trial(
        problem=WindyGrid(), methods=(TDControl(), ModelBasedRL()), budget=2, replicates=1
    )
    drawn = views()["reward_curve"].make(trial=carried_out(windy))
    assert drawn.reading.startswith("Every move earns \N{MINUS SIGN}1.00, so all lines are one.")


def test_curves_with_points_of_their_own_share_a_table():
    """The first notes after every episode, the second after ten."""
    some = (("one", np.array([1, 2, 10])), ("ten", np.array([10, 20])))
    own = tuple(
        ReplicateCurve(label, x, x[None] * 1.0, x * 2.0, np.full(len(x), np.nan))
        for label, x in some
    )
    at, one, ten = (np.asarray(c.values) for c in curve_columns("episode", own, "return"))
    assert at.tolist() == [1, 2, 10, 20]
    np.testing.assert_array_equal(one, [2, 4, 20, np.nan])
    np.testing.assert_array_equal(ten, [np.nan, np.nan, 20, 40])


def test_a_map_says_how_wide_it_must_be_for_its_cells_to_be_read():
    least = {
        name: views()["exact_map"]
        .make(carried_out(Trial(problem=name, budget=1)))
        .figure.layout.meta
        for name in ("chain_walk", "grid_world")
    }
    assert least["chain_walk"]["least"] >= 20 * 24  # wider than a phone: it is pulled sideways
    assert least["grid_world"]["least"] < 300


@pytest.mark.parametrize("layout", ["S....G/......", "/".join(["S.....G."] + ["........"] * 7)])
def test_rings_around_actions_never_touch(layout):
    """On a phone six columns had 39 pixels each."""
    world = GridWorld(layout=layout).world()
    g = grid_map(world, world.solution.values, world.solution.policy)
    cell = (value_map.draw(g).layout.meta["least"] - grids.BESIDE) / g.shape[1]
    assert cell > value_map.RING


def test_what_is_best_within_the_limit_stands_where_it_is_another():
    """A frozen lake without a discount: .744190 in a hundred moves, and no other best is known."""
    lake = GymWorld(environment="frozen_lake", gamma=1.0)
    trial = carried_out(Trial(problem=lake, methods=("td_control",), budget=20, replicates=2))
    assert return_curve.numbers(trial).within == pytest.approx(0.744190, abs=1e-6)
    shown = views()["return_curve"].make(trial)
    assert "at most 100 moves no policy earns more than 0.744." in shown.reading
    assert "best within 100 moves 0.744" in [a.text for a in shown.figure.layout.annotations]
    assert shown.figure.layout.yaxis.range[1] > 0.744190
    # An episode of the grid is long enough: 200 moves cost nothing.
    assert np.isnan(return_curve.numbers(outcome("grid")).within)
    hurried = Trial(problem=GridWorld(max_steps=4), methods=("td_control",), budget=20)
    r = return_curve.numbers(carried_out(hurried))
    assert r.within < r.best
