"""t-SNE against scikit-learn: exact for few rows, by cells for many; the divergence is compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE as Reference

from benchmarks.pairs import Pair
from mlcore.reduction.tsne import TSNE

ITERATIONS = 500


def _pair(n: int, method: str) -> Pair:
    X = load_digits(return_X_y=True)[0][:n]
    forces: Any = method
    ours = TSNE(forces=forces, max_iter=ITERATIONS)
    theirs: Any = Reference(method=method, max_iter=ITERATIONS)
    return Pair(
        "tsne", "sklearn.manifold.TSNE", f"{n} x 64, {method}, {ITERATIONS} steps",
        ours=lambda: ours.fit(X).divergence,
        theirs=lambda: float(theirs.fit(np.array(X)).kl_divergence_),
        gap=lambda a, b: a / b - 1,
    )  # fmt: skip


PAIRS = [_pair(400, "exact"), _pair(1797, "barnes_hut")]
