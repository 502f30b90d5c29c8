"""What every method promises of fitting: the fit, its steps, what it refuses, what it costs."""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np

from mlcore.spine.asking import can, promises
from mlcore.spine.compiled import is_compiled
from mlcore.spine.errors import MlcoreError
from mlcore.spine.every_capability import CAPABILITIES
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Stop, record
from mlcore.spine.method import IterativeMethod, Method
from mlcore.spine.param_kinds import Part
from mlcore.spine.params import params_of
from mlcore.warm import kernels
from mlscope.contract.subjects import (
    Subject,
    arrays,
    fitted,
    given,
    given_to,
    is_deterministic,
    is_sentence,
    refusal,
    same,
    takes,
    target,
    variants,
    verbs,
    wanted,
)

PASSES = ("max_epochs", "n_epochs")  # settings that say how often all rows are gone through
ROWS = "n_steps"  # the setting of a part that says how many rows are taken, one by one
FEW = 20  # passes
ENOUGH = {"budget": 7}  # queries, each a fit; one more than leaves no row of twelve to ask for
KEYWORDS = ("weights", "groups", "lengths", "unlabelled", "order")


def has_steps(subject: Subject) -> bool:
    """Whether it iterates."""
    return hasattr(subject.cls, "steps")


def fit_is_complete(subject: Subject) -> None:
    """The fit knows who made it, on which columns, and why it ended; what it can was promised."""
    method, g = subject.cls(), given_to(subject.cls)
    fit = fitted(method)
    assert isinstance(fit, Fit)
    assert fit.made_by == method
    assert fit.columns == g.columns
    assert fit.n_columns == 4
    assert fit.n_iter >= 0
    assert fit.stop is None or (fit.stop.kind in Stop.KINDS and is_sentence(fit.stop.why))
    able = [each for each in CAPABILITIES if can(fit, each)]
    assert able
    assert [each.__name__ for each in able if not promises(method, each)] == []


def equal_seeds_give_equal_bits(subject: Subject) -> None:
    """Twice the same seed is twice the same fit; without randomness any seed is."""
    g, method = given_to(subject.cls), subject.cls()
    first = fitted(method)  # with seed 1
    same(first, method.fit(g.X, g.y, columns=g.columns, seed=1))
    if is_deterministic(subject):
        same(first, method.fit(g.X, g.y, columns=g.columns, seed=4))


def inputs_are_left_alone(subject: Subject) -> None:
    """Neither values nor flags of what is given change, and the fit holds copies."""
    g, method = given_to(subject.cls), subject.cls()
    X, y = g.X.copy(), None if g.y is None else g.y.copy()
    fit = method.fit(X, y, seed=1)
    for verb in verbs(fit):
        getattr(fit, verb)(X)
    np.testing.assert_array_equal(X, g.X)
    assert X.flags.writeable
    assert not [at for at, values in arrays(fit) if np.shares_memory(values, X)]
    if y is not None:
        np.testing.assert_array_equal(y, g.y)
        assert y.flags.writeable
        assert not [at for at, values in arrays(fit) if np.shares_memory(values, y)]


def form_of_the_rows_does_not_matter(subject: Subject) -> None:
    """Lists of whole numbers, and rows and columns that lie apart in memory, are the same rows."""
    g, method = given_to(subject.cls), subject.cls()
    apart = np.asfortranarray(np.repeat(g.X, 2, axis=0))[::2]
    assert not apart.flags.c_contiguous and not apart.flags.f_contiguous
    same(method.fit(apart, g.y, columns=g.columns, seed=1), fitted(method))
    whole = np.round(g.X)
    same(method.fit(whole.astype(int).tolist(), g.y, seed=1), method.fit(whole, g.y, seed=1))


def fit_is_read_only_after_a_worker(subject: Subject) -> None:
    """Nobody can change a fit, nor its copy after a trip through another process."""
    fit, new = fitted(subject.cls()), given_to(subject.cls).new
    back = pickle.loads(pickle.dumps(fit))
    for it in (fit, back):
        assert [at for at, values in arrays(it) if values.flags.writeable] == []
    same(back, fit)
    for verb in verbs(fit):
        np.testing.assert_array_equal(getattr(back, verb)(new), getattr(fit, verb)(new))


