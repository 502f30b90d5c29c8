"""Several outputs by one model each, whose settings may be learned from all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mlcore.spine.asking import can
from mlcore.spine.capabilities import FitsOutputs, HasNotes, LearnsTogether, Predicts
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.fit import Fit
from mlcore.spine.inner import fit_inner, fit_outputs, fit_together, refuse_weights
from mlcore.spine.method import Given, Method
from mlcore.spine.params import flag, part


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiOutputFit(Fit):
    """One fitted model an output."""

    members: tuple[Predicts, ...]  # q of them
    spreads: np.ndarray  # (q,) standard deviation of each output in the training rows, divisor n
    is_single: bool  # whether the target was one number a row, shape (n,)
    notes: tuple[str, ...] = ()  # of members that learned together

    def predict(self, X: Any) -> np.ndarray:
        """Each output, shape (m, q), in its units; (m,) where there was a single one."""
        X = self._rows(X)
        outputs = np.column_stack([member.predict(X) for member in self.members])
        return outputs[:, 0] if self.is_single else outputs

    def holds_together(self) -> bool:
        """Whether there is a spread for each model."""
        return self.spreads.shape == (len(self.members),)


def _cost(n: int, p: int, method: MultiOutputRegressor) -> tuple[float, float]:
    # How many outputs there are is not known yet: three are likely, and one learning if they share.
    own = method.regressor.card.cost
    seconds, size = own(n, p, method.regressor) if own else (1e-3, 8.0 * n * p)
    return (1 if method.shares else 3) * (seconds + 1e-4), size + 24.0 * n


@enter(
    Card(
        "multi_output_regressor",
        "Multi-output regression",
        ("regression",),
        task="regression",
        peer="sklearn.multioutput.MultiOutputRegressor",
        sources=("cs1:multioutput_split", "prac:multioutput_reduction", "epfl:gpr_multi_output"),
        takes=("weights", "outputs"),
        scores=("output_scores",),
        random=True,
        cost=_cost,
        formula=r"\hat y_j = f_j(x), \qquad f_j \text{ from } (x_i, y_{ij}), \; j = 1 \ldots q",
        also=("multi_output_regression",),
        synonyms=(
            "multi-target regression",
            "multivariate regression",
            "MultiOutputRegressor",
            "PLS2",
        ),
        line="several quantities, a model each",
    )
)
@dataclass(frozen=True, kw_only=True)
class MultiOutputRegressor(Method):
    r"""Predicts several quantities, each by a model of its own.

    Output $j$ is learned from the rows and their $y_{ij}$ alone, by a copy of the method inside;
    the outputs know nothing of each other. Gaussian processes inside it have a kernel and a noise
    for each output, or one of each for all: those of the largest sum over the outputs of what each
    would choose its own by, at the cost of one output. Partial least squares has components for
    each output, or those that covary most with all of them (PLS2).

    Use it to predict more than one quantity at once, and as the line to beat for methods that
    learn outputs together. O(q) fits for q outputs. Fails to use what the outputs have in common:
    where one tells of another, or their noise goes together, learning them jointly can be better.
    """

    regressor: Method = part(
        "ridge", slot="regression", label="Model", doc="What is fitted to each output."
    )

    together: bool = flag(
        False,
        label="Learn from all outputs",
        doc="Learn what outputs may share from all of them, each scaled by itself, not once for "
        "each: a kernel and a noise, or the components of partial least squares.",
        only_if={"regressor": ("gp_regression", "pls_regression")},
    )

    @property
    def peer_differs(self) -> str:  # pyrefly: ignore[bad-override]  # else a text of the class
        """As that of the model inside."""
        return self.regressor.peer_differs

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(together=False) or {"estimator": self.regressor}

    def conflict(self) -> str | None:
        """Refuse a model inside that predicts several outputs itself."""
        if isinstance(self.regressor, MultiOutputRegressor):
            return f"{self.title()} needs a model of one number inside it, not another of its kind."
        return None

    def _fit(self, given: Given) -> MultiOutputFit:
        refuse_weights(self.regressor, given, self.title())
        Y = given.target.reshape(given.n, -1)
        mean = np.average(Y, axis=0, weights=given.weights)
        members = self._members(given, Y)
        return MultiOutputFit(
            made_by=self,
            columns=given.columns,
            members=members,
            spreads=np.sqrt(np.average((Y - mean) ** 2, axis=0, weights=given.weights)),
            is_single=given.target.ndim == 1,
            notes=_notes(members) if self.shares else (),
        )

    @property
    def shares(self) -> bool:
        """Whether the outputs share what is learned; most models inside do not know how."""
        return self.together and can(self.regressor, LearnsTogether)

    def _members(self, given: Given, Y: np.ndarray) -> tuple[Predicts, ...]:
        if self.shares:
            return fit_together(self.regressor, given, Y)
        fit = partial(fit_inner, self.regressor, given)
        if Y.shape[1] > 1 and can(self.regressor, FitsOutputs):
            fit = fit_outputs(self.regressor, given, Y[:, 0].copy())
        return tuple(self._member(fit, Y, j) for j in range(Y.shape[1]))

    def _member(self, fit: Callable[[np.ndarray], Predicts], Y: np.ndarray, j: int) -> Predicts:
        try:
            return fit(Y[:, j].copy())
        except MlcoreError as error:
            raise DataError(f"Output {j + 1} of {Y.shape[1]}: {error}") from None


def _notes(members: tuple[Any, ...]) -> tuple[str, ...]:
    """What the members say, each sentence once: of shared settings all say the same."""
    own = (note for member in members if can(member, HasNotes) for note in member.notes)
    return tuple(dict.fromkeys(own))
