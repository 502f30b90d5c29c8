"""Votes of rules that each part some classes from others."""

from __future__ import annotations

import numpy as np


def votes(values: np.ndarray, code: np.ndarray) -> np.ndarray:
    """How often each class wins, shape (m, K); equal counts are parted by the sum of the margins.

    `values`, shape (m, B), are positive where a rule says its positive side; `code`, shape (K, B),
    is 1 for the classes of that side, -1 for those of the other, 0 for classes without a part. The
    votes of a class with a part in fewer rules than others count more, so that all can reach the
    same. The sum of the margins is pressed into less than a vote can differ.
    """
    is_positive = (values > 0).astype(float)
    won = is_positive @ (code > 0).T + (1.0 - is_positive) @ (code < 0).T
    margin = values @ code.T
    parts = np.abs(code).sum(axis=1)
    most = parts.max()
    least_gap = 1.0 if (parts == most).all() else 1.0 / most  # a / b - c / d is 1 / (b d) or more
    return won * (most / parts) + least_gap * margin / (3.0 * (np.abs(margin) + 1.0))