def verbs_refuse_what_they_cannot_read(subject: Subject) -> None:
    """Wrong width, text, a row as a vector, missing values: a sentence, naming the column."""
    fit, g = fitted(subject.cls()), given_to(subject.cls)
    for verb in verbs(fit):
        ask = getattr(fit, verb)
        for X, says in (
            (g.new[:, :3], "4 columns"),
            (np.hstack([g.new, g.new]), "4 columns"),
            (g.new[0], "two dimensions"),
            (np.full((2, 4), "a"), "numbers"),
            (np.empty((0, 4)), "at least one row"),
            (spoiled(g.new, np.inf), "column height"),
        ):
            assert says in refusal(ask, X)
        if "missing" not in subject.cls.card.takes:
            assert "column height" in refusal(ask, spoiled(g.new, np.nan))


def fitting_refuses_what_it_cannot_read(subject: Subject) -> None:
    """The same when fitting, and a target that is missing or too short."""
    g, method = given_to(subject.cls), subject.cls()
    bad = [
        (g.X[0], g.y),
        (np.full((45, 4), "a"), g.y),
        (np.empty((0, 4)), np.empty(0)),
        (spoiled(g.X, np.inf), g.y),
    ]
    if "missing" not in method.card.takes:
        bad.append((spoiled(g.X, np.nan), g.y))
    if g.y is not None:
        bad += [(g.X, None), (g.X, g.y[:-1]), (g.X, np.full(45, np.nan))]
        # One column is a single output; in three dimensions it is nothing.
        bad.append((g.X, g.y[:, None, None] if "outputs" in method.card.takes else g.y[:, None]))
    for X, y in bad:
        refusal(method.fit, X, y)
    assert "height" in refusal(method.fit, spoiled(g.X, np.inf), g.y, columns=g.columns)
    refusal(method.fit, g.X, g.y, columns=g.columns[:3])


def keywords_that_are_not_taken_are_refused(subject: Subject) -> None:
    """What the card does not name is refused by name."""
    g, method = given_to(subject.cls), subject.cls()
    for word in KEYWORDS:
        if word not in method.card.takes:
            assert word in refusal(method.fit, g.X, g.y, **{word: np.ones(45)})
    for seed in (-1, 1.5, "a", None):
        assert "seed" in refusal(method.fit, g.X, g.y, seed=seed)


def spoiled(X: np.ndarray, value: float) -> np.ndarray:
    """The rows with one bad value in the third column."""
    bad = X.copy()
    bad[1, 2] = value
    return bad


@wanted(has_steps)
def steps_check_at_once(subject: Subject) -> None:
    """What is wrong with the rows is said before the first step is asked for."""
    g, method = given_to(subject.cls), subject.cls()
    refusal(method.steps, spoiled(g.X, np.inf), g.y)
    refusal(method.steps, g.X, g.y, seed=-1)
    for X, y in degenerate(method):
        with suppress(MlcoreError):
            assert next(method.steps(X, y)) is not None  # steps that begin also give one


@wanted(has_steps)
def steps_end_where_the_fit_stands(subject: Subject) -> None:
    """At least one step, numbered from 0; the last alone has a stop, and makes the same fit."""
    g, method = given_to(subject.cls), subject.cls()
    steps = record(method.steps(g.X, g.y, columns=g.columns, seed=1), keep=10**6)
    assert [step.k for step in steps] == list(range(len(steps)))
    assert [step.stop is not None for step in steps] == [False] * (len(steps) - 1) + [True]
    assert np.isfinite([step.objective for step in steps]).all()
    assert [step.note for step in steps if not is_sentence(step.note)] == []
    fit, end = fitted(method), steps[-1]
    assert end.stop == fit.stop
    if type(method)._finished is not IterativeMethod._finished:
        checked = method._given(g.X, g.y, columns=g.columns, seed=1)
        same(method._finished(checked, end), fit)
        return
    shared = [f.name for f in fields(end.state) if hasattr(fit, f.name)]
    assert shared, "nothing of the last step can be compared with the fit"
    for name in shared:
        np.testing.assert_array_equal(getattr(end.state, name), getattr(fit, name), err_msg=name)


@wanted(has_steps)
def steps_travel(subject: Subject) -> None:
    """A recording can be sent between processes and is small."""
    g = given_to(subject.cls)
    steps = record(subject.cls().steps(g.X, g.y, seed=1))
    assert len(pickle.dumps(steps)) < 2**20


