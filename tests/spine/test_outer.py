"""Fits around other fits can do what those can, exactly, and come back from anywhere so."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from mlcore.classification.active_learning import ActiveFit
from mlcore.preparation.some_columns import SomeColumnsFit
from mlcore.spine.asking import can, promises
from mlcore.spine.capabilities import GivesDecision, GivesProbabilities, Inverts
from mlcore.spine.capabilities_of_members import HasImportances
from mlcore.spine.packing import Packing, Unpacking
from mlcore.spine.registry import lookup

RNG = np.random.default_rng(3)
X, SIDE = RNG.normal(size=(40, 3)), np.arange(40) % 2
X[:, 0] += 3.0 * SIDE
PASSED = {
    "classification": (GivesDecision, GivesProbabilities),
    "regression": (HasImportances,),
    "preparation": (Inverts,),
}
CASES = [
    ("classification", "active_learning", "estimator", "logistic", {"budget": 2}),
    ("classification", "active_learning", "estimator", "svc", {"budget": 2, "query": "random"}),
    ("classification", "active_learning", "estimator", "decision_tree", {"budget": 2}),
    ("classification", "active_learning", "estimator", "multiclass", {"budget": 2}),
    ("regression", "scaled_target", "regressor", "ridge", {}),
    ("regression", "scaled_target", "regressor", "regression_tree", {}),
    ("preparation", "some_columns", "step", "standardise", {}),
    ("preparation", "reduce", "method", "pca", {}),
    ("preparation", "reduce", "method", "lda", {}),
    ("preparation", "some_columns", "step", "discretizer", {}),
]


def fitted(slot, name, part, inner, more):
    within = "reduction" if name == "reduce" else slot
    method = lookup(slot, name)(**{part: lookup(within, inner)(), **more})
    y = {"classification": SIDE, "regression": X[:, 0] * 10}.get(slot, SIDE)
    return method.fit(X, y, seed=1)


# What a process that never made the class finds that a fit can do, and the fit as it comes back.
ABROAD = """
import pickle, sys
fit = pickle.load(sys.stdin.buffer)
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesDecision, GivesProbabilities
found = [can(fit, each) for each in (GivesDecision, GivesProbabilities)]
sys.stdout.buffer.write(str(found).encode() + b"\\n" + pickle.dumps(fit))
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[3]}")
def test_it_can_what_the_fit_inside_can(case):
    fit = fitted(*case)
    inner = getattr(fit.made_by, case[2])
    for each in PASSED[case[0]]:
        assert isinstance(fit, each) == can(fit, each) == can(fit.inner, each), each
        assert promises(fit.made_by, each) == promises(inner, each)


def test_one_class_for_one_set_of_capabilities():
    logistic, svc, tree = (fitted(*CASES[k]) for k in range(3))
    assert type(fitted(*CASES[0])) is type(logistic) is logistic.made_by.fit_class()
    assert len({type(logistic), type(svc), type(tree), ActiveFit}) == 4
    for fit in (logistic, svc, tree):
        assert isinstance(fit, ActiveFit)
        assert (type(fit).__name__, type(fit).__module__) == ("ActiveFit", ActiveFit.__module__)
        assert type(fit).__doc__ == ActiveFit.__doc__
    assert not hasattr(ActiveFit, "decision"), "it says for itself what it can do"
    assert type(fitted(*CASES[-1])) is SomeColumnsFit


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[3]}")
def test_it_comes_back_as_it_was(case):
    fit = fitted(*case)
    packing = Packing()
    said = packing.plain(fit)
    every = [pickle.loads(pickle.dumps(fit)), copy.deepcopy(fit), replace(fit)]
    for back in (*every, Unpacking(packing.arrays).value(said)):
        assert type(back) is type(fit)
        assert not back.__dict__.keys() ^ fit.__dict__.keys()
        verb = "transform" if case[0] == "preparation" else "predict"
        np.testing.assert_array_equal(getattr(back, verb)(X), getattr(fit, verb)(X))
    with pytest.raises(AttributeError):
        fit.inner = None
    assert case[1] in str(said), "the method, and no class"
    assert "Fit" not in str(said)


def test_a_process_that_never_made_the_class_can_hold_it():
    fit = fitted(*CASES[0])
    told = subprocess.run(
        [sys.executable, "-c", ABROAD], input=pickle.dumps(fit), capture_output=True, check=True
    )
    found, bits = told.stdout.split(b"\n", 1)
    back = pickle.loads(bits)
    assert found.decode() == str([can(fit, each) for each in (GivesDecision, GivesProbabilities)])
    assert type(back) is type(fit)
    assert not back.order.flags.writeable
