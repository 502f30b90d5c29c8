"""A number and its noun agree: sentences on limits count by `mlcore.spine.wording.count`."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from mlcore.classification.logistic import LogisticRegression
from mlcore.clustering.kmeans import KMeans
from mlcore.regression.generalised_linear import GeneralisedLinear
from mlcore.spine.iterate import verdict
from tests.architecture.reading import source

ROOT = Path(__file__).parents[2]
NOUNS = "iteration|epoch|step|pass|round|sweep|episode|move|pair|update"
# A number told without its count, as in "after {limit} iterations": wrong where it is 1.
BARE = re.compile(rf"after \{{[a-z_.]+\}} (?:{NOUNS})e?s\b")
# A share in a sentence, as in "in about 5% of studies"; formats and styles are none.
CLOSE = re.compile(r"[\w,] \(?\**\d+%(?!\w)")


def bare(code: str) -> list[str]:
    """Plurals in a program that stand behind a number whatever it is."""
    return BARE.findall(code)


@pytest.mark.parametrize("folder", ["mlcore", "figures", "service", "ui", "pages"])
def test_no_limit_is_told_in_the_plural_whatever_it_is(folder):
    files = (ROOT / folder).rglob("*.py")
    found = [str(file) for file in files if bare(source(file))]
    assert not found, f"Say count(n, 'iteration') in {found}."


@pytest.mark.parametrize("folder", ["mlcore", "figures", "service", "ui", "pages"])
def test_a_share_stands_apart_from_its_sign(folder):
    files = (ROOT / folder).rglob("*.py")
    found = [f"{file.name}: {each}" for file in files for each in CLOSE.findall(source(file))]
    assert not found, f"Write 5 % for 5%, as mlcore.spine.wording.percent does: {found}."


def test_the_rule_sees_a_share():
    assert CLOSE.search('"an interval (95% of all)"')
    assert not CLOSE.search('tickformat=".0%"') and not CLOSE.search('"95 % of all"')


def test_the_rule_sees_a_plural():
    assert bare('f"Not converged after {limit} iterations."')
    assert not bare("f\"Not converged after {count(limit, 'iteration')}.\"")


@pytest.mark.parametrize(("limit", "text"), [(1, "1 iteration:"), (2000, "2,000 iterations:")])
def test_the_verdict_counts(limit, text):
    stop = verdict(limit - 1, 1.0, tol=0.0, max_iter=limit, what="the change")
    assert stop is not None and f"Not converged after {text}" in stop.why


@pytest.mark.parametrize("method", [KMeans(max_iter=1, n_init=1), LogisticRegression(max_iter=1),
                                    GeneralisedLinear(max_iter=1)])  # fmt: skip
def test_methods_of_one_iteration_say_so(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(float)
    fit = method.fit(X) if isinstance(method, KMeans) else method.fit(X, y)
    assert "1 iterations" not in fit.stop.why
