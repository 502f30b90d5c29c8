"""Solvers at the edge of what numbers can tell: each guard, on rows that need it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice, permutations

import numpy as np
import pytest

from mlcore.classification import scatter
from mlcore.classification.multiclass_coupling import pairwise_coupling
from mlcore.decisions.mdp import from_transitions
from mlcore.decisions.planning import GRAIN, PolicyIteration, ValueIteration
from mlcore.distances.neighbours import Neighbours
from mlcore.optimisation import closed_form, coordinate, lbfgs, newton
from mlcore.optimisation.composed import Objective, minimise
from mlcore.optimisation.coordinate import LARGEST, Columns, Moments, descend
from mlcore.optimisation.lbfgs import LBFGS
from mlcore.optimisation.losses import Local, Logistic, Softmax
from mlcore.optimisation.newton import Newton
from mlcore.optimisation.penalties import L2, NoPenalty
from mlcore.optimisation.rows import rows
from mlcore.regression.lars import Lars
from mlcore.svm import finish
from mlcore.svm.dual import Dual
from mlcore.svm.finish import finished
from mlcore.svm.rows import RowCache
from mlcore.svm.smo import SMO
from mlcore.svm.svc import SVC


def two_classes(seed, p=4):
    """Rows of overlapping classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, p))
    return X, (X[:, 0] + rng.normal(size=60) > 0).astype(int)


def three_classes(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2000, 50))
    return X, np.digitize(X[:, :5].sum(axis=1) + rng.normal(size=2000), [-1, 1])


def test_line_searches_find_flat_points():
    """Halving and doubling alone, to any point that is flat enough, takes 60 steps."""
    steps = 0
    for seed in range(4):
        X, y = three_classes(seed)
        found = minimise(Softmax(), L2(alpha=1.0), LBFGS(), X, y, outputs=3, tol=1e-6)
        assert found.stop.kind == "converged"
        steps += found.n_iter
    assert steps <= 56


def test_a_step_that_shows_no_curvature_is_not_remembered():
    X, y = two_classes(0)
    found = minimise(Logistic(), NoPenalty(), LBFGS(), X, y, tol=0.0)
    assert found.stop.why.startswith("Stopped: rounding hides any further decrease")
    assert found.slope < 1e-5


@pytest.mark.parametrize("seed", [0, 4])
def test_dependent_columns_do_not_take_the_curvature_away(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]]) * 10.0 ** np.arange(-3, 3)
    y = (X @ rng.normal(size=6) + 100 * rng.normal(size=60) > 0).astype(int)
    found = minimise(Logistic(), NoPenalty(), LBFGS(), X, y, tol=1e-8)
    assert found.n_iter <= 8


def test_a_constant_column_among_many_has_a_curvature_to_divide_by(monkeypatch):
    monkeypatch.setattr(lbfgs, "LARGEST", 1)
    X, y = two_classes(0)
    X[:, 1] = 3.0
    found = minimise(Logistic(), NoPenalty(), LBFGS(), X, y, tol=1e-8)
    assert found.stop.kind == "converged"
    assert np.isfinite(found.coefficients).all()


@dataclass(frozen=True)
class Walled:
    """-log(1 - (z - y)^2): not a number from a distance of 1 on."""

    steepest: float = 2.0
    shared: bool = False

    def at(self, y, Z):
        left = Z - y
        with np.errstate(invalid="ignore", divide="ignore"):
            value = -np.log(1.0 - left[0] ** 2)
        return Local(value, 2 * left / (1.0 - left**2), left)

    def curvature(self, y, local, a, b):
        return np.full(len(y), 1e-3)  # so flat that the first step goes beyond the wall


def test_a_value_that_is_no_number_counts_as_too_high():
    y = np.array([-0.5, 0.0, 0.2])
    found = minimise(Walled(), NoPenalty(), LBFGS(), np.zeros((3, 0)), y, tol=1e-8)
    assert found.stop.kind == "converged"
    assert -0.5 < found.intercept[0] < 0.2


@pytest.mark.parametrize("seed", [2, 3, 6])
def test_a_step_of_newton_is_not_halved_for_the_rounding_of_a_value(seed):
    X, y = two_classes(seed)
    found = minimise(Logistic(), NoPenalty(), Newton(), X, y, tol=1e-16, max_iter=20)
    assert found.stop.kind == "converged"


@pytest.mark.parametrize(("outputs", "loss"), [(1, Logistic()), (3, Softmax())])
def test_newton_ends_where_rounding_hides_what_would_be_lower(outputs, loss):
    X = np.random.default_rng(0).normal(size=(45, 3)) * 1e12 + 1e15
    y = np.arange(45) % max(outputs, 2)
    found = minimise(loss, L2(alpha=1.0), Newton(), X, y, outputs=outputs, tol=1e-12)
    assert found.stop.why.startswith("Stopped: rounding hides any further decrease")
    assert found.n_iter < 40


