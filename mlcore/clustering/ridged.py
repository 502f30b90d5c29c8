"""What the ridge and the first balls of a mixture are beside its rows."""

from __future__ import annotations

import numpy as np

from mlcore.spine.method import Given
from mlcore.spine.wording import count, listed, plural, rough

ALIKE = 10.0  # times one or less: a ball of variance 1 is about as wide as the rows
MOSTLY = 2.0  # ridges: a variance of no more is the ridge rather than that of the rows


def of_ridge(given: Given, covariances: np.ndarray, ridge: float) -> tuple[str, ...]:
    """Sentences about where covariances, (K, p, p), or variances, (K, p), are mostly the ridge."""
    if ridge == 0:
        return ()
    is_matrix = covariances.ndim == 3
    variances = np.diagonal(covariances, axis1=1, axis2=2) if is_matrix else covariances
    least, most = np.nanmin(given.X, axis=0), np.nanmax(given.X, axis=0)
    is_constant = (least == most) & (variances <= MOSTLY * ridge).all(axis=0)
    notes = _of_constants([given.columns[j].name for j in np.flatnonzero(is_constant)], ridge)
    if is_constant.all():
        return notes
    left = np.flatnonzero(~is_constant)
    spreads = covariances[:, left]
    if is_matrix:
        spreads = np.linalg.eigvalsh(spreads[:, :, left])
    return (*notes, *_of_directions(spreads <= MOSTLY * ridge, ridge))


def of_balls(X: np.ndarray) -> tuple[str, ...]:
    """That first covariances of 1 are of another size than rows X, (n, p), with gaps or without."""
    variances = np.nanvar(X, axis=0)
    away = np.abs(np.log(variances[variances > 0]))
    if not len(away) or away.max() <= np.log(ALIKE):
        return ()
    worst = float(variances[variances > 0][away.argmax()])
    return (
        f"EM began with balls of variance 1, beside columns of variance {rough(worst)}: the start "
        "depends on units. Standardise the columns, or begin with the covariances of the groups.",
    )


def _of_constants(names: list[str], ridge: float) -> tuple[str, ...]:
    if not names:
        return ()
    never = plural(len(names), "changes: its variance is", "change: their variance is")
    columns = plural(len(names), "Column")
    which = plural(len(names), "it", "them")
    return (f"{columns} {listed(names)} never {never} the ridge, {ridge:g}, alone. "
            f"Leave {which} out.",)  # fmt: skip


def _of_directions(is_flat: np.ndarray, ridge: float) -> tuple[str, ...]:
    """Of whether each component, (K,), has the ridge in each of its directions, (K, p)."""
    K, p = is_flat.shape
    flat = int(is_flat.any(axis=1).sum())
    if is_flat.all():
        return (
            f"The ridge, {ridge:g}, is more than the rows vary: it makes the components, not they. "
            "Scale the columns, or lower the ridge.",
        )
    if not flat:
        return ()
    vary = plural(flat, "varies", "vary")
    return (
        f"{flat} of {count(K, 'component')} {vary} in fewer than {count(p, 'direction')}; the "
        f"ridge, {ridge:g}, stands for the rest. Leave out columns that follow from others, or ask "
        "for fewer components.",
    )
