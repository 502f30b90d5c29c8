"""Pictures of maps with a model behind them: sources, canonical pairs, factors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from figures.views.reduction import (
    contrast_scan,
    discriminant_scatter,
    factor_number,
    factor_posterior,
    shrinkage_path,
)
from mlcore.data.dataset import TableData
from mlcore.data.generators.densities.two_view_pairs import TwoViewPairs
from mlcore.reduction.cca import CCA
from mlcore.reduction.fast_ica import FastICA
from mlcore.reduction.probabilistic_pca import ProbabilisticPCA
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

AS_THEY_ARE = {"preparation": ("impute", "one_hot"), "evaluation": "hold_out"}


def whole_of(method: Any, X: np.ndarray) -> Any:
    return SimpleNamespace(fit=method.fit(X), prepared=SimpleNamespace(X=X))


def outcome(method: Any, data: Any = "iris", **more: Any) -> tuple[Any, Any]:
    run = Run(data=data, method=method, **(AS_THEY_ARE | more))
    return run.data.dataset({}), carried_out(run)


def test_sources_stand_on_the_peaks_and_normal_rows_have_none():
    rng = np.random.default_rng(0)
    S = np.column_stack([rng.uniform(-1, 1, 4000), rng.laplace(size=4000)])
    c = contrast_scan.numbers(whole_of(FastICA(), S @ [[1.0, 2.0], [-1.0, 1.0]]))
    np.testing.assert_allclose(c.contrasts[0], c.contrasts[-1])  # half a turn is the same line
    tops = contrast_scan.peaks(c)
    assert len(tops) == 2
    np.testing.assert_allclose(tops % 90 % 88, 0, atol=2)
    assert "both sources stand" in contrast_scan.reading(c)
    normal = contrast_scan.numbers(whole_of(FastICA(), rng.normal(size=(4000, 2))))
    assert not len(contrast_scan.peaks(normal))
    assert "any rotation" in contrast_scan.reading(normal)


def test_one_source_turns_nowhere():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(DataError, match="single source"):
        contrast_scan.numbers(whole_of(FastICA(n_components=1), X))
    assert contrast_scan.numbers(whole_of(FastICA(), X), 2, 2).names == ("IC3", "IC1")


def test_shrinkage_helps_rows_left_out_where_columns_are_many():
    data = TableData(source=TwoViewPairs(noise=8, n_samples=40))
    second = tuple(f"b{k}" for k in range(1, 9))
    dataset, result = outcome(CCA(second=second), data)
    p = shrinkage_path.numbers(dataset, result)
    np.testing.assert_allclose(p.fitted[0], result.whole.fit.correlations[:3])
    assert p.angles[0] == pytest.approx(0, abs=1e-4)
    assert (np.diff(p.fitted[:, 0]) < 1e-6).all()  # what is not made large alone falls
    own = CCA(second=second, gamma_first=1.0, gamma_second=1.0)
    single = own.fit(result.whole.prepared.X, columns=result.whole.prepared.columns)
    np.testing.assert_allclose(p.fitted[-1], single.correlations[:3])
    assert "In rows left out" in shrinkage_path.reading(p)
    marks = {t.name.partition(", ")[2]: t.marker.symbol for t in shrinkage_path.draw(p).data}
    assert marks == {"fitted rows": "circle", "rows left out": "circle-open"}


def test_the_criteria_are_those_of_a_fit_with_as_many_factors():
    dataset, result = outcome(ProbabilisticPCA(n_components=1), "wine")
    f = factor_number.numbers(dataset, result)
    X, n = result.whole.prepared.X, dataset.n
    two = ProbabilisticPCA(n_components=2).fit(X)
    np.testing.assert_allclose(f.costs[:2, 1] * n, [two.aic, two.bic])
    (fold,) = result.done
    judged = result.whole.fit.with_factors(3).fit(dataset.X[fold.train])
    left_out = -2 * judged.log_density(dataset.X[fold.test]).mean()
    np.testing.assert_allclose(f.costs[2, 2], left_out)
    assert f.best.tolist() == (f.costs.argmin(axis=1) + 1).tolist()
    assert "The fit has 1." in factor_number.reading(f)


def test_rows_left_out_are_not_asked_where_that_takes_too_long(monkeypatch):
    dataset, result = outcome(ProbabilisticPCA(n_components=1), "wine")
    methods = [result.whole.fit.with_factors(q) for q in range(1, 13)]
    once = factor_number._seconds(methods, result.whole.prepared.X)
    monkeypatch.setattr(factor_number, "MOST_SECONDS", 1.5 * once)
    drawn = factor_number.factor_number(dataset, result)
    assert "12 fits more would take too long" in drawn.reading
    assert drawn.note == "a fit to all rows each"
    assert [trace.name for trace in drawn.figure.data] == ["AIC", "BIC"]


def test_half_of_the_posterior_lies_within_the_outline():
    dataset, result = outcome(ProbabilisticPCA())
    p = factor_posterior.numbers(dataset, result.whole)
    covariance = result.whole.fit.posterior(dataset.X[:1]).covariance
    drawn = np.random.default_rng(0).multivariate_normal([0, 0], covariance, 20_000)
    inverse = np.linalg.inv(covariance)
    level = np.einsum("ij,jk,ik->i", p.outline, inverse, p.outline)
    np.testing.assert_allclose(level, level[0])
    inside = np.einsum("ij,jk,ik->i", drawn, inverse, drawn) <= level[0]
    assert inside.mean() == pytest.approx(0.5, abs=0.02)
    single = factor_posterior._outline(np.diag([covariance[0, 0], 0.0]), is_plane=False)
    assert (np.abs(drawn[:, 0]) <= single[1, 0]).mean() == pytest.approx(0.5, abs=0.02)


def test_two_classes_on_one_axis_are_cut_by_each_rule():
    run = Run(data="breast_cancer", method=lookup("reduction", "fisher")(), **AS_THEY_ARE)
    dataset, whole = run.data.dataset({}), carried_out(run).whole
    d = discriminant_scatter.numbers(dataset, whole, cut="least_error")
    low, high = sorted((d.embedding.cloud.x[dataset.y == k] for k in (0, 1)), key=np.mean)
    assert d.cuts["midpoint"].at == pytest.approx((low.mean() + high.mean()) / 2)
    assert d.cuts["least_error"].error == min(cut.error for cut in d.cuts.values()) < 0.04
    drawn: Any = discriminant_scatter.draw(d)
    (line,) = drawn.layout.shapes
    assert line.x0 == d.cuts["least_error"].at
    assert "fewest errors" in discriminant_scatter.reading(d)
    assert not discriminant_scatter.numbers(*_of_three()).cuts


def _of_three() -> tuple[Any, Any]:
    dataset, result = outcome(lookup("reduction", "fisher")())
    return dataset, result.whole
