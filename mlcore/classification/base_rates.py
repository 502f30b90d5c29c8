"""How class shares change a prediction: posterior probabilities and precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function


@function("prior_shift", title="Prior shift", sources=("cs1:prior_shift_demo",))
def prior_shift(P: Any, old: Any, new: Any) -> np.ndarray:
    r"""$p'_k \propto p_k \, \pi'_k / \pi_k$: probabilities for other shares of the classes, (m, K).

    P, shape (m, K), holds probabilities learned where the classes had the shares `old`, shape (K,),
    positive; `new`, shape (K,), are those where they are used. Right as long as each class looks
    the same in both places. Shares need not sum to 1. Raises DataError if a share is negative or an
    old one is 0, or if a row of P has no class left.
    """
    P = np.atleast_2d(np.asarray(P, dtype=np.float64))
    old, new = _shares(old, P.shape[1]), _shares(new, P.shape[1])
    if not (old > 0).all():
        raise DataError("A class that training never saw has no probability to correct.")
    weighted = P * (new / old)
    total = weighted.sum(axis=1, keepdims=True)
    if not (np.isfinite(weighted).all() and (weighted >= 0).all() and (total > 0).all()):
        raise DataError(
            "Probabilities to correct must be finite, none negative, and each row must have one "
            "for a class that there is."
        )
    return weighted / total


def _shares(values: Any, k: int) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (k,) or not np.isfinite(values).all() or (values < 0).any():
        raise DataError(f"Shares are {k} numbers here, one a class and none negative.")
    if not values.any():
        raise DataError("At least one class must have a share above 0.")
    return values / values.sum()


@function("precision_at", title="Precision at a base rate", sources=("cs1:prior_shift_demo",))
def precision_at(base: Any, tpr: Any, fpr: Any) -> np.ndarray:
    r"""$\frac{\pi\,TPR}{\pi\,TPR + (1 - \pi)\,FPR}$: the share of alarms that are true.

    `base` is the share of positives, `tpr` the share of positives that raise an alarm, `fpr` that
    of negatives; numbers or arrays from 0 to 1, which are broadcast to the shape of the result. NaN
    where nothing raises an alarm. Raises ParamError if a rate is not from 0 to 1.
    """
    base, tpr, fpr = np.broadcast_arrays(
        *(_rate(name, value) for name, value in (("base", base), ("tpr", tpr), ("fpr", fpr)))
    )
    true, false = base * tpr, (1.0 - base) * fpr
    alarms = true + false
    return np.divide(true, alarms, out=np.full(alarms.shape, np.nan), where=alarms > 0)


def _rate(name: str, value: Any) -> np.ndarray:
    value = np.asarray(value, dtype=np.float64)
    if not ((value >= 0) & (value <= 1)).all():
        raise ParamError(f"{name} is a share from 0 to 1; got {value}.")
    return value
