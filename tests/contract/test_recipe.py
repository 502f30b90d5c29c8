"""The worked example of docs/adding-a-method.md keeps every promise that it speaks of."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.contract import test_components, test_methods, test_verbs
from tests.contract.subjects import Subject

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-method.md"
# These ask the index, in which the example is not entered.
BY_INDEX = ("card_matches_the_index", "defaults_survive", "tries_build", "unknown_settings")


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory):
    """The class that the page makes."""
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    path = tmp_path_factory.mktemp("recipe") / "nearest_mean.py"
    path.write_text(code.group(1), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("nearest_mean", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["nearest_mean"] = module  # fits are found there when they come back from a worker
    spec.loader.exec_module(module)
    yield Subject("classification", "nearest_mean", module.NearestMean)
    del sys.modules["nearest_mean"]


CHECKS = [
    *(c for c in test_components.CHECKS if not c.__name__.startswith(BY_INDEX)),
    *test_methods.CHECKS,
    *test_verbs.CHECKS,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_recipe(check, subject):
    rule = getattr(check, "wanted", None)
    if rule is None or rule(subject):
        check(subject)
