"""What is asked of fits: capabilities have names, members and meanings; None is not there."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, Protocol

import numpy as np
import pytest

from mlcore.classification import capabilities as of_classifiers
from mlcore.classification.lda import LDA
from mlcore.classification.multiclass import Multiclass
from mlcore.decisions import capabilities as of_agents
from mlcore.ensembles import capabilities as of_ensembles
from mlcore.ensembles.capabilities import HasTrees
from mlcore.preparation import capabilities as of_steps
from mlcore.reduction import capabilities as of_maps
from mlcore.regression import capabilities as of_regressions
from mlcore.sequences import capabilities as of_sequences
from mlcore.spine import capabilities as of_fits
from mlcore.spine.asking import any_of, can, capabilities_of, members, promises
from mlcore.spine.capabilities import GivesProbabilities, HasClasses, Iterates, Predicts, Transforms
from mlcore.spine.capabilities_of_members import HasCodeMatrix, HasTree
from mlcore.svm import capabilities as of_machines

PLACES = (
    of_fits, of_steps, of_agents, of_machines, of_regressions, of_ensembles, of_sequences,
    of_classifiers, of_maps,
)  # fmt: skip
EVERY = [
    it
    for module in PLACES
    for it in vars(module).values()
    if isinstance(it, type) and it.__module__ == module.__name__ and Protocol in it.__mro__
]


@dataclass
class Held:
    tree: Any = None
    trees: Any = None


def test_what_is_none_is_not_there():
    assert can(Held(tree=1), HasTree)
    assert isinstance(Held(), HasTree), "which is why `can` is asked"
    assert not can(Held(), HasTree)


def test_all_of_several_or_any_of_them():
    one = Held(tree=1)
    assert not can(one, HasTree, HasTrees)
    assert can(one, any_of(HasTree, HasTrees))
    assert can(one, HasTree, any_of(HasTrees, HasTree))
    assert not can(Held(), any_of(HasTree, HasTrees))
    assert can(Held()), "who asks for nothing gets everything"


def test_members_of_a_capability_are_its_own_and_those_that_it_is_made_of():
    assert members(HasCodeMatrix) == {"classes", "code", "members", "scores"}
    assert members(Transforms) == {"transform", "out_columns"}


def test_a_method_promises_what_its_fits_have():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    for method in (LDA(), Multiclass(estimator=LDA())):
        fit = method.fit(X, y)
        for it in (Predicts, HasClasses, GivesProbabilities, Transforms, HasTree):
            assert promises(method, it) == can(fit, it), it
    assert can(Multiclass(), Iterates)
    assert not can(LDA(), Iterates)
    assert "Iterates" in capabilities_of(Multiclass())


@pytest.mark.parametrize("capability", EVERY, ids=lambda it: it.__name__)
def test_a_capability_says_what_each_of_its_members_is(capability):
    said = cleandoc(capability.__doc__)
    own = {*vars(capability), *vars(capability).get("__annotations__", ())} & members(capability)
    assert own
    missing = {name for name in own if f"`{name}" not in said}
    assert missing <= {"out_columns", "mean", "score"}, missing