def test_scores_that_all_classes_share_stay_zero_with_a_column_twice():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    given = np.column_stack([X, X[:, 0]]), y
    found = minimise(Softmax(), NoPenalty(), Newton(), *given, outputs=3, tol=1e-8)
    np.testing.assert_allclose(found.coefficients.sum(axis=0), 0, atol=1e-12)


def narrow(seed, n, p, alike):
    """Centred rows of p columns that have a part in common, as moments."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + alike * rng.normal(size=(n, 1))
    X -= X.mean(axis=0)
    y = X[:, :3].sum(axis=1) + rng.normal(size=n)
    y -= y.mean()
    return Moments(X.T @ X, X.T @ y, float(y @ y))


def test_descent_ends_where_rounding_keeps_the_gap_open():
    it = narrow(2, 30, 20, 0)
    # Solved to far below rounding within the columns in play, and the gap of all is still open:
    # whether a table leads there depends on the last bits of a processor.
    end = coordinate._verdict(it, 40, 1e-14, 1e-18 * it.yy, 1e-18, 3000)
    assert end.why.startswith("Stopped: rounding keeps the duality gap at 1e-14, above")
    assert coordinate._verdict(it, 40, 1e-14, 1e-16 * it.yy, 1e-18, 3000) is None


def test_descent_goes_closer_where_its_own_gap_was_met_and_that_of_all_was_not():
    rng = np.random.default_rng(261)
    p, n = int(rng.integers(101, 140)), int(rng.integers(5, 40))
    X = rng.normal(size=(n, p)) + rng.choice([0, 1, 5]) * rng.normal(size=(n, 1))
    X -= X.mean(axis=0)
    y = X[:, :3].sum(axis=1) + rng.normal(size=n)
    y -= y.mean()
    it = Moments(X.T @ X, X.T @ y, float(y @ y))
    *_, end = islice(
        descend(it, 0.5 * np.abs(it.toward).max(), 0.0, tol=1.4e-16, max_iter=300), 400
    )
    assert end.stop is not None


def test_a_column_twice_is_descended_to_its_exact_minimum():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 4))
    X = np.column_stack([X, X])
    y = X[:, :3].sum(axis=1) + rng.normal(size=30)
    it = Moments(X.T @ X, X.T @ y, float(y @ y))
    *_, end = descend(it, 0.001 * np.abs(it.toward).max(), 0.0, tol=1e-12, max_iter=3000)
    assert end.stop.kind == "converged"


def test_an_exact_solution_that_is_no_lower_is_not_taken(monkeypatch):
    it = narrow(0, 30, 5, 0.0)
    w = np.linalg.solve(it.full, it.toward)
    play = coordinate._Play(it, np.arange(5), w, it.left(w), 0.0, 0.0)
    monkeypatch.setattr(coordinate, "_toward_minimum", lambda *_: w + 1.0)
    play._polish()
    np.testing.assert_array_equal(play.w, w)


def test_more_columns_than_one_gram_matrix_holds_are_taken_in_turns(monkeypatch):
    monkeypatch.setattr(coordinate, "LARGEST", 40)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 120)), rng.normal(size=200)
    it = Columns(rows(X, y, None, "centering"))
    *_, end = descend(it, 1e-3 * np.abs(it.toward).max(), 1.0, tol=1e-10, max_iter=20_000)
    assert end.playing <= 40 < LARGEST
    assert end.stop.kind == "converged"


def test_one_refinement_gives_back_the_digits_of_an_inverse():
    left = []
    for seed in range(10):
        Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(30, 30)))[0]
        gram = (Q * 10.0 ** np.linspace(0, -6, 30)) @ Q.T
        b = gram @ np.ones(30)
        left.append(np.abs(gram @ closed_form._solve(gram, b) - b).max() / np.abs(b).max())
    assert np.mean(left) < 6e-16


@pytest.mark.parametrize("seed", [0, 2])
def test_of_columns_that_tie_later_the_first_comes_in(seed):
    rng = np.random.default_rng(seed)
    x, y, z = rng.normal(size=(16, 4)), rng.normal(size=16), rng.normal(size=16)
    y, z = y + y[::-1], z + z[::-1]  # both go as well with a column as with its mirror
    X = np.column_stack([3 * z + y, x[:, 0], x[::-1, 0], x[:, 1], x[::-1, 1]])
    came = [step.note.split()[0] for step in Lars().steps(X, y) if "comes in" in step.note]
    assert came.index("x2") < came.index("x3")
    assert came.index("x4") < came.index("x5")


def test_a_column_that_has_gone_out_does_not_come_back_at_once():
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(16, 4)), rng.normal(size=16), rng.normal(size=16)
    y, z = y + y[::-1], z + z[::-1]
    X = np.column_stack([3 * z + y, x[:, 0], x[::-1, 0], x[:, 1], x[::-1, 1]])
    notes = [step.note.split(":")[0] for step in Lars().steps(X, y)]
    assert notes[notes.index("x1 goes out") + 1] != "x1 comes in next"


@pytest.mark.parametrize("seed", range(20))
def test_multipliers_stand_on_their_bounds_exactly(seed):
    X, y = two_classes(seed, p=2)
    rng = np.random.default_rng(seed)
    C, w = rng.uniform(0.1, 9), rng.uniform(0.01, 3, 60)
    fit = SVC(C=C, solver=SMO(working_set=16)).fit(X, y, weights=w)
    alpha, top = np.abs(fit.duals[:, 0]), C * w[fit.support]
    assert not ((alpha != top) & (np.abs(alpha - top) < 1e-9 * top)).any()


def programme(sign, q, top=1.0):
    """The dual of a machine of these signs."""
    n = len(sign)
    low, high = np.where(sign > 0, 0.0, -top), np.where(sign > 0, top, 0.0)
    return Dual(None, q, low, high, np.zeros(n))


def test_equations_whose_solution_is_a_saddle_are_not_solved():
    K = np.array([[0.0, 0, 2, -1], [0, 4, 6, -4], [2, 6, -2, -3], [-1, -4, -3, 2]])
    sign = np.array([-1.0, 1, -1, 1])
    beta, problem = sign / 2, programme(sign, -sign)
    assert finished(problem, K, beta, K @ beta - sign) is None


@pytest.mark.parametrize("n", [4, 20])
def test_rows_twice_there_have_an_exact_solution_whose_sum_is_zero(n):
    sign = np.where(np.arange(n) % 2, 1.0, -1.0)
    K, slight = np.outer(sign, sign), 1e-7 * np.random.default_rng(n).normal(size=n)
    problem, beta = programme(sign, 1.0 - sign + slight, top=1e3), 2 * sign / n
    found = finished(problem, K, beta, K @ beta + problem.q)
    assert found is not None
    assert abs(found.beta.sum()) < 1e-12
    assert found.gap < 1e-7


@pytest.mark.parametrize("split", [None, 24])
def test_variables_leave_and_join_the_equations_until_the_end_is_exact(split, monkeypatch):
    monkeypatch.setattr(finish, "MOST_CHANGES", 500)
    rng = np.random.default_rng(5)
    X, sign, ridge = rng.normal(size=(50, 2)), rng.choice([-1.0, 1.0], 50), rng.uniform(0, 0.2, 50)
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2)) + np.diag(ridge)
    problem = replace(programme(sign, -sign), split=split, ridge=ridge)
    groups = [np.arange(50)] if split is None else [np.arange(split), np.arange(split, 50)]
    beta = np.zeros(50)
    for own in groups:  # far from where most of them end: feasible, some bound, some free
        for up, down in zip(own[sign[own] > 0], own[sign[own] < 0], strict=False):
            beta[up] = rng.choice([0.0, 0.5, 1.0])
            beta[down] = -beta[up]
    end = finished(problem, K, beta, K @ beta + problem.q)
    assert end is not None
    assert end.gap < 1e-9
    np.testing.assert_allclose(end.slope, K @ end.beta + problem.q, atol=1e-12)
    for own in groups:
        assert abs(end.beta[own].sum()) < 1e-12
    is_bound = (end.beta == problem.low) | (end.beta == problem.high)
    was_bound = (beta == problem.low) | (beta == problem.high)
    assert (is_bound & ~was_bound).sum() > 2 < (was_bound & ~is_bound).sum()


def test_a_solution_that_is_no_nearer_is_not_taken():
    K, sign = np.eye(2), np.array([-1.0, 1])
    beta = sign.copy()
    assert finished(programme(sign, -sign, top=2.0), K, beta, K @ beta - sign) is None


class Held:
    """A Gram matrix of n rows, all of it known."""

    def __init__(self, n):
        self.n, self.dtype, self.K = n, np.dtype(float), np.eye(n)

    def fill(self, index, rows, slots):
        rows[slots] = self.K[index]


def test_rows_that_just_came_are_not_the_first_to_go():
    cache = RowCache(Held(9), np.zeros(9), 0, 4)
    cache.bring(np.arange(4), 0)
    cache.used[:4] = [3, 4, 5, 6]
    cache.bring(np.array([4, 5]), 6)
    cache.bring(np.array([6]), 6)
    np.testing.assert_array_equal(np.flatnonzero(cache.slot >= 0), [3, 4, 5, 6])


def turned(seed):
    """Rows of the same numbers in every order, all as far from rows of one number."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(30, 4))
    S = np.concatenate([base[:, list(order)] for order in permutations(range(4))])
    return rng.permutation(S), np.ones(4) * rng.normal(size=(20, 1))


