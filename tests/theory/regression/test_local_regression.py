"""Local regression: numbers by hand and what the theory says of it."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.evaluation.predictive_scores import PredictiveScores
from mlcore.evaluation.scoring import Case, Rows
from mlcore.regression import windows
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.local_regression import TRIED, LocalRegression
from mlcore.regression.windows import WINDOWS, Smoother

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(60, 1))
Y = np.sin(6 * X[:, 0]) + 0.3 * RNG.normal(size=60)
WIDTHS = [
    {"width": "fixed", "bandwidth": 0.1},
    {"width": "span", "span": 0.3},
    {"width": "span", "span": 0.3, "window": "tricube", "robust_iter": 2},
    {"width": "fixed", "bandwidth": 0.2, "window": "box"},  # else two rows at one place fill it
]


@pytest.mark.parametrize(
    ("degree", "within", "beyond"),
    [(0, 0.454808, 1.625054), (1, 0.369648, 3.532535), (2, 0.484707, 6.557559)],
)
def test_four_points_by_hand(degree, within, beyond):
    rows, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 0.0, 2.0])
    fit = LocalRegression(degree=degree, width="fixed", bandwidth=1.0).fit(rows, y)
    np.testing.assert_allclose(fit.predict([[0.5], [4.0]]), [within, beyond], atol=1e-6)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("degree", [1, 2])
def test_a_polynomial_of_its_degree_is_reproduced(window, degree):
    rows = np.random.default_rng(2).uniform(size=(50, 2))
    y = 1.0 + rows @ [2.0, -3.0] + (rows[:, 0] * rows[:, 1] if degree == 2 else 0.0)
    method = LocalRegression(degree=degree, window=window, width="span", span=0.6)
    np.testing.assert_allclose(method.fit(rows, y).predict(rows), y, atol=1e-7)


def test_a_window_wider_than_all_is_least_squares():
    fit = LocalRegression(width="fixed", bandwidth=1e5).fit(X, Y)
    np.testing.assert_allclose(fit.predict(X), LinearRegression().fit(X, Y).predict(X), rtol=1e-6)
    assert fit.df == pytest.approx(2.0, abs=1e-4)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_the_closed_form_of_rows_left_out_is_that_of_new_fits(degree):
    fit = LocalRegression(degree=degree).fit(X, Y)
    method = LocalRegression(degree=degree, width="fixed", bandwidth=fit.bandwidth)
    left = [
        Y[i] - method.fit(np.delete(X, i, 0), np.delete(Y, i)).predict(X[i : i + 1])[0]
        for i in range(60)
    ]
    assert fit.tried_errors.min() == pytest.approx(np.mean(np.square(left)), rel=1e-6)
    assert fit.bandwidth == fit.tried[fit.tried_errors.argmin()]


def test_far_from_all_rows_the_nearest_decides_and_nothing_overflows():
    fit = LocalRegression(degree=0, width="fixed", bandwidth=0.01).fit(X, Y)
    assert fit.predict([[1e6]])[0] == pytest.approx(Y[X[:, 0].argmax()])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_however_far_a_query_is_it_gets_a_number(window, degree, columns):
    """Squares of such distances differ by less than their rounding, as those of rows do not."""
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(30, columns)), 5.0 + rng.normal(size=30)
    fit = LocalRegression(degree=degree, window=window, width="fixed", bandwidth=0.3).fit(rows, y)
    far = np.full((1, columns), 1.0) * np.array([[1e3], [1e6], [-1e9], [3e10], [-1e13], [1e40]])
    assert np.isfinite(fit.predict(far)).all()
    if not degree:
        assert (np.abs(fit.predict(far) - 5.0) < 4.0).all()
        assert np.isfinite(fit.smoother.weights(far[4], rows)).all()


@pytest.mark.filterwarnings("error")
def test_rows_nearly_alone_in_their_windows_leave_numbers():
    rows = np.array([[0.0], [1.0], [2.0], [3.0], [60.0]])
    fit = LocalRegression(degree=2, width="fixed", bandwidth=0.027).fit(rows, rows[:, 0])
    np.testing.assert_allclose(fit.predict(rows), rows[:, 0], atol=1e-6)
    assert np.isfinite(LocalRegression(degree=2).fit(rows, rows[:, 0]).tried_errors).all()


@pytest.mark.parametrize("window", [name for name in WINDOWS if name != "gaussian"])
def test_a_window_with_an_end_reaches_the_rows_that_its_polynomial_needs(window):
    fit = LocalRegression(degree=1, window=window, width="fixed", bandwidth=1e-5).fit(X, Y)
    assert np.isfinite(fit.predict(np.linspace(-1, 2, 40)[:, None])).all()


def test_robust_passes_leave_a_wild_row_out():
    wild = Y.copy()
    wild[7] += 20.0
    settings = {"width": "fixed", "bandwidth": 0.1}
    away = [
        np.abs(LocalRegression(**settings, robust_iter=k).fit(X, wild).predict(X)
               - LocalRegression(**settings, robust_iter=k).fit(X, Y).predict(X)).max()
        for k in (0, 3)
    ]  # fmt: skip
    assert away[1] < 0.1 < 1.0 < away[0]


@pytest.mark.parametrize("settings", WIDTHS)
def test_weights_are_repeated_rows(settings):
    w, method = np.random.default_rng(1).integers(0, 3, 60), LocalRegression(**settings)
    one = method.fit(X, Y, weights=w)
    other = method.fit(np.repeat(X, w, 0), np.repeat(Y, w))
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-9)
    assert (one.df, one.noise) == pytest.approx((other.df, other.noise))


def test_the_noise_is_found_and_the_interval_holds_what_it_says():
    rows = np.linspace(0, 1, 400)[:, None]
    y = np.sin(6 * rows[:, 0]) + 0.3 * np.random.default_rng(3).normal(size=400)
    fit = LocalRegression().fit(rows, y)
    # Three standard errors of a deviation of 400 rows.
    assert fit.noise == pytest.approx(0.3, rel=0.1)
    ends = fit.predictive_interval(rows, 0.9)
    inside = (ends[:, 0] <= y) & (y <= ends[:, 1])
    assert 0.85 < inside.mean() < 0.95


def test_the_polynomial_of_a_place_passes_through_its_prediction():
    fit = LocalRegression(degree=2, width="fixed", bandwidth=0.1).fit(X, Y)
    at = np.array([[0.4]])
    assert fit.local_model(at, at)[0] == pytest.approx(fit.predict(at)[0])
    weights = fit.window_weights(at, [[0.4], [0.5], [0.6]])
    np.testing.assert_allclose(weights, np.exp([0.0, -0.5, -2.0]))


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("span", [None, 0.1, 0.4, 1.0])
@pytest.mark.parametrize("is_plain", [True, False])
def test_the_loop_over_one_column_is_the_matrix_of_the_smoother(degree, window, span, is_plain):
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(150, 1)), rng.normal(size=150)
    w, trust = np.ones(150), np.ones(150)
    if not is_plain:
        w, trust = rng.uniform(0.2, 3.0, 150), rng.choice([0.0, 0.3, 1.0], 150)
    smoother = Smoother(X, w, trust, degree, window, 0.08, span)
    queries = np.vstack([X, rng.uniform(0.05, 0.95, (30, 1))])
    rows = np.vstack([L for _, L in smoother.rows(queries)])
    found, own = smoother.values(queries, y), smoother.at_own(y)
    # Where a window holds hardly more rows than its polynomial has terms, rounding is magnified.
    scale = np.abs(rows) @ np.abs(y)
    np.testing.assert_allclose(found.fitted / scale, rows @ y / scale, atol=1e-5)
    np.testing.assert_allclose(found.squares, (rows**2 / w).sum(axis=1), rtol=1e-4)
    np.testing.assert_array_equal(own.fitted, found.fitted[:150])
    np.testing.assert_allclose(own.own, np.diag(rows[:150]), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("window", "n"), [("gaussian", 60), ("tricube", 60), ("tricube", 600)])
def test_where_few_rows_are_near_the_polynomial_falls_back(degree, p, window, n):
    """By rows that windows amount to, (sum k)^2 / sum k^2; elsewhere nothing changes."""
    rng = np.random.default_rng(3)
    rows, y = rng.uniform(size=(n, p)), rng.normal(size=n)
    bandwidth = 0.06 if n < 100 else {1: 0.006, 2: 0.07}[p]
    settings = {"window": window, "width": "fixed", "bandwidth": bandwidth}
    places = np.vstack([rows[:40], rng.uniform(-0.3, 1.3, (40, p))])
    fits = [LocalRegression(degree=d, **settings).fit(rows, y) for d in range(degree + 1)]
    fit = LocalRegression(degree=degree, fallback=True, **settings).fit(rows, y)
    # A window with an end that is widened for the degree is so before the degree falls.
    away = np.sort(np.linalg.norm(rows - places[:, None], axis=2))[:, degree]
    places = places[(away < bandwidth) | (window == "gaussian")]
    k = np.array([fits[0].window_weights(at[None], rows) for at in places])
    many = k.sum(axis=1) ** 2 / (k**2).sum(axis=1)
    degrees = np.clip(np.floor(many + 1e-9) - 1, 0, degree).astype(int)
    assert degrees.min() < degree == degrees.max()
    expected = np.array([one.predict(places) for one in fits])[degrees, np.arange(len(places))]
    np.testing.assert_allclose(fit.predict(places), expected, rtol=1e-6, atol=1e-6)
    low = int(degrees.argmin())
    at = places[low][None]
    assert fit.local_model(at, at)[0] == pytest.approx(expected[low])


def test_a_row_that_counts_twice_is_two_rows_for_the_fallback():
    w = RNG.integers(0, 3, 60)
    method = LocalRegression(width="fixed", bandwidth=0.02, fallback=True)
    repeated = method.fit(np.repeat(X, w, 0), np.repeat(Y, w))
    np.testing.assert_allclose(method.fit(X, Y, weights=w).predict(X), repeated.predict(X))


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("degree", [1, 2])
def test_a_price_of_slopes_by_hand(p, degree):
    """Each term beyond the mean costs that share of the weight of the window, or of its own."""
    rng = np.random.default_rng(3)
    rows, y, at = rng.uniform(size=(40, p)), rng.normal(size=40), np.full((1, p), 0.4)
    settings = {"degree": degree, "width": "fixed", "bandwidth": 0.2}
    fit = LocalRegression(ridge=0.5, **settings).fit(rows, y)
    k = fit.window_weights(at, rows)
    away = rows - at
    D = away / np.sqrt((k @ (away**2).sum(axis=1)) / k.sum())
    if degree == 2:
        D = np.column_stack([D, *(D[:, i] * D[:, j] for i in range(p) for j in range(i, p))])
    D = np.column_stack([np.ones(40), D])
    M = D.T @ (k[:, None] * D)
    price = np.append(0.0, 0.5 * np.maximum(k.sum(), np.diag(M)[1:]))
    by_hand = np.linalg.solve(M + np.diag(price), D.T @ (k * y))[0]
    assert fit.predict(at)[0] == pytest.approx(by_hand, rel=1e-9)
    assert abs(by_hand - LocalRegression(**settings).fit(rows, y).predict(at)[0]) > 1e-4


def test_a_fit_without_noise_has_no_density_to_be_judged_by():
    # Parabolas in five columns have more terms than sixteen rows: they leave no error.
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(16, 5)), rng.normal(size=16)
    fit = LocalRegression(degree=2, width="fixed", bandwidth=1.0).fit(rows, y)
    assert fit.noise == 0.0
    own, other = Rows(rows, y), Rows(rows + 0.1, y)
    case = Case(method=fit.made_by, fit=fit, train=own, test=other)
    scores = PredictiveScores().scored(case).scores
    assert np.isnan(scores["negative_log_density"])
    assert np.isfinite(scores["interval_score"])


@pytest.mark.parametrize(("span", "bandwidth"), [(0.1, 1.0), (None, 0.5)])
@pytest.mark.parametrize("window", ["tricube", "box"])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_neighbours_are_found_as_all_rows_say(degree, window, span, bandwidth):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700, 2))
    X[:20] = X[0]  # some lie at one place
    y, trust = rng.normal(size=700), rng.uniform(size=700)
    smoother = Smoother(X, np.ones(700), trust, degree, window, bandwidth, span)
    Q = np.vstack([X[:50], 3.0 * rng.normal(size=(60, 2))])  # some lie far from all
    L = np.vstack([block for _, block in smoother.rows(Q)])
    found = smoother.values(Q, y)
    np.testing.assert_allclose(found.fitted, L @ y, atol=1e-8)
    np.testing.assert_allclose(found.squares, (L**2).sum(axis=1), rtol=1e-7)
    own = smoother.at_own(y)
    np.testing.assert_allclose(own.own[:50], np.diagonal(L[:50]), rtol=1e-7)
    searched = np.concatenate([[], *(near.at for near in smoother._near(Q))])
    assert (len(searched) == 0) == (window == "box" and span is not None)


@pytest.mark.parametrize("share", [0.03, 0.12, 0.3, 3.0])
@pytest.mark.parametrize("table", ["spread", "far", "twins", "one_value", "clumps"])
def test_lines_that_are_found_together_are_those_of_each_place_alone(table, share, monkeypatch):
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(120, 4)) + (1e4 if table == "far" else 0.0)
    if table == "twins":
        rows[:, 3] = rows[:, 2]
        rows[60:64] = rows[:4]
    if table == "one_value":
        rows[:, 3] = 2.0
    if table == "clumps":
        rows[60:] += 1e7
    y, w = rows[:, 0] + rng.normal(size=120), rng.uniform(0.5, 2.0, size=120)
    smoother = Smoother(rows, w, np.ones(120), 1, "gaussian", share)
    # Beside the rows a narrow window holds one, and rounding decides in which order they stand.
    is_decided = share >= 0.3 and table != "one_value"
    places = np.vstack([rows[:20], rows[:10] + 0.1]) if is_decided else rows[:20]
    together = smoother.values(places, y)
    monkeypatch.setattr(windows, "LINE_COLUMNS", 99)
    for values, alone in zip(together, smoother.values(places, y), strict=True):
        np.testing.assert_allclose(values, alone, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("degree", [1, 2])
def test_rows_at_one_place_leave_their_mean(degree):
    """No slope is known there: the smallest, 0, at other places up to what rounding leaves."""
    for p in (1, 2):
        method = LocalRegression(degree=degree, width="fixed", bandwidth=1.0)
        fit = method.fit(np.full((4, p), 2.0), np.array([1.0, 2.0, 4.0, 5.0]))
        np.testing.assert_allclose(fit.predict(np.full((1, p), 2.0)), 3.0, rtol=1e-9)
        np.testing.assert_allclose(fit.predict(np.full((1, p), 2.5)), 3.0, rtol=1e-3)


def test_rows_along_a_line_leave_the_slope_across_it_at_nothing():
    """Two columns that are equal are one, in which distances are longer by the root of two."""
    t = np.random.default_rng(3).uniform(size=30)
    y, at = np.sin(6 * t), np.linspace(0.1, 0.9, 7)
    one = LocalRegression(width="fixed", bandwidth=0.2).fit(t[:, None], y)
    two = LocalRegression(width="fixed", bandwidth=0.2 * np.sqrt(2)).fit(np.stack([t, t], 1), y)
    np.testing.assert_allclose(
        two.predict(np.stack([at, at], 1)), one.predict(at[:, None]), rtol=1e-6
    )


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("window", ["gaussian", "tricube"])
def test_the_height_of_the_target_does_not_matter_where_few_rows_are_near(p, degree, window):
    X, Q = (np.random.default_rng(k).normal(size=(60, p)) for k in (0, 1))
    method = LocalRegression(degree=degree, window=window, width="fixed", bandwidth=0.01)
    low, high = method.fit(X, X[:, 0]), method.fit(X, X[:, 0] + 1e6)
    np.testing.assert_allclose(high.predict(Q) - 1e6, low.predict(Q), atol=1e-7)
    at = np.repeat(Q[:1], 2, axis=0)
    np.testing.assert_allclose(high.local_model(Q[:1], at), high.predict(at), rtol=1e-9)


def test_narrower_windows_than_those_of_single_rows_are_not_looked_at(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 6))
    looks, at_own = [], Smoother.at_own
    monkeypatch.setattr(Smoother, "at_own", lambda self, y: looks.append(0) or at_own(self, y))
    fit = LocalRegression().fit(X, X[:, 0])
    alone = fit.tried_df == 40
    assert 1 < alone.sum() == TRIED - len(looks) + 2  # the first such one, and the fit itself
    np.testing.assert_allclose(fit.tried_errors[alone], X[:, 0].var())
    assert (fit.tried_df[~alone] < 40).all()


def test_a_curve_through_all_its_rows_says_that_it_knows_no_error():
    """A plane through three rows, and through five in eight columns, leaves nothing."""
    rng = np.random.default_rng(4)
    for n, p in ((3, 2), (5, 8)):
        fit = LocalRegression(width="fixed").fit(rng.normal(size=(n, p)), rng.normal(size=n))
        assert fit.noise == 0 and "no degrees of freedom" in fit.notes[0]
    usual = LocalRegression().fit(rng.normal(size=(20, 1)), rng.normal(size=20))
    assert usual.noise > 0 and not usual.notes
