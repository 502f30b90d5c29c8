"""Cuts between classes, as long as a cut costs fewer bits to describe than it saves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter


@enter(
    Card(
        "entropy_mdl",
        "Entropy-based (MDL)",
        ("discretiser",),
        paper="Fayyad and Irani (1993), IJCAI 13",
        sources=("s841:nb_discretisation",),
        formula=r"H(S) - \sum_i \frac{n_i}{n} H(S_i) > \frac{\log_2 (n - 1) + \log_2 (3^k - 2) "
        r"- k H(S) + \sum_i k_i H(S_i)}{n}",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class EntropyMdl(Component):
    """Cuts where the classes are purest on both sides, again and again, until it does not pay."""

    needs_classes = True

    def cuts(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Where the values x, shape (n,), of classes y, (n,) codes, are cut: shape (k,), rising.

        A cut lies in the middle between two values. O(n log n + n K) for K classes and every cut.
        """
        order = np.argsort(x, kind="stable")
        x, classes = x[order], np.unique(y)
        before = np.zeros((len(x) + 1, len(classes)))  # rows of each class before a place
        np.cumsum(y[order][:, None] == classes, axis=0, out=before[1:])
        places = np.flatnonzero(x[1:] > x[:-1]) + 1  # equal values are not parted
        cut_places: list[int] = []
        open_ = [(0, len(x))]
        while open_:
            start, end = open_.pop()
            at = _best(before, places[(places > start) & (places < end)], start, end)
            if at is not None:
                cut_places.append(at)
                open_ += [(start, at), (at, end)]
        at = np.sort(np.array(cut_places, dtype=np.int64))
        return (x[at - 1] + x[at]) / 2


def _best(before: np.ndarray, places: np.ndarray, start: int, end: int) -> int | None:
    """The place at which rows start to end are best cut; None where no cut pays for itself."""
    if not len(places):
        return None
    n, whole = end - start, before[end] - before[start]
    left, right = before[places] - before[start], before[end] - before[places]
    bits = _bits(left) + _bits(right)
    k = int(bits.argmin())
    saved = _bits(whole) - bits[k]
    K = _count(whole)
    price = np.log2(n - 1) + K * np.log2(3.0) + np.log1p(-2 * 3.0**-K) / np.log(2.0)  # 3^K - 2
    # The bits that describe the classes of the parts, each by its own number of classes.
    price -= K * _entropy(whole)
    price += _count(left[k]) * _entropy(left[k]) + _count(right[k]) * _entropy(right[k])
    return int(places[k]) if saved > price else None


def _count(counts: np.ndarray) -> int:
    return int((counts > 0).sum())


def _bits(counts: np.ndarray) -> np.ndarray:
    """Entropy of the classes times the number of rows, in bits, over the last axis."""
    n = counts.sum(axis=-1)
    terms = counts * np.log2(np.where(counts > 0, counts, 1.0))
    return n * np.log2(np.where(n > 0, n, 1.0)) - terms.sum(axis=-1)


def _entropy(counts: np.ndarray) -> float:
    return float(_bits(counts) / counts.sum())
