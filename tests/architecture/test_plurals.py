"""A number and its noun agree: sentences on limits count by `mlcore.spine.wording.count`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mlcore.classification.logistic import LogisticRegression
from mlcore.clustering.kmeans import KMeans
from mlcore.regression.generalised_linear import GeneralisedLinear
from mlcore.spine.iterate import verdict
from tests.architecture.reading import nodes, source

ROOT = Path(__file__).parents[2]
NOUNS = "iteration|epoch|step|pass|round|sweep|episode|move|pair|update"
# A number told without its count, as in "after {limit} iterations": wrong where it is 1.
BARE = re.compile(rf"after \{{[a-z_.]+\}} (?:{NOUNS})e?s\b")
# A share in a sentence, as in "in about 5% of studies"; formats and styles are none.
CLOSE = re.compile(r"[\w,] \(?\**\d+%(?!\w)")

# What stands before a count that is the subject of its clause, and a verb of many behind it.
SUBJECT = re.compile(r"(?:^|[.;:,]|\bThe)\s*$")
OF_MANY = re.compile(r"^[^.,;:()]*?(?<!would )\b(?:are|were|do|have|leave|lie)\b")


def bare(code: str) -> list[str]:
    """Plurals in a program that stand behind a number whatever it is."""
    return BARE.findall(code)


def disagreeing(code: str) -> Iterator[str]:
    """Verbs of many behind a count that may be one, with what stands between."""
    for text in (node for node in nodes(code) if isinstance(node, ast.JoinedStr)):
        for before, it, after in zip([None, *text.values], text.values, text.values[1:]):
            is_subject = before is None or SUBJECT.search(str(getattr(before, "value", "of")))
            if is_subject and _is_count(it) and OF_MANY.search(str(getattr(after, "value", ""))):
                yield str(getattr(after, "value", ""))


def _is_count(part: ast.expr) -> bool:
    call = part.value if isinstance(part, ast.FormattedValue) else None
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") == "count"


@pytest.mark.parametrize("folder", ["mlcore", "figures", "service", "ui", "pages"])
def test_a_verb_agrees_with_its_count(folder):
    files = (ROOT / folder).rglob("*.py")
    found = [f"{file.name}:{each}" for file in files for each in disagreeing(source(file))]
    assert not found, f"Say plural(n, 'is', 'are') in {found}."


def test_the_rule_sees_a_verb():
    assert list(disagreeing("""f"It ends. {count(n, 'row')} of them are left out.\""""))
    assert not list(disagreeing("""f"{k} of {count(n, 'row')} are left out.\""""))
    assert not list(disagreeing("""f"{count(n, 'row')} {plural(n, 'is', 'are')} left out.\""""))


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
