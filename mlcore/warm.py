"""Compiling ahead: every method is fitted once to a tiny table, so that no user waits for it."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, cast

import numpy as np

from mlcore.basis.monomials import Polynomial
from mlcore.classification.logistic import LogisticRegression
from mlcore.clustering.agglomerative import Agglomerative
from mlcore.clustering.dbscan import DBSCAN
from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.hierarchy.linkages import Complete
from mlcore.clustering.hierarchy.merge_starts import KMeansGroups
from mlcore.clustering.kmeans import KMeans
from mlcore.data.leaks import interval_accuracies
from mlcore.decisions.capabilities import HasUpperMeans
from mlcore.decisions.continuous.features import TileCoding
from mlcore.decisions.continuous.mountain_car import MountainCar
from mlcore.distances.neighbours import Neighbours
from mlcore.distances.sequences import edit_distances
from mlcore.ensembles.boosting import SHARED
from mlcore.ensembles.gradient_boosting_regression import GradientBoostingRegression
from mlcore.evaluation.explaining.shapley_of_sums import shapley_by_path, shapley_trees
from mlcore.evaluation.map_neighbours import neighbours_kept
from mlcore.kernels.products import Linear
from mlcore.optimisation import thin
from mlcore.optimisation.lbfgs import LBFGS
from mlcore.reduction.mds import MDS
from mlcore.reduction.mds_nonmetric import Nonmetric
from mlcore.regression.families import PoissonFamily
from mlcore.regression.generalised_linear import GeneralisedLinear
from mlcore.regression.lars import Lars
from mlcore.regression.local_regression import LocalRegression
from mlcore.sequences.recursions import forward_backward
from mlcore.spine import registry
from mlcore.spine.asking import can
from mlcore.spine.component import Component
from mlcore.spine.errors import MlcoreError
from mlcore.spine.iterate import last
from mlcore.spine.method import IterativeMethod, Method
from mlcore.spine.param_kinds import Number, Numbers, Param, Part, Parts, Sizes
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries
from mlcore.svm.smo import SMO
from mlcore.svm.svc import SVC
from mlcore.trees.criteria import impurity
from mlcore.trees.regression_tree import RegressionTree

PROCESSES = min(4, os.cpu_count() or 1)
THREADS = Path("/proc/self/task")  # those of this process, a folder each
COLLECTED = 20_000  # so many objects are made before the newest are looked through: not 700
# Parameters that only say how often the same loops are used, and how often is enough.
ROUNDS = ("max_epochs", "n_epochs", "n_estimators")
FEW = 5
VERBS = ("predict", "probabilities", "decision", "transform", "log_density", "usualness")


def warm() -> list[str]:
    """Carry out every method with each of its parts, in several processes that take a package of
    methods each; returns the kernels that none of them uses."""
    _make_ready()
    with ProcessPoolExecutor(PROCESSES, mp_context=_context(), initializer=_make_ready) as pool:
        used = set[str]().union(*pool.map(_used_by, _packages()))
    return [name for name in kernels() if name not in used]


def _context() -> BaseContext:
    """Copies of this process, which has imported everything, where that can be: a copy shares no
    threads, so there may be none but the first. Only Linux tells, and Windows knows no copies."""
    is_alone = THREADS.exists() and len(list(THREADS.iterdir())) == 1
    return multiprocessing.get_context("fork" if is_alone else "spawn")


def _make_ready() -> None:
    """Import everything, have the compiler read its own tables, and seldom look for what refers
    only to itself: a compiler makes many objects of which few do, and looking through all of them
    took a twelfth of the time."""
    registry.warm()
    impurity(np.ones(2))
    gc.freeze()
    gc.set_threshold(COLLECTED, 20, 50)


def _packages() -> list[str]:
    """The packages of the methods and agents, whose loops are compiled one package at a time, and
    what there is to do besides: short, so that no process waits long for the last."""
    classes = [cls for slot in ("method", "agent") for cls in entries(slot).values()]
    return [*dict.fromkeys(map(_package, classes)), *MORE]


def _package(cls: type[Component]) -> str:
    return cls.__module__.rpartition(".")[0]


def _used_by(package: str) -> list[str]:
    """Carry out the methods of a package; the kernels that were used in this process so far."""
    for method in _telling("method", package):
        for y in _targets(method):
            _carry_out(cast(Method, method), y)
    for agent in _telling("agent", package):
        _act(agent)
    if package in MORE:
        MORE[package]()
    return [name for name, kernel in kernels().items() if kernel.signatures]


def _telling(slot: str, package: str) -> Iterator[Component]:
    """The variants of a package's entries that may use other loops: a number chooses none."""
    for cls in entries(slot).values():
        if _package(cls) == package:
            yield from map(_shortened, variants(cls, numbers=False))