@pytest.mark.parametrize("power", [1.5, 2.0, 3.0])
def test_a_tree_finds_the_first_of_rows_whose_sums_differ_by_rounding(power):
    S, X = turned(0)
    by_tree = Neighbours(S, power=power, search="tree").nearest(X, 5)
    apart = Neighbours(S, power=power)  # so few are taken one by one
    np.testing.assert_array_equal(by_tree.rows, apart.nearest(X, 5).rows)


@pytest.mark.parametrize("search", ["tree", "brute"])
def test_a_row_exactly_at_the_radius_lies_within(search):
    S, X = turned(0)
    near = Neighbours(S, search=search)
    far = np.sqrt(((X[:, None] - S) ** 2).sum(axis=2).min(axis=1))
    for x, radius in zip(X, far, strict=True):
        assert len(near.within(x[None], radius).rows)


def large_rewards():
    """Six states with rewards of a thousand million, and a far future."""
    rng = np.random.default_rng(0)

    def into():
        chances = enumerate(rng.dirichlet(np.ones(6)))
        return [(p, s, float(1e9 * rng.normal()), False) for s, p in chances]

    return from_transitions(
        "large", [[into(), into()] for _ in range(6)], gamma=0.99, initial=np.ones(6) / 6,
        max_steps=9, state_names=tuple("abcdef"), action_names=("x", "y"),
    )  # fmt: skip


