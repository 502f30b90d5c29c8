"""Every fit has bits to tell: the same twice and behind a worker, others for other rows."""

from __future__ import annotations

import pickle

import pytest

from mlcore.runs.fingerprint import sha256
from tests.contract.subjects import Subject, fitted, given_to, methods


@pytest.mark.parametrize("subject", methods(), ids=str)
def test_a_fit_is_told_by_its_bits(subject: Subject):
    method, g = subject.cls(), given_to(subject.cls)
    fit = fitted(method)
    again = method.fit(g.X, g.y, columns=g.columns, seed=1)
    assert sha256(fit) == sha256(again) == sha256(pickle.loads(pickle.dumps(fit)))
    target = None if g.y is None else g.y[:-5]
    other = method.fit(g.X[:-5], target, columns=g.columns, seed=1)
    assert sha256(fit) != sha256(other)