def degenerate(method: Any) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """Tables at the edge of what can be fitted, with targets to match."""
    g = given_to(method)
    tables = [
        g.X[:1], g.X[:2], g.X[:3], g.X[:, :1], np.ones((6, 4)), np.zeros((1, 1)),
        np.hstack([g.X, np.full((45, 1), 2.5)]), np.hstack([g.X, g.X]), np.repeat(g.X[:2], 9, 0),
        np.random.default_rng(0).normal(size=(5, 12)), g.X * 1e-200, g.X * 1e200, g.X * 1e12 + 1e15,
        np.eye(12), np.where(g.X > 0, 1.0, 0.0),
    ]  # fmt: skip
    found = [(X, target(method, len(X))) for X in tables]
    if method.card.learns_from == "classification":
        found += [(g.X, np.zeros(45)), (g.X, np.arange(45)), (g.X, np.arange(45) == 0)]
    if method.card.task == "regression":
        y = np.asarray(g.y)
        found += [(g.X, np.zeros(45)), (g.X, y * 1e-200), (g.X, y * 1e200)]
    return found


def edge_cases_give_a_result_or_a_sentence(subject: Subject) -> None:
    """Never another exception, never a warning, and numbers that can be shown."""
    method = sparing(subject.cls())
    for X, y in degenerate(method):
        try:
            fit = method.fit(X, y, seed=1)
        except MlcoreError as error:
            sentence = str(error)
            assert is_sentence(sentence), sentence
            continue
        for verb in verbs(fit):
            values = getattr(fit, verb)(X)
            assert len(values) == len(X)
            assert np.isfinite(values).all(), f"{verb} of rows {X[:2]}"


def every_variant_gives_a_result_or_a_sentence(subject: Subject) -> None:
    """Each part and each telling value of each setting, one at a time."""
    g = given_to(subject.cls)
    works, compiled_before = 0, compiled_late()
    for method in map(briefly, variants(subject.cls)):
        try:
            fit = method.fit(g.X, g.y, seed=1)  # all are methods
        except MlcoreError as error:
            sentence = str(error)
            assert is_sentence(sentence), sentence
            continue
        works += 1
        for verb in verbs(fit):
            if (values := answer(fit, verb, g.new)) is None:  # impossible rows, no pseudo-counts
                assert method != subject.cls()
                continue
            assert np.isfinite(values).all(), f"{verb} of {method}"
    assert works > 0
    # Warming tries no numbers: no number may be what chooses another loop.
    assert not was_warmed() or compiled_late() == compiled_before


def briefly(method: Any) -> Any:
    """The method, with few passes where what is changed is a setting of one of its parts.

    The method's own settings, and each part as it comes, are tried to the end; what a setting of a
    part does, each pass does.
    """
    declared = params_of(type(method))
    parts = {name: getattr(method, name) for name, p in declared.items() if type(p) is Part}
    as_they_come = {name: part for name, part in parts.items() if part == type(part)()}
    if parts != as_they_come:
        if limit := next((name for name in PASSES if name in declared), None):
            return replace(method, **{limit: FEW})
        for name, part in as_they_come.items():
            if ROWS in params_of(type(part)):
                return replace(method, **{name: replace(part, **{ROWS: FEW * len(given("").X)})})
    return method if method == type(method)() else sparing(method)


def sparing(method: Any) -> Any:
    """The method, with few queries where it, or one in it, would ask for as many as by default."""
    default = type(method)()
    few: dict[str, Any] = {
        name: n
        for name, n in ENOUGH.items()
        if hasattr(default, name) and getattr(method, name) == getattr(default, name)
    }
    for name, param in params_of(type(method)).items():
        if type(param) is Part and isinstance(inner := getattr(method, name), Method):
            few[name] = sparing(inner)
    return replace(method, **few) if few else method


was_warmed = cache(is_compiled)


def compiled_late() -> dict[str, int]:
    """How often each loop was compiled because no cache held what it was called with."""
    return {name: sum(loop.stats.cache_misses.values()) for name, loop in kernels().items()}


