"""Shapley values of many rows as pictures of them need them: of one output, on one scale."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from figures.numbers.outputs import output_of, wording_of
from mlcore.data.dataset import Dataset
from mlcore.spine.fit import Column
from mlcore.spine.wording import count, rough


class Contributed(NamedTuple):
    """The contributions to one output."""

    variables: tuple[Column, ...]  # (p,)
    values: np.ndarray  # (m, p) of the variables
    phi: np.ndarray  # (m, p) contributions
    sizes: np.ndarray  # (p,) means of their absolute values
    largest_error: float  # standard error; 0 where exact
    rows: np.ndarray  # (m,) rows of the table, from 0
    folds: np.ndarray  # (m,)
    output: str
    outputs: tuple[str, ...]  # (K,)
    every_size: np.ndarray  # (p, K) mean absolute contributions to each output
    wording: str  # what stands before the name of the output
    n_left_out: int
    n_background: int  # 0 along the ways through trees

    @property
    def what(self) -> str:
        """What is shared out, in words."""
        return f"{self.wording} {self.output}"

    @property
    def order(self) -> np.ndarray:
        """The variables by the mean size of their contributions, the largest first, (p,)."""
        return np.argsort(-self.sizes, kind="stable")

    @property
    def how(self) -> str:
        """Of which rows, against which, and how exact: a clause."""
        rows = f"{count(len(self.rows), 'row')} of {self.n_left_out:,} left out"
        against = against_what(self.n_background, " of each fold")
        if not self.largest_error:
            return f"exact Shapley values of {rows}, {against}"
        error = rough(self.largest_error)
        return f"Shapley values of {rows}, {against}, over drawn orders: standard errors to {error}"


def against_what(n_background: int, of: str = "") -> str:
    """What stands for variables that are not known."""
    if not n_background:
        return "along the ways of the training rows through its trees (path-dependent)"
    return f"against {count(n_background, 'training row')}{of}"


def contributed(explanation: Any, dataset: Dataset, output: str) -> Contributed | None:
    """Of the output that is chosen, else of the one that changes most; None before an answer."""
    answers = explanation.joined
    if answers is None:
        return None
    every = np.abs(answers.contributions).mean(axis=0)
    # Of two classes one is the mirror of the other: the second is shown, as elsewhere.
    best = 1 if len(answers.outputs) == 2 else int(every.sum(axis=0).argmax())
    o = output_of(answers.outputs, output, best)
    return Contributed(
        variables=answers.variables,
        values=answers.values,
        phi=answers.contributions[:, :, o],
        sizes=every[:, o],
        largest_error=0.0 if answers.is_exact else float(np.nanmax(answers.errors[:, :, o])),
        rows=dataset.rows[answers.rows],
        folds=answers.folds,
        output=answers.outputs[o],
        outputs=answers.outputs,
        every_size=every,
        wording=wording_of(explanation, dataset, answers.scale),
        n_left_out=answers.n_left_out,
        n_background=answers.n_background,
    )
