"""Predictions of rows shared out among the variables: the short way, all sets, or drawn orders."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.explaining.shapley import EXACT_UP_TO, shapley_exact, shapley_sampled
from mlcore.runs.explaining.model import Model
from mlcore.runs.explaining.short_ways import (
    AUTO,
    INTERVENTIONAL,
    OUTPUTS,
    PATH_DEPENDENT,
    expects_short_way,
    in_short,
)
from mlcore.spine import random
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer

DEARER = 2  # times as many predictions are taken for values without an error
A_PATH = 3  # background rows that take as long as the ways of a row alone
IN_SHORT = 0  # sets that are looked at one by one


class SharedOut(NamedTuple):
    """The Shapley values of some rows by one model."""

    base: np.ndarray  # (K,) where nothing is known
    values: np.ndarray  # (m, p, K)
    errors: np.ndarray  # (m, p, K) standard errors; 0 where exact
    predictions: np.ndarray  # (m, K)
    n_sets: int  # sets of variables, or orders, that were looked at for each row
    scale: str  # what is shared out; "" where it is what is predicted
    is_exact: bool
    n_background: int  # rows that lent their values, 0 by path


def background_option(start: int) -> Any:
    """Declare how many training rows lend their values."""
    return integer(
        start, low=1, high=1000, soft=(20, 300), label="Background rows",
        doc="Training rows that lend their values where a variable is not known yet.",
    )  # fmt: skip


def scale_option() -> Any:
    """Declare what is shared out."""
    return choice(
        AUTO, AUTO, OUTPUTS,
        doc="What is shared out: auto takes the log-odds or scores of classes, or the logarithm of "
        "a mean, where the method adds up to them and the values are exact; outputs are always "
        "what is predicted.",
    )  # fmt: skip


def perturbation_option() -> Any:
    """Declare what stands for a variable that is not known."""
    return choice(
        INTERVENTIONAL, INTERVENTIONAL, PATH_DEPENDENT, label="Unknown variables",
        doc="What stands for a variable that is not known yet: interventional takes the values of "
        "training rows, which says what the model does; path_dependent, for trees alone, goes both "
        "ways by the shares of the training rows that went there, which follows how variables "
        "depend on each other and needs no rows.",
    )  # fmt: skip


def background_of(model: Model, most: int) -> tuple[np.ndarray, np.random.Generator]:
    """Training rows that lend their values, (B, p), and the generator that drew them."""
    rng = random.generator(model.run.seed, "background rows")
    rows = np.sort(rng.permutation(np.unique(model.split.train))[:most])
    return model.dataset.X[rows], rng


def shared_out(
    model: Model,
    rows: np.ndarray,
    background: np.ndarray,
    rng: np.random.Generator,
    *,
    rounds: int,
    scale: str,
    perturbation: str,
    exact_up_to: int,
) -> SharedOut:
    """The values of rows, shape (m, p), against background rows, shape (B, p).

    Without a short way over all sets of up to `exact_up_to` variables; of more over `rounds` pairs
    of drawn orders a background row. Raises DataError where there is no way by path.
    """
    short = in_short(model, rows, background, scale, perturbation)
    if short is not None:
        whole = short.base + short.values.sum(axis=1)
        none = np.zeros_like(short.values)
        lent = 0 if perturbation == PATH_DEPENDENT else len(background)
        return SharedOut(short.base, short.values, none, whole, IN_SHORT, short.scale, True, lent)
    if perturbation == PATH_DEPENDENT:
        raise DataError(
            f"Path-dependent Shapley values need sums of trees; {model.run.method.title()} gives "
            "none here that keeps variables apart, or is asked for what it does not sum up. Choose "
            "interventional, or the scale on which the trees add up."
        )
    is_exact = rows.shape[1] <= exact_up_to
    each = [
        shapley_exact(model.outputs, row, background)
        if is_exact
        else shapley_sampled(model.outputs, row, background, rng, rounds)
        for row in rows
    ]
    return SharedOut(
        each[0].base,
        np.stack([one.values for one in each]),
        np.stack([one.errors for one in each]),
        np.stack([one.prediction for one in each]),
        each[0].n_sets,
        "",
        is_exact,
        len(background),
    )


def most_enumerated(rounds: int) -> int:
    """Up to how many variables all sets are looked at because drawing orders saves little."""
    known = [p for p in range(EXACT_UP_TO + 1) if 2**p <= DEARER * 2 * rounds * (p + 1)]
    return known[-1]


def predicted_rows(
    run: Any,
    p: int,
    n_background: int,
    *,
    rounds: int,
    scale: str,
    perturbation: str,
    exact_up_to: int,
) -> tuple[float, float]:
    """How many rows a model predicts once, and how many more for each row that is shared out."""
    if perturbation == PATH_DEPENDENT:
        return 0.0, 1.0
    if expects_short_way(run, scale):
        return float(n_background), 0.0
    if p <= exact_up_to:
        return 0.0, float(2**p * n_background)  # the background rows are the empty set
    return 0.0, float((2 * rounds * (p + 1) + 1) * n_background + 1)


def walked_pairs(run: Any, n_background: int, *, scale: str, perturbation: str) -> float:
    """How many background rows a row that is shared out stands beside, on the short way."""
    if perturbation == PATH_DEPENDENT:
        return float(A_PATH)
    return expects_short_way(run, scale) * float(n_background)