def answer(fit: Any, verb: str, rows: np.ndarray) -> np.ndarray | None:
    """What a verb says of rows; None where it refuses them, in a sentence."""
    try:
        return getattr(fit, verb)(rows)
    except MlcoreError as error:
        sentence = str(error)
        assert is_sentence(sentence), sentence
        return None


LENGTHS = (20, 15, 10)  # of sequences in the rows that are fitted
NEW = (9, 6)  # and in those that are not


@wanted(takes("lengths"))
def lengths_must_be_lengths(subject: Subject) -> None:
    """Whole numbers of at least 1 that sum to the rows, when fitting and in every verb."""
    g, method = given_to(subject.cls), subject.cls()
    fit = fitted(method)
    bad = (LENGTHS[:2], (45, 0), (46, -1), (44.5, 0.5), (), 45, [(45,)], "abc", [[1], [2, 3]],
           (np.nan,), (np.inf,), (True,))  # fmt: skip
    for lengths in bad:
        assert "lengths" in refusal(method.fit, g.X, g.y, lengths=lengths)
        for verb in verbs(fit):
            assert "lengths" in refusal(getattr(fit, verb), g.new, lengths=lengths)


@wanted(takes("lengths"))
def no_lengths_are_one_sequence(subject: Subject) -> None:
    """To the last bit, when fitting and in every verb."""
    g, method = given_to(subject.cls), subject.cls()
    fit = fitted(method)
    same(method.fit(g.X, g.y, columns=g.columns, seed=1, lengths=(45,)), fit)
    for verb in verbs(fit):
        ask = getattr(fit, verb)
        np.testing.assert_array_equal(ask(g.new, lengths=[len(g.new)]), ask(g.new))


@wanted(takes("lengths"))
def sequences_know_nothing_of_each_other(subject: Subject) -> None:
    """What is said of a sequence is what is said of it alone; their order is of no account."""
    g, method = given_to(subject.cls), subject.cls()
    fit = method.fit(g.X, g.y, seed=1, lengths=LENGTHS)
    turned = np.concatenate([np.arange(20, 45), np.arange(20)])
    y = None if g.y is None else g.y[turned]
    other = method.fit(g.X[turned], y, seed=1, lengths=(15, 10, 20))
    parts = np.split(g.new, np.cumsum(NEW)[:-1])
    for verb in verbs(fit):
        said = getattr(fit, verb)(g.new, lengths=NEW)
        alone = np.concatenate([getattr(fit, verb)(part) for part in parts])
        np.testing.assert_allclose(said, alone, rtol=1e-9, atol=1e-12, err_msg=verb)
        theirs = getattr(other, verb)(g.new, lengths=NEW)
        np.testing.assert_allclose(theirs, said, rtol=1e-5, atol=1e-8, err_msg=verb)


@wanted(takes("weights"))
def weights_must_be_weights(subject: Subject) -> None:
    """Negative, missing, all zero or too few: a sentence."""
    g, method = given_to(subject.cls), subject.cls()
    for w in (-np.ones(45), np.full(45, np.nan), np.zeros(45), np.ones(44)):
        assert "weights" in refusal(method.fit, g.X, g.y, weights=w)


def cost_is_a_number_that_grows(subject: Subject) -> None:
    """Seconds and bytes are positive and do not fall with the table."""
    method = subject.cls()
    costs = [method.card.cost(n, p, method) for n, p in ((10, 2), (1000, 20), (100_000, 100))]
    assert np.isfinite(costs).all()
    assert np.min(costs) > 0
    assert (np.diff(costs, axis=0) >= 0).all()
    for other in variants(subject.cls):
        assert np.isfinite(method.card.cost(1000, 20, other)).all()


CHECKS = [
    fit_is_complete,
    equal_seeds_give_equal_bits,
    inputs_are_left_alone,
    form_of_the_rows_does_not_matter,
    fit_is_read_only_after_a_worker,
    verbs_refuse_what_they_cannot_read,
    fitting_refuses_what_it_cannot_read,
    keywords_that_are_not_taken_are_refused,
    steps_check_at_once,
    steps_end_where_the_fit_stands,
    steps_travel,
    edge_cases_give_a_result_or_a_sentence,
    every_variant_gives_a_result_or_a_sentence,
    lengths_must_be_lengths,
    no_lengths_are_one_sequence,
    sequences_know_nothing_of_each_other,
    weights_must_be_weights,
    cost_is_a_number_that_grows,
]
