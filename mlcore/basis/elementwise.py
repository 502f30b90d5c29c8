"""Functions of one column at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mlcore.basis.basis import Basis, Term
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choices

FUNCTIONS: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "itself": ("{}", lambda x: x),
    "square": ("{}^2", lambda x: x * x),
    "cube": ("{}^3", lambda x: x * x * x),
    "fourth": ("{}^4", lambda x: x * x * x * x),
    "absolute": ("|{}|", np.abs),
    "root": ("sqrt|{}|", lambda x: np.sqrt(np.abs(x))),
    # Of 1 + |x|, since columns may be 0 or negative.
    "log": ("log(1+|{}|)", lambda x: np.log1p(np.abs(x))),
    "exp": ("exp({})", np.exp),
    "sin": ("sin({})", np.sin),
    "cos": ("cos({})", np.cos),
    "tanh": ("tanh({})", np.tanh),
}


@enter(
    Card(
        "elementwise",
        "Elementwise functions",
        ("basis",),
        sources=("s841:nonlinear_lda_trick", "s841:basis_expansion"),
        formula=r"\varphi(x) = \bigl(f(x_j)\bigr)_{f, j}",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Elementwise(Basis):
    """One or several functions, of each column alone: squares, roots, logarithms, waves."""

    functions: tuple[str, ...] = choices(
        ("square",),
        *FUNCTIONS,
        doc="Functions of a column x; log is that of 1 + |x|, root that of |x|.",
    )

    def conflict(self) -> str | None:
        """Refuse an empty choice of functions."""
        return None if self.functions else "Choose at least one function of each column."

    def count(self, p: int) -> int:
        """How many functions there are of all columns."""
        return p * len(self.functions)

    def terms(self, names: tuple[str, ...], points: np.ndarray) -> tuple[Term, ...]:
        """log(1+|x1|) and the like."""
        return tuple(
            Term(FUNCTIONS[function][0].format(name), (j,))
            for function in self.functions
            for j, name in enumerate(names)
        )

    def values(self, X: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Each function of each column, shape (m, q); infinite where exp overflows."""
        with np.errstate(over="ignore"):
            return np.hstack([FUNCTIONS[function][1](X) for function in self.functions])