@pytest.mark.parametrize("agent", [ValueIteration(), PolicyIteration(n_sweeps=4)])
def test_no_sweep_is_spent_on_rounding(agent):
    *before, end = (step.state for step in agent.steps(large_rewards()))
    assert all(at.change > GRAIN * np.abs(at.values).max() for at in before)
    assert end.change > 1e-8


def test_a_direction_beyond_a_span_has_no_part_in_it():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.normal(size=(40, 5)))[0]
    D = rng.normal(size=(3, 5)) @ V.T + 1e-8 * rng.normal(size=(3, 40))
    np.testing.assert_allclose(scatter._beyond(D, V) @ V, 0, atol=1e-14)


def test_a_class_that_loses_for_certain_keeps_a_little_probability():
    surely = np.triu(np.ones((4, 4)), 1)  # each class beats all that follow
    P = pairwise_coupling(surely)
    assert (P[1:] > 1e-8).all()
    assert P[0] == pytest.approx(1.0, abs=1e-6)


def first_steps(apart):
    """The first step of Newton's method, and of curvatures in six digits, of columns so far apart.

    Their correlation is about 1 - apart^2 / 2, and the condition number of the curvature about
    4 / apart^2.
    """
    rng = np.random.default_rng(7)
    x, own = rng.normal(size=(2, 2000))
    y = (rng.random(2000) < 1 / (1 + np.exp(-x))).astype(float)
    problem = Objective(Logistic(), NoPenalty(), np.column_stack([x, x + apart * own]), y)
    start = problem.zero()
    exact, kept = (
        next(iter(walk(problem, start, tol=1e-8, max_iter=1)))
        for walk in (Newton().steps, Newton().kept_steps)
    )
    return exact.state.coefficients, kept.state.coefficients


def test_a_curvature_that_is_nearly_singular_is_taken_in_double_precision():
    """Six digits of a condition number of 4e6 leave an inverse with none."""
    exact, kept = first_steps(apart=1e-3)
    np.testing.assert_allclose(kept, exact, rtol=1e-6)


def test_a_curvature_that_is_far_from_singular_has_six_digits():
    exact, kept = first_steps(apart=1.0)
    np.testing.assert_allclose(kept, exact, rtol=1e-5)
    assert not np.allclose(kept, exact, rtol=1e-12)


def test_without_the_bound_six_digits_would_mislead(monkeypatch):
    """What the bound of the condition number is for: lifted, the first step goes elsewhere."""
    monkeypatch.setattr(newton, "ROUGH", newton.HALF_THE_DIGITS * 0.99)
    exact, kept = first_steps(apart=1e-3)
    assert np.abs(kept / exact - 1).max() > 0.01
