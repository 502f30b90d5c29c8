"""The pictures of kernels and support vector machines: their numbers, marks and words."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from figures.numbers.grams import MOST_ROWS, gram_of
from figures.numbers.recordings import recording_of
from figures.numbers.supports import AT_BOUND, ON_MARGIN, supports_of
from figures.view import views
from figures.views.kernels import (
    evidence_surface,
    gram_heatmap,
    gram_spectrum,
    latent_evidence,
    latent_map,
    margin_lines,
    nu_curve,
    nu_shares,
)
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.data.generators.classes.moons import Moons
from mlcore.gaussian_process.approximations import FITC
from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.kernels.gram import gram
from mlcore.kernels.products import Linear, Sigmoid
from mlcore.kernels.rbf import RBF
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from mlcore.spine.wording import rough
from mlcore.svm.nu_svc import NuSVC
from mlcore.svm.nu_svr import NuSVR
from mlcore.svm.svc import SVC


@cache
def street(n=120, **settings):
    """Data, whole fit and steps of a run on two moons."""
    source = Moons(n_samples=n, noise=0.25)
    run = Run(data=TableData(source=source), preparation=("standardise",), method=SVC(**settings))
    whole, steps = recording(run)
    return run.data.dataset({}), whole, steps


def test_every_row_is_no_support_vector_on_a_margin_or_at_the_bound():
    data, whole, _ = street()
    found = supports_of(data, whole)
    f = whole.fit.decision(whole.prepared.transform(data.X)) * np.where(data.y == 1, 1, -1)
    assert (f[found.kind == 0] > 1 - 1e-6).all()
    np.testing.assert_allclose(f[found.kind == ON_MARGIN], 1, atol=1e-6)
    assert (f[found.kind == AT_BOUND] < 1 + 1e-6).all()
    assert set(np.flatnonzero(found.alpha)) == set(whole.fit.support)


def test_a_squared_loss_has_no_bound():
    data, whole, _ = street(loss="squared_hinge")
    assert set(supports_of(data, whole).kind) == {0, ON_MARGIN}
    drawn = views()["alpha_bars"].make(data, whole)
    assert "C =" not in str(drawn.figure.layout)


def test_lines_and_marks_of_a_street():
    data, whole, _ = street()
    drawn = views()["margin_lines"].make(data, whole)
    levels = [t.contours.start for t in drawn.figure.data if t.type == "contour"]
    assert levels == [0.0, 1.0, -1.0]
    s = drawn.numbers
    assert f"on margin ({(s.kind == ON_MARGIN).sum()})" in {t.name for t in drawn.figure.data}
    inside = int((np.abs(s.decision) < 1 - 1e-6).sum())
    assert f"{inside} rows stand in it" in drawn.reading
    cells = whole.fit.decision(s.shown.cells).reshape(s.shown.plane.shape)
    np.testing.assert_array_equal(s.values, cells)
    np.testing.assert_array_equal(s.regions.klass, cells > 0)


def test_several_classes_have_no_single_street():
    run = Run(data=TableData(source=Blobs(n_samples=60)), method=SVC())
    data = run.data.dataset({})
    s = margin_lines.numbers(data, recording(run)[0])
    assert s.values.size == 0
    assert s.decision.min() > 0
    assert "3 machines of two classes each" in margin_lines.reading(s)


def test_the_gram_matrix_is_ordered_by_class_and_summed_up():
    data, whole, _ = street()
    g = gram_heatmap.numbers(data, whole)
    assert (np.diff(g.gram.klass) >= 0).all()
    X = whole.prepared.transform(data.X)
    np.testing.assert_allclose(g.gram.K, gram(whole.fit.kernel, X[g.gram.at]), atol=1e-12)
    K, own = gram(whole.fit.kernel, X), data.y == 0
    within = K[np.ix_(own, own)]
    n = own.sum()
    np.testing.assert_allclose(g.means[0, 0], (within.sum() - np.trace(within)) / (n * (n - 1)))
    np.testing.assert_allclose(g.means[0, 1], K[np.ix_(own, ~own)].mean())


@pytest.mark.parametrize(
    ("gamma", "says"),
    [(1000.0, "the kernel is narrow"), (1e-4, "the kernel is wide"), (0.5, "Rows of one class")],
)
def test_the_reading_of_a_gram_matrix_judges_the_width(gamma, says):
    data, whole, _ = street(kernel=RBF(gamma=gamma))
    assert says in views()["gram_heatmap"].make(data, whole).reading


def test_many_rows_are_thinned_and_the_note_says_so():
    data, whole, _ = street(n=600)
    g = gram_of(data, whole)
    assert len(g.K) == MOST_ROWS
    assert f"{MOST_ROWS} of 600 rows" in views()["gram_heatmap"].make(data, whole).note


def test_eigenvalues_tell_a_kernel_from_what_is_none():
    data, whole, _ = street()
    s = gram_spectrum.numbers(data, whole)
    assert s.negative == 0
    assert "valid" in gram_spectrum.reading(s)
    np.testing.assert_allclose(s.values.sum(), data.n)  # the trace of a Gaussian Gram matrix
    data, whole, _ = street(kernel=Sigmoid(gamma=1.0, coef0=-1.0))
    s = gram_spectrum.numbers(data, whole)
    assert s.negative > 0
    assert "not a valid kernel" in gram_spectrum.reading(s)


def test_the_player_raises_bars_pair_by_pair():
    data, whole, steps = street()
    drawn = views()["alpha_bars"].make(data, whole)
    r = recording_of(drawn, whole, steps, data)
    bars = next(i for i, t in enumerate(drawn.figure.data) if t.uid == "bars")
    heights = np.array([frame[bars]["y"] for frame in r.frames])
    np.testing.assert_allclose(heights[-1], drawn.figure.data[bars].y, atol=1e-12)
    assert (heights[0] > 0).sum() <= 2
    assert np.diff(r.objective).min() > -1e-9
    assert "Rows" in r.sentences[0]


def test_shares_of_a_machine_lie_about_nu():
    source = Blobs(n_samples=60)
    run = Run(data=TableData(source=source), preparation=("standardise",), method=NuSVC(nu=0.2))
    data = run.data.dataset({})
    s = nu_shares.numbers(data, carried_out(run).whole)
    assert len(s.names) == len(s.beyond) == 3
    assert s.beyond.max() <= 0.2 <= s.supported.min()
    assert s.names[0] == f"{data.classes[1]} | {data.classes[0]}"
    assert "Nu = 0.200 lies between two shares" in nu_shares.reading(s)
    assert "Its machines are those of support vector classifiers with C from " in nu_shares.reading(
        s
    )


def test_the_c_that_is_told_is_that_of_the_same_classifier():
    source = Moons(n_samples=60, noise=0.25)
    run = Run(data=TableData(source=source), method=NuSVC(nu=0.3, tol=1e-8))
    data, whole = run.data.dataset({}), carried_out(run).whole
    s = nu_shares.numbers(data, whole)
    assert s.strengths is not None
    c = float(s.strengths[0])
    assert f"The support vector classifier with C = {rough(c)} is the same." in nu_shares.reading(s)
    assert nu_shares.table(s)[-1].values is s.strengths
    X, y = whole.prepared.X, whole.prepared.y
    same = SVC(C=c, kernel=whole.fit.kernel, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(same.decision(X), whole.fit.decision(X), atol=1e-4)


def test_the_epsilon_that_is_told_is_that_of_the_tube():
    run = Run(data="diabetes", method=NuSVR(nu=0.3, C=100.0))
    data, whole = run.data.dataset({}), carried_out(run).whole
    told = f"Support vector regression with epsilon {rough(whole.fit.epsilon)} has the same tube."
    assert told in nu_shares.reading(nu_shares.numbers(data, whole))


def test_shares_along_nu_never_cross_it():
    source = Moons(n_samples=120, noise=0.25)
    run = Run(data=TableData(source=source), preparation=("standardise",), method=NuSVC(nu=0.2))
    data, whole = run.data.dataset({}), carried_out(run).whole
    c = nu_curve.numbers(data, whole)
    known = np.isfinite(c.path.beyond)
    nus, beyond, supported = (values[known] for values in c.path[:3])
    assert known.sum() > 10
    assert (beyond <= nus).all() and (supported >= nus).all()
    again = replace(whole.fit.made_by, nu=nus[4]).fit(whole.prepared.X, whole.prepared.y)
    assert (again.beyond[0], again.supported[0]) == (beyond[4], supported[4])
    assert "at most that share of the rows is beyond the margin" in nu_curve.reading(c)


def test_a_nu_without_a_margin_has_no_share():
    source = Moons(n_samples=120, noise=0.25)
    method = NuSVC(nu=0.8, kernel=Linear())
    run = Run(data=TableData(source=source), preparation=("standardise",), method=method)
    c = nu_curve.numbers(run.data.dataset({}), carried_out(run).whole)
    assert np.isnan(c.path.beyond[0]) and c.path.fewest > 0.05
    assert f"least of them that leaves a margin is {c.path.fewest:.3f}" in nu_curve.reading(c)


def test_the_evidence_is_drawn_about_where_learning_ended():
    run = Run(data=TableData(source=Blobs(n_samples=40, centers=2)), method=GPClassifier())
    data, whole = run.data.dataset({}), carried_out(run).whole
    c = latent_evidence.numbers(data, whole)
    middle = len(c.values[0]) // 2
    assert c.values[0, middle] == pytest.approx(c.at[0])
    assert c.evidence[0, middle] == pytest.approx(whole.fit.log_evidence, abs=1e-6)
    flat = c._replace(evidence=np.full_like(c.evidence, -20.0), reached=np.full(1, -20.0))
    assert "no slope to follow" in latent_evidence.reading(flat)
    assert "no slope to follow" not in latent_evidence.reading(c)
    m = latent_map.numbers(data, whole)
    assert m.name == data.classes[1]
    assert ((m.at_rows > 0) == (whole.fit.predict(data.X) == 1)).all()
    assert "error" not in latent_map.reading(m)
    sampled = replace(whole, fit=GPClassifier(average="monte_carlo").fit(data.X, data.y))
    m = latent_map.numbers(data, sampled)
    assert f"by {rough(m.error.max())} at most" in latent_map.reading(m)
    assert latent_map.table(m)[-1].values is m.error


@pytest.mark.parametrize("learn", ["evidence", "loo"])
@pytest.mark.parametrize("approximation", ["exact", "fitc"])
def test_the_surface_of_what_settings_are_learned_by_has_its_peak_there(learn, approximation):
    x = np.linspace(-3, 3, 40)[:, None]
    y = np.sin(2 * x[:, 0]) + 0.2 * np.random.default_rng(0).normal(size=40)
    part = FITC(n_inducing=9) if approximation == "fitc" else approximation
    fit = GPRegressor(kernel=RBF(), learn=learn, approximation=part).fit(x, y)
    whole: Any = SimpleNamespace(fit=fit)
    s = evidence_surface.numbers(whole)
    for places, cell, here in zip((s.noises, s.values), s.peak, s.at[::-1], strict=True):
        assert abs(np.log(places[cell] / here)) <= np.log(places[1] / places[0])
    assert s.reached - 1.0 < np.nanmax(s.height) < s.reached + 1e-3
    assert s.criterion in evidence_surface.reading(s)
    if learn == "evidence":
        assert s.reached == pytest.approx(fit.log_evidence)


def test_of_settings_that_were_given_the_surface_shows_how_far_they_are_from_learned():
    x = np.linspace(-3, 3, 40)[:, None]
    y = np.sin(2 * x[:, 0]) + 0.2 * np.random.default_rng(0).normal(size=40)
    fit = GPRegressor(kernel=RBF(gamma=0.1), learn="none").fit(x, y)
    whole: Any = SimpleNamespace(fit=fit)
    s = evidence_surface.numbers(whole)
    assert s.at == (0.1, fit.noise)
    assert s.reached == pytest.approx(fit.log_evidence)
    assert [trace.name for trace in evidence_surface.draw(s).data][-1] == "given"
    text = evidence_surface.reading(s)
    assert text.startswith("Given: ") and text.endswith("Nothing was learned: choose to.")
    flat = replace(fit, kernel=Linear())
    with pytest.raises(DataError, match="no setting that could be learned"):
        evidence_surface.numbers(SimpleNamespace(fit=flat))


def test_of_a_width_that_was_given_the_evidence_is_drawn_about_it():
    method = GPClassifier(kernel=RBF(gamma=100.0), learn="none")
    run = Run(data=TableData(source=Blobs(n_samples=40, centers=2)), method=method)
    data, whole = run.data.dataset({}), carried_out(run).whole
    c = latent_evidence.numbers(data, whole)
    assert c.at[0] == 100.0
    assert c.evidence[0, len(c.values[0]) // 2] == pytest.approx(c.reached[0], abs=1e-6)
    assert latent_evidence.draw(c).data[1].name == "given"
    text = latent_evidence.reading(c)
    assert text.startswith("Given: ") and "Nothing was learned: choose to." in text


def test_a_surface_that_is_nearly_all_alike_is_drawn_nearer():
    x = np.linspace(-3, 3, 300)[:, None]
    y = np.sin(2 * x[:, 0]) + 0.2 * np.random.default_rng(0).normal(size=300)
    part = FITC(n_inducing=9)
    fit = GPRegressor(kernel=RBF(), approximation=part).fit(x, y)
    whole: Any = SimpleNamespace(fit=fit)
    s = evidence_surface.numbers(whole)
    tells = s.height > s.height.max() - evidence_surface.DEPTH
    assert tells.mean() > 0.2
    assert s.noises[0] < fit.noise < s.noises[-1] < 10 * s.noises[0]


def test_more_inducing_points_than_the_surface_can_try_are_told():
    fit = SimpleNamespace(
        rows=np.zeros((2000, 1)), inducing=np.arange(60), learned=("gamma",), kernel=RBF(gamma=1.0)
    )
    whole: Any = SimpleNamespace(fit=fit)
    with pytest.raises(DataError, match="for at most 50 inducing points; these are 60"):
        evidence_surface.numbers(whole)


def test_draws_have_their_own_trace_and_no_objective():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    modes = GPClassifier(learn="none").fit(X, y)
    draws = GPClassifier(learn="none", inference="mcmc", n_draws=30).fit(X, y)
    trace, objective = views()["chain_trace"], views()["objective_trace"]
    assert trace.allowed_by(draws) and not objective.allowed_by(draws)
    assert objective.allowed_by(modes) and not trace.allowed_by(modes)
