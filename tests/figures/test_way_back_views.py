"""What maps give back, and sources: numbers by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from figures.view import views_where
from figures.views.reduction import kept_of_columns, rebuilt_images, sources_panel
from mlcore.data.dataset import TableData
from mlcore.data.generators.densities.mixed_sources import MixedSources
from mlcore.data.generators.pictures.glyphs import Glyphs
from mlcore.reduction.fast_ica import FastICA
from mlcore.reduction.nmf import NMF
from mlcore.reduction.pca import PCA
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run

CHAIN = ("impute", "one_hot", "standardise")


def outcome(method: Any, data: Any, steps: tuple[str, ...] = CHAIN) -> tuple[Any, Any]:
    run = Run(data=data, preparation=steps, method=method)
    return carried_out(run).whole, run.data.dataset({})


def test_what_is_kept_is_the_communality():
    whole, dataset = outcome(PCA(n_components=2), "iris")
    k = kept_of_columns.numbers(dataset, whole)
    # Of standardised columns: the summed squares of their correlations with the components.
    X = whole.prepared.transform(dataset.X)
    scores = whole.fit.transform(X)
    r = np.corrcoef(np.column_stack([X, scores]), rowvar=False)[:4, 4:]
    known = dict(zip([c.name for c in whole.prepared.columns], (r**2).sum(axis=1), strict=True))
    np.testing.assert_allclose(k.shares, [known[name] for name in k.names])
    assert (np.diff(k.shares) <= 0).all()
    assert k.total == pytest.approx(whole.fit.shares.sum())
    assert f"least of {k.names[-1]}" in kept_of_columns.reading(k)


def test_all_axes_keep_all():
    whole, dataset = outcome(PCA(), "iris")
    np.testing.assert_allclose(kept_of_columns.numbers(dataset, whole).shares, 1)


def test_images_come_back_in_their_own_shades():
    data = TableData(source=Glyphs(n_samples=40, height=8, width=7))
    whole, dataset = outcome(NMF(n_components=3), data, ("standardise",))
    assert "rebuilt_images" in views_where(dataset, whole)
    p = rebuilt_images.numbers(dataset, whole)
    pixels = [np.array(line).reshape(len(line), -1) for line in p.images]
    at = [int(np.flatnonzero(dataset.rows == row)[0]) for row in p.rows]
    np.testing.assert_allclose(np.sort(pixels[0]), np.sort(dataset.X[at]), atol=1e-9)
    np.testing.assert_allclose(pixels[2], np.abs(pixels[0] - pixels[1]))
    assert pixels[2].max() > 0
    assert "is rebuilt" in rebuilt_images.reading(p)
    whole, dataset = outcome(PCA(n_components=1), "iris")
    assert "rebuilt_images" not in views_where(dataset, whole)


def test_sources_have_variance_one_and_their_rows():
    data = TableData(source=MixedSources())
    whole, dataset = outcome(FastICA(), data)
    s = sources_panel.numbers(dataset, whole)
    np.testing.assert_allclose(s.values.std(axis=0), 1, rtol=1e-6)
    figure: Any = sources_panel.draw(s)
    assert len(figure.data) == 3 * len(s.names)
    bars = figure.data[1]
    assert (np.asarray(bars.y) * np.asarray(bars.width)).sum() == pytest.approx(1)
    assert "farther from normal" in sources_panel.reading(s)
    normal = s._replace(is_normal=np.array([False, True]))
    assert "is no farther from normal than chance" in sources_panel.reading(normal)