def _shortened(component: Component) -> Component:
    """The same with few rounds, where it goes any: more of them compile nothing more."""
    rounds = params_of(type(component)).keys() & set(ROUNDS)
    try:
        return replace(cast(Any, component), **dict.fromkeys(rounds, FEW))
    except MlcoreError:
        return component  # another setting asks for more


def _neighbours() -> None:
    for search in ("tree", "brute"):
        Neighbours(np.eye(16), 2.0, search).within(np.eye(16), 1.0)
    last(DBSCAN(eps=9.0).steps(_rows()))  # unlike its fit, which has a shorter way


def _shapley() -> None:
    tree, columns = RegressionTree().fit(_rows(), _rows()[:, 0]), np.arange(_rows().shape[1])
    shapley_trees(tree.as_sum.trees, _rows()[:1], _rows(), columns, 9)
    shapley_by_path(tree.as_sum.trees, _rows()[:1], columns, 9)


def _vector_machines() -> None:
    SVC(solver=SMO(working_set=4)).fit(_rows(), np.arange(24) % 2)
    SVC(kernel=Linear(), multiclass="crammer_singer").fit(_rows(), np.arange(24) % 3)


def _regressions() -> None:
    line = _rows()[:, :1]
    LocalRegression().fit(line, line[:, 0]).predict(line)
    left = np.array([[2.0, 1, 1], [0, 0, 0], [0, 0, 0], [2, 1, 2], [1, 1, 2], [2, 1, 1]])
    Lars().fit(left, np.array([2.0, 3, 1, 3, 2, 0]))  # a column goes out again


