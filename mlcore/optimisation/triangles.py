"""Triangular factors of tables, without scipy, as `mlcore.maths.triangular`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mlcore.maths.triangular import inverse_lower

EPS = float(np.finfo(float).eps)
# A Gram matrix has the square of the condition number of X: beyond this, half the digits are lost.
HALF_THE_DIGITS = 1e8
ROUGH = 1e5  # up to here one in single precision has an inverse that is right to a tenth
MENDABLE = 1e13  # up to here a second pass restores what the Gram matrix lost
REFLECTED = 32_768  # rows that are reflected at a time
FAR = 1e140  # squares of longer columns overflow, those of columns shorter than 1 / FAR vanish


def inverse_factor(gram: np.ndarray, worst: float = HALF_THE_DIGITS) -> np.ndarray | None:
    """The inverse of the Cholesky factor, M, shape (p, p), with M'M = gram^-1.

    None where the condition number may be above `worst`.
    """
    both = _factors(gram)
    return both[1] if both is not None and _condition(gram, both[1]) < worst else None


def _factors(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The Cholesky factor of a matrix and its inverse; None where it is not definite."""
    try:
        factor = np.linalg.cholesky(gram)
        return factor, inverse_lower(factor)
    except np.linalg.LinAlgError:
        return None


def has_six_digits(gram: np.ndarray) -> bool:
    """Whether a Gram matrix, (q, q), in single precision has them: no square was too large or
    small."""
    diagonal = np.diagonal(gram)
    return bool(((diagonal > 1e-30) & (diagonal < 1e30)).all())


def _condition(gram: np.ndarray, half: np.ndarray) -> float:
    """An upper bound of the condition number, by Frobenius norms; M'M has at most M's squared."""
    return float(np.linalg.norm(gram) * (half**2).sum())


def sizes(A: np.ndarray, rounding: np.ndarray) -> np.ndarray:
    """The length of each column as a power of two, shape (q,); 1 for columns of zeros.

    A column that is no longer than its `rounding`, shape (q,), counts as one: brought to the size
    of the others it would be a direction.
    """
    largest = np.frexp(np.abs(A).max(axis=0, initial=0.0))[1]
    squares = (np.ldexp(A, -largest) ** 2).sum(axis=0)  # neither overflow nor vanish
    middle = np.rint(np.log2(squares, out=np.zeros_like(squares), where=squares > 0) / 2)
    size = np.ldexp(1.0, largest + middle.astype(int))
    return np.where((squares > 0) & (size > rounding), size, 1.0)


def triangle_of(A: np.ndarray) -> np.ndarray:
    """R of A = Q R, shape (min(A.shape), columns)."""
    return np.asarray(np.linalg.qr(A, mode="r"))


def reduced(blocks: Callable[[], Iterator[np.ndarray]], enough: float = 0.0) -> np.ndarray:
    """[R, Q'y], shape (r, q + 1), with X = Q R, for the rows [x, y] that `blocks()` gives anew.

    Twice by Cholesky, where the second pass mends what the first lost (Yamamoto and others 2015):
    nothing but products, and as exact as reflections. By reflections where X is nearly dependent or
    has fewer rows than columns; there may then be one more row, of what y has beside X. Where the
    condition number of the Gram matrix of columns of length 1 is below `enough`, one pass has to
    do: it loses as many digits as that number has.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # then reflections take their place
        total = np.sum([block.T @ block for block in blocks()], axis=0)
    short = reduced_once(total[:-1, :-1], total[:-1, -1], total[-1, -1], enough)
    if short is not None:
        return short
    scaled = _scaled(total[:-1, :-1])
    half = None if scaled is None else inverse_factor(scaled[0], MENDABLE)
    if scaled is None or half is None:
        return _by_reflections(blocks())
    gram, size = scaled
    back = half.T / size[:, None]  # X back has nearly orthonormal columns
    again, toward = np.zeros_like(gram), np.zeros(len(gram))
    for block in blocks():
        Q = block[:, :-1] @ back
        again += Q.T @ Q
        toward += block[:, -1] @ Q
    mend = np.linalg.cholesky(again)
    R = mend.T @ np.linalg.cholesky(gram).T * size
    return np.column_stack([np.triu(R), np.linalg.solve(mend, toward)])


def reduced_once(
    gram: np.ndarray, toward: np.ndarray, square: float, enough: float
) -> np.ndarray | None:
    """The same from X'X, shape (q, q), X'y, shape (q,), and y'y alone.

    None where that is not enough, as `reduced` has it.
    """
    scaled = _scaled(gram)
    if scaled is None or not 1.0 / FAR**2 < square < FAR**2:
        return None
    gram, size = scaled
    both = _factors(gram)
    if both is None or not _condition(gram, both[1]) < min(enough, MENDABLE):
        return None
    factor, half = both
    return np.column_stack([factor.T * size, half @ (toward / size)])


def _scaled(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """X'X of columns of length 1, and their lengths; None where these cannot be told."""
    size = np.sqrt(np.diagonal(gram))
    if not ((size > 1.0 / FAR) & (size < FAR)).all():
        return None
    return gram / np.outer(size, size), size


def _by_reflections(blocks: Iterator[np.ndarray]) -> np.ndarray:
    """The triangle of all rows from that of the first and the next ones."""
    stack: list[np.ndarray] = []
    for block in blocks:
        stack.append(block.copy())
        if sum(map(len, stack)) > REFLECTED:
            stack = [triangle_of(np.vstack(stack))]
    rows = np.vstack(stack)
    return triangle_of(rows) if len(rows) > rows.shape[1] else rows
