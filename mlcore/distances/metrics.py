"""How far apart two rows are: parts of the methods that look at neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.fit import freeze
from mlcore.spine.params import real


@dataclass(frozen=True, eq=False)
class Frame:
    """The space in which a distance is a plain norm of the difference.

    With a kernel, a row is placed at its projection on the span of the landmarks' features. The
    length of the rest is one coordinate more, which is 0 for the landmarks themselves, so that the
    distance from any row to a landmark is that of the features.
    """

    power: float = 2.0  # of the norm; infinity the largest difference, 0 the share that differs
    axes: np.ndarray | None = None  # (p, r), rows are multiplied by it
    unit_rows: bool = False  # rows are divided by their length
    note: str = ""
    kernel: Kernel | None = None
    landmarks: np.ndarray | None = None  # (n, p) rows whose features span the axes
    own: np.ndarray | None = None  # (n,) columns that are used

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        freeze(self)

    def placed(self, X: np.ndarray) -> np.ndarray:
        """Rows X, shape (m, p), in that space, shape (m, r)."""
        if self.kernel is not None:
            return self._among_features(X)
        if self.own is not None:
            return np.ascontiguousarray(X[:, self.own])
        if self.axes is not None:
            return np.ascontiguousarray(X @ self.axes)
        if not self.unit_rows:
            return X
        # Divided by the largest entry first, so that no square overflows or vanishes.
        scale = np.abs(X).max(axis=1, keepdims=True)
        Z = X / np.where(scale > 0, scale, 1.0)
        length = np.sqrt((Z**2).sum(axis=1, keepdims=True))
        return Z / np.where(length > 0, length, 1.0)

    def is_of(self, p: int) -> bool:
        """Whether it places rows of p columns; asked of a frame that comes from a file."""
        if not self.power >= 0.0:
            return False
        if self.kernel is not None:
            if self.landmarks is None or self.axes is None:
                return False
            is_of_rows = self.landmarks.ndim == 2 and self.landmarks.shape[1] == p
            return is_of_rows and self.axes.shape[:-1] == (len(self.landmarks),)
        if self.own is not None:
            own = self.own
            return own.ndim == 1 and own.dtype.kind in "iu" and bool(((own >= 0) & (own < p)).all())
        return self.axes is None or self.axes.shape[:-1] == (p,)

    def _among_features(self, X: np.ndarray) -> np.ndarray:
        assert self.kernel is not None
        assert self.landmarks is not None
        assert self.axes is not None
        Z = self.kernel.against(self.landmarks)(X) @ self.axes
        rest = np.maximum(self.kernel.diag(X) - (Z**2).sum(axis=1), 0.0)
        return np.column_stack([Z, np.sqrt(rest)])


STRAIGHT = Frame()  # rows as they are, in straight lines


@runtime_checkable
class HasFrame(Protocol):
    """What measures by a distance of its own: `frame`, the space in which that is a norm."""

    frame: Frame


@dataclass(frozen=True, kw_only=True)
class Distance(Component):
    """A distance between rows, which may learn from training rows."""

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """The space of the distance, learned from rows X, shape (n, p), and classes, (n,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no frame")


@enter(
    Card(
        "euclidean",
        "Euclidean",
        ("metric",),
        kind="part",
        sources=("epfl:dist_euclidean",),
        units="distances",
        formula=r"\|x - z\|_2",
    )
)
@dataclass(frozen=True, kw_only=True)
class Euclidean(Distance):
    """The length of the difference."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "euclidean"}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame()


@enter(
    Card(
        "manhattan",
        "Manhattan",
        ("metric",),
        kind="part",
        sources=("epfl:dist_manhattan",),
        units="distances",
        formula=r"\sum_j |x_j - z_j|",
    )
)
@dataclass(frozen=True, kw_only=True)
class Manhattan(Distance):
    """The sum of the differences; a wild column counts less than in squares."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "manhattan"}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame(power=1.0)


@enter(
    Card(
        "chebyshev",
        "Chebyshev",
        ("metric",),
        kind="part",
        sources=("epfl:dist_chebyshev",),
        units="distances",
        formula=r"\max_j |x_j - z_j|",
    )
)
@dataclass(frozen=True, kw_only=True)
class Chebyshev(Distance):
    """The largest of the differences."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "chebyshev"}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame(power=inf)


@enter(
    Card(
        "minkowski",
        "Minkowski",
        ("metric",),
        also=("function:Minkowski",),
        kind="part",
        sources=("epfl:dist_minkowski",),
        units="distances",
        formula=r"\left(\sum_j |x_j - z_j|^p\right)^{1/p}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Minkowski(Distance):
    """Between Manhattan (1) and Chebyshev (infinity); 2 is Euclidean."""

    p: float = real(
        3.0,
        low=1.0,
        high=20.0,
        soft=(1.0, 6.0),
        symbol="p",
        label="Exponent",
        doc="Exponent of the differences; below 1 the triangle inequality fails.",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "minkowski", "p": self.p}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame(power=self.p)


@enter(
    Card(
        "cosine",
        "Cosine",
        ("metric",),
        also=("function:Cosine",),
        kind="part",
        sources=("epfl:cosine_similarity",),
        formula=r"\|x / \|x\| - z / \|z\|\|_2",
    )
)
@dataclass(frozen=True, kw_only=True)
class Cosine(Distance):
    """The angle between rows, whatever their length; a chord of the unit sphere."""

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows of length 1."""
        nowhere = int((~X.any(axis=1)).sum())
        note = (
            f"Rows with nothing but 0 have no direction: {nowhere} of {len(X)}. They are 1 away "
            "from all others."
        )
        return Frame(unit_rows=True, note=note if nowhere else "")


@enter(
    Card(
        "hamming",
        "Hamming",
        ("metric",),
        also=("function:Hamming",),
        kind="part",
        formula=r"\frac1p \sum_j [x_j \ne z_j]",
    )
)
@dataclass(frozen=True, kw_only=True)
class Hamming(Distance):
    """The share of columns that differ, by however much."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "hamming"}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame(power=0.0)