def _many_rows() -> None:
    """More than one thread takes, and more columns than L-BFGS takes a curvature of."""
    many = np.resize(_rows(), (SHARED // 3 + 1, 3))
    for rows in many, np.resize(_rows(), (24, 600)):
        LogisticRegression(solver=LBFGS()).fit(rows, np.arange(len(rows)) % 2)
    GeneralisedLinear(family=PoissonFamily()).fit(many, np.arange(len(many)) % 5)


def _boosting() -> None:
    many = np.resize(_rows(), (SHARED // 3 + 1, 3))
    GradientBoostingRegression(n_estimators=1).fit(many, many[:, 0])


def _clusters() -> None:
    KMeans(n_init=1).fit(np.resize(_rows(), (24, 91)))
    GaussianMixture(n_components=2, n_init=1).fit(_with_gaps())
    Agglomerative(linkage=Complete(), start=KMeansGroups(n_groups=4)).fit(_rows())


def _functions() -> None:
    edit_distances(("a", "b"))
    edit_distances(("a", "b"), insert=2.0)
    forward_backward(np.array([[0.0, -999], [-999, 0]]), np.ones(2) / 2, np.eye(2), np.array([2]))
    Polynomial().values(_rows(), _rows())
    for precision in np.float64, np.float32:
        thin.products(_rows(), _rows()[:, 0], np.zeros(3), precision=precision)
    interval_accuracies(np.eye(2), np.array([0, 1]), 2)
    neighbours_kept(_rows(), _rows())
    MDS(kind=Nonmetric()).fit(np.round(_rows()))


def _with_gaps() -> np.ndarray:
    """Rows of which some have missing values."""
    X = _rows()
    X[::4, 0] = np.nan
    return X


def kernels() -> dict[str, Any]:
    """Every compiled function that other modules may call, by its full name."""
    kernels = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("mlcore.") and name.endswith("._kernels"):
            own = {k: v for k, v in vars(module).items() if hasattr(v, "signatures")}
            kernels |= {f"{name}.{k}": v for k, v in own.items() if not k.startswith("_")}
    return kernels


def caches() -> list[Path]:
    """The files in which numba keeps what was compiled of our packages."""
    folders = {Path(kernel.stats.cache_path) for kernel in kernels().values()}
    return sorted(file for folder in folders for file in folder.glob("_kernels.*.nb[ic]"))


def variants(
    cls: type[Component], within: frozenset[str] = frozenset(), numbers: bool = True
) -> Iterator[Component]:
    """The defaults, and each part and each telling value in place of a default, one at a time.

    Parts that may hold parts of their own slot (`within`) hold only their defaults. Without
    `numbers`, those of numbers are left out but for one where a number may be none.
    """
    yield cls()
    for name, param in params_of(cls).items():
        for value in _values(param, within, numbers):
            try:
                yield cls(**{name: value})
            except MlcoreError:
                continue  # contradicts the default of another field, which is for that field's rule


def _values(param: Param, within: frozenset[str], numbers: bool) -> list[Any]:
    if isinstance(param, Parts):
        return []
    if isinstance(param, Part):
        if param.slot in within:
            return []
        if holds_methods(param.slot):
            return representatives(param.slot)
        inner = within | {param.slot}
        return [
            part for cls in entries(param.slot).values() for part in variants(cls, inner, numbers)
        ]
    if numbers or not isinstance(param, Number | Numbers | Sizes):
        return param.tries()
    words = [value for value in param.tries() if param.is_word(value)]
    others = [value for value in param.tries() if not param.is_word(value)]
    return words + others[:1] if words else []  # none at all, and one, may be two loops


def holds_methods(slot: str) -> bool:
    """Whether what stands in a slot or group are methods, which are then fitted inside others."""
    return any(issubclass(cls, Method) for cls in entries(slot).values())


def representatives(slot: str) -> list[Component]:
    """One method for each set of what an outer method may ask of an inner one.

    Each method is tried by itself; tried inside every other, their number would be a square.
    """
    by_capabilities: dict[tuple, Component] = {}
    # Those that hold no method themselves come first: they are quick.
    for method in sorted((cls() for cls in entries(slot).values()), key=_holds_a_method):
        by_capabilities.setdefault(_asked_of(cast(Method, method)), method)
    return list(by_capabilities.values())


def _holds_a_method(component: Component) -> bool:
    return any(isinstance(part, Method) for part in component.parts())


def _asked_of(method: Method) -> tuple:
    """The verbs of its fit, and whether it can be handed weights."""
    fits = method.fit_class()
    return tuple(verb for verb in VERBS if hasattr(fits, verb)), "weights" in method.card.takes


def _carry_out(method: Method, y: np.ndarray | None) -> None:
    """Every verb of a fit once. Settings that do not suit these few rows are left out: whether a
    kernel was missed by that is what `warm` returns."""
    X = _rows()
    takes = "weights" in method.card.takes
    more: dict[str, Any] = {"weights": np.ones(len(X))} if takes else {}
    try:
        if isinstance(method, IterativeMethod) and type(method)._fit is not IterativeMethod._fit:
            last(method.steps(X, y, **more))  # else its fit walks them
        fit = method.fit(X, y, **more)
    except MlcoreError:
        return
    for verb in VERBS:
        if hasattr(fit, verb):
            getattr(fit, verb)(X)


def _act(agent: Any) -> None:
    """A few steps in every world; settings and worlds that do not suit are left out, as above."""
    for problem in entries("problem").values():
        try:
            fit = agent.fit(cast(Any, problem()).world(), 5)
        except MlcoreError:
            continue
        if can(fit, HasUpperMeans) and fit.counts.all():
            _ = fit.upper


def _drive() -> None:
    """What pictures ask of a world of vectors, and of what was learned there."""
    world = MountainCar().world()
    states, _, _ = world.followed(world.start_lows, [0])
    encoded = TileCoding().of(world)
    encoded.active(states)
    encoded.scores(np.zeros((world.n_actions, encoded.n)), states)


def _rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(24, 3))


def _targets(method: Component) -> list[np.ndarray | None]:
    """What a method may learn from: two classes and three, a quantity, or nothing."""
    two, three = np.arange(24) % 2, np.arange(24) % 3
    if method.card.learns_from == "regression":
        return [_rows()[:, 0] + two]
    return [two, three] if method.card.learns_from else [None]


# What functions use and no method does, or only tables of other shapes than ours.
MORE: dict[str, Callable[[], None]] = {
    job.__name__: job
    for job in (
        _many_rows, _boosting, _neighbours, _shapley, _regressions, _clusters, _vector_machines,
        _drive, _functions,
    )
}  # fmt: skip
