"""Codes: which rules of two classes are learned for several, as a matrix of -1, 0 and 1.

Row k is the code word of class k. Column j is a rule: it learns to part the classes with 1 from
those with -1, on the rows of these alone. Of two classes every code has the one column (-1, 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import ceil, log2
from typing import NamedTuple

import numpy as np

from mlcore.classification.multiclass_coupling import coupled
from mlcore.spine import checks
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer
from mlcore.spine.random import generator
from mlcore.spine.records import function
from mlcore.spine.registry import made

MOST_EXHAUSTIVE = 7  # classes: 63 rules; each further class doubles their number
DRAWS = 1000  # of which the code whose words lie farthest apart is kept
AT_ONCE = 2**16  # values of codes that are drawn at a time
TINY = 1e-300
LENGTHS = {"dense": 10, "sparse": 15}  # rules a bit of the number of classes


@dataclass(frozen=True, kw_only=True)
class Code(Component):
    """The rules of two classes that are learned for several."""

    needs_scores = False  # whether labels alone cannot be decoded

    def matrix(self, K: int, rng: np.random.Generator) -> np.ndarray:
        """The code of K classes, shape (K, B), of -1, 0 and 1."""
        raise NotImplementedError(f"{type(self).__name__} declares no code")

    def shares(self, R: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Class probabilities, (m, K), from those of the positive sides of the rules, (m, B)."""
        return coupled(R, code)


def _columns(columns: list) -> np.ndarray:
    return np.array(columns, dtype=np.float64).T


@enter(
    Card(
        "one_vs_rest",
        "One-vs-rest",
        ("code",),
        kind="part",
        sources=("cs1:ova", "s841:svm_ova"),
        formula=r"\hat y = \arg\max_k f_k(x)",
        synonyms=("OvR", "one-vs-all", "OvA"),
    )
)
@dataclass(frozen=True, kw_only=True)
class OneVsRest(Code):
    """K rules: each class against all others. Their scores must be comparable."""

    needs_scores = True

    def matrix(self, K: int, rng: np.random.Generator) -> np.ndarray:
        """1 on the diagonal, -1 elsewhere."""
        return 2.0 * np.eye(K) - 1.0 if K > 2 else _columns([(-1, 1)])

    def shares(self, R: np.ndarray, code: np.ndarray) -> np.ndarray:
        """The probabilities scaled to sum 1; all alike where every rule is sure of the rest."""
        if len(code) == 2:
            return coupled(R, code)
        total = R.sum(axis=1, keepdims=True)
        return np.where(total > 0, R / np.where(total > 0, total, 1.0), 1.0 / len(code))


