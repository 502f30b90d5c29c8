"""The settings that Gaussian processes share, and the rows that they cannot take."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.kernels.kernel import Kernel, why_not
from mlcore.spine.conditions import other_than
from mlcore.spine.params import choice, integer, real

MOST_ROWS = 10_000  # whose matrix and factor have a place in memory (1.6 GB)


def why_no_process(
    kernel: Kernel, X: np.ndarray, who: str, most: int = MOST_ROWS, remedy: str = ""
) -> str | None:
    """Why there is no process with this covariance on rows X, shape (n, p), or None.

    A kernel may be no covariance, and what is factored may have no room for more than `most` rows;
    `remedy` is what to do then, beside drawing a sample.
    """
    if reason := why_not(kernel, X, who):
        return reason
    if not kernel.is_definite(X.shape[1]):
        return (
            f"{who} needs a kernel that is a covariance; {kernel.title()} is none for these "
            "columns. Choose another kernel, such as the Gaussian."
        )
    if len(X) > most:
        return (
            f"{who} takes at most {most} rows with these settings, because of the matrices that it "
            f"factors; these are {len(X)}. Draw a sample of the rows{remedy}."
        )
    return None


def learned_settings(doc: str, *more: str) -> Any:
    """The setting learn of every process; `more` are criteria beside the evidence."""
    return choice("evidence", "evidence", *more, "none", label="Learned settings", doc=doc)


def further_starts() -> Any:
    """The setting n_restarts of every process."""
    return integer(
        0,
        low=0,
        high=100,
        soft=(0, 10),
        label="Further starts",
        doc="How often learning begins anew from settings drawn at random; the best is kept.",
        advanced=True,
        only_if={"learn": other_than("none")},
    )


def steepest_slope() -> Any:
    """The setting tol of every process."""
    return real(
        1e-3,
        above=0.0,
        soft=(1e-6, 0.1),
        log=True,
        symbol=r"\tau",
        label="Tolerance",
        doc="Stop when no slope of the criterion, by the logarithm of a setting, is steeper.",
        advanced=True,
        only_if={"learn": other_than("none")},
    )


def most_steps() -> Any:
    """The setting max_iter of every process."""
    return integer(
        100,
        low=1,
        soft=(10, 1000),
        log=True,
        label="Maximum iterations",
        doc="Steps of learning from each start.",
        advanced=True,
        only_if={"learn": other_than("none")},
    )