@enter(
    Card(
        "one_vs_one",
        "One-vs-one",
        ("code",),
        kind="part",
        sources=("cs1:ovo", "s841:svm_ovo", "s841:pairwise_discriminants"),
        formula=r"\hat y = \arg\max_k \sum_{l \neq k} \mathbb{1}[f_{kl}(x) > 0]",
        synonyms=("OvO", "all pairs"),
    )
)
@dataclass(frozen=True, kw_only=True)
class OneVsOne(Code):
    """K (K - 1) / 2 rules: every pair of classes on the rows of the two alone."""

    def matrix(self, K: int, rng: np.random.Generator) -> np.ndarray:
        """-1 and 1 for the classes of a pair."""
        code = np.zeros((K, K * (K - 1) // 2))
        for j, (a, b) in enumerate(combinations(range(K), 2)):
            code[a, j], code[b, j] = -1.0, 1.0
        return code


class _Tree(Code):
    """A code whose rules split the classes again and again until each stands alone."""

    def shares(self, R: np.ndarray, code: np.ndarray) -> np.ndarray:
        """The product of the probabilities on the way to each class: their sum is 1."""
        # As sums of logarithms a matrix product does it; 0 has none.
        left, right = (np.log(np.maximum(side, TINY)) for side in (1.0 - R, R))
        return np.exp(right @ (code > 0).T + left @ (code < 0).T)


@enter(
    Card(
        "rest_in_order",
        "Sequential one-vs-rest",
        ("code",),
        kind="part",
        sources=("s841:perceptron_multiclass",),
    )
)
@dataclass(frozen=True, kw_only=True)
class RestInOrder(_Tree):
    """K - 1 rules: the first class against all others, the second against those after it, ..."""

    def matrix(self, K: int, rng: np.random.Generator) -> np.ndarray:
        """-1 for the class, 1 for the later ones, 0 for the earlier."""
        k = np.arange(K)
        return np.sign(k[:, None] - k[None, : K - 1] - 0.5) * (k[:, None] >= k[None, : K - 1])


@enter(
    Card(
        "nested_dichotomies",
        "Nested dichotomies",
        ("code",),
        kind="part",
        paper="Frank and Kramer (2004), ICML 21",
        sources=("s841:two_level_fda",),
    )
)
@dataclass(frozen=True, kw_only=True)
class NestedDichotomies(_Tree):
    """K - 1 rules: half of the classes against the other half, and so on within each half."""

    order: str = choice(
        "sorted",
        "sorted",
        "drawn",
        doc="Halve the classes in their order, or in one drawn by the seed.",
    )

    def matrix(self, K: int, rng: np.random.Generator) -> np.ndarray:
        """-1 and 1 for the halves, 0 for classes outside of them."""
        classes = np.arange(K) if self.order == "sorted" else rng.permutation(K)
        return _columns(_halved(classes, K)) if K > 2 else _columns([(-1, 1)])


def _halved(classes: np.ndarray, K: int) -> list[np.ndarray]:
    if len(classes) < 2:
        return []
    column, half = np.zeros(K), (len(classes) + 1) // 2
    column[classes[:half]], column[classes[half:]] = -1.0, 1.0
    return [column, *_halved(classes[:half], K), *_halved(classes[half:], K)]


@enter(
    Card(
        "error_correcting",
        "Error-correcting output codes",
        ("code",),
        kind="part",
        paper="Dietterich and Bakiri (1995), J. Artificial Intelligence Research 2",
        sources=("prac:multiclass_reduction",),
        formula=r"\min_{k \neq l} \tfrac12 \textstyle\sum_j (1 - M_{kj} M_{lj}) "
        r"\;\text{as large as can be}",
        synonyms=("ECOC",),
    )
)
@dataclass(frozen=True, kw_only=True)
class ErrorCorrecting(Code):
    """Words of the classes that differ in many rules, so that some may be wrong."""

    kind: str = choice(
        "dense",
        "dense",
        "sparse",
        "exhaustive",
        doc="Each class on a side of every rule drawn by the seed, or in half of the rules only, "
        "or every way of parting the classes.",
    )
    length: int | None = integer(
        None,
        low=1,
        high=1000,
        soft=(5, 60),
        or_none="by the number of classes",
        symbol="B",
        label="Number of binary classifiers",
        doc="Columns of the code, never more than there are different ones. By the number K of "
        "classes there are 10 log2 K, of sparse words 15 log2 K.",
    )

    def conflict(self) -> str | None:
        """Refuse a length for the exhaustive code, which has all columns."""
        if self.kind == "exhaustive" and self.length is not None:
            return "The exhaustive code has every rule there is; give it no length."
        return None

    def matrix(self, K: int, rng: np.random.Generator) -> np.ndarray:
        """All rules where there are no more than asked for, else the best of 1000 drawn codes.

        Shape (K, B). Raises DataError if the exhaustive code is asked for more than 7 classes, or
        if no draw parts all classes by distinct columns.
        """
        if self.kind == "exhaustive" and K > MOST_EXHAUSTIVE:
            raise DataError(
                f"The exhaustive code of {K} classes has {2 ** (K - 1) - 1:,} rules; it is for at "
                f"most {MOST_EXHAUSTIVE} classes. Choose the dense or the sparse code."
            )
        values = (-1, 0, 1) if self.kind == "sparse" else (-1, 1)
        every = _every(K, values) if K <= MOST_EXHAUSTIVE else None
        if self.kind == "exhaustive":
            return _columns(every or [])
        length = self.length or ceil(LENGTHS[self.kind] * log2(K))
        if every is not None and length >= len(every):
            return _columns(every)
        return _farthest(K, length, values, every, rng)


def _every(K: int, values: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every way of parting K classes, each once: the first that has a part is at -1."""
    words = product(values, repeat=K)
    return [c for c in words if 1 in c and next(v for v in c if v) == -1]


def _farthest(
    K: int,
    length: int,
    values: tuple[int, ...],
    every: list[tuple[int, ...]] | None,
    rng: np.random.Generator,
) -> np.ndarray:
    """Of many draws the one whose two nearest words lie farthest apart, the first of equals."""
    best, farthest = None, -1.0
    for codes in _drawn(K, length, values, every, rng):
        least = _least_distances(codes)
        if len(codes) and least.max() > farthest:
            best, farthest = codes[least.argmax()], least.max()
    if best is None:
        raise DataError(
            f"No code of {length} rules for {K} classes was found in {DRAWS} draws. Choose a "
            "larger number of rules."
        )
    return best


def _drawn(
    K: int,
    length: int,
    values: tuple[int, ...],
    every: list[tuple[int, ...]] | None,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Codes of different two-sided rules in which every class has a part, in blocks, (m, K, B):
    those that remain of all draws."""
    if every is not None:
        for _ in range(DRAWS):
            own = rng.choice(len(every), length, replace=False)
            yield _with_all_classes(_columns([every[j] for j in own])[None])
        return
    shares = [1 / 4, 1 / 2, 1 / 4] if len(values) == 3 else None
    block = max(1, AT_ONCE // (length * max(K, length)))
    for first in range(0, DRAWS, block):
        size = (min(block, DRAWS - first), K, length)
        codes = rng.choice(np.array(values, dtype=np.float64), size=size, p=shares)
        above = np.take_along_axis(codes, (codes != 0).argmax(axis=1)[:, None], axis=1)
        codes = -codes * np.where(above == 0, 1.0, above)  # a rule and its opposite are one
        two_sided = (codes > 0).any(axis=1) & (codes < 0).any(axis=1)
        yield _with_all_classes(_different(codes[two_sided.all(axis=-1)]))


def _different(codes: np.ndarray) -> np.ndarray:
    """The codes, shape (m, K, B), without those in which a column comes twice."""
    products = codes.transpose(0, 2, 1) @ codes
    lengths = products.diagonal(axis1=1, axis2=2)
    same = lengths[:, :, None] + lengths[:, None] == 2 * products
    return codes[same.sum(axis=(1, 2)) == codes.shape[2]]  # each is the same as itself


def _with_all_classes(codes: np.ndarray) -> np.ndarray:
    """The codes, shape (m, K, B), without those in which a class has no part."""
    return codes[codes.any(axis=2).all(axis=-1)]


def _least_distances(codes: np.ndarray) -> np.ndarray:
    """Distance of the two nearest words of each code, (m,), of codes of shape (m, K, B)."""
    K, length = codes.shape[1:]
    products = codes @ codes.transpose(0, 2, 1)
    products[:, np.arange(K), np.arange(K)] = -length  # no word beside itself
    return (length - products.max(axis=(1, 2))) / 2


def distances(code: np.ndarray) -> np.ndarray:
    """Between the words of each two classes, (K, K): columns that differ, a half for each 0.

    `code` has shape (K, B).
    """
    return (code.shape[1] - code @ code.T) / 2


def least_distance(code: np.ndarray) -> float:
    """Distance of the two nearest words of a code, shape (K, B)."""
    return float(_least_distances(code[None])[0])


class CodeMatrix(NamedTuple):
    """A code of K classes."""

    matrix: np.ndarray  # (K, B) of -1, 0 and 1
    distances: np.ndarray  # (K, K) between the words
    least_distance: float  # a word with fewer than half as many wrong rules is still read right


@function("code_matrix", title="Output code matrix", sources=("prac:multiclass_reduction",))
def code_matrix(K: int, code: Code | str = "one_vs_rest", *, seed: int = 0) -> CodeMatrix:
    """The rules of two that a code learns for K classes, and how far its words lie apart.

    Raises DataError if K is not a whole number of at least 2, or above what the code is for.
    """
    if not checks.is_count(K, 2):
        raise DataError(f"A code needs a whole number of at least two classes; got {K!r}.")
    matrix = made("code", code).matrix(int(K), generator(checks.seed(seed), "code"))
    return CodeMatrix(matrix, distances(matrix), least_distance(matrix))
