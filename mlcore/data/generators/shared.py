"""What the generators share: fields, how rows become a table, what is known about them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

import numpy as np

from mlcore.data.sources import Origin, Source
from mlcore.data.table import ColumnData, Table, numeric
from mlcore.spine import random
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import Number
from mlcore.spine.params import integer, params_of, real

MOST_ROWS = 200_000  # a link is an order to compute; more rows than this show nothing new
OUTLIER = "outlier"
# One address draws one table: what a server of a few GB can give to each of several people.
MOST_BYTES = 2**27  # a table of 200,000 x 10; a server holds those of all people
MOST_SECONDS = 20.0
COPIES = 8  # of the table while it is drawn: its parts, the noise, what is clean, the columns
COLUMNS = 40  # of a generator without a setting for them, at most


def n_samples(default: int, most: int = MOST_ROWS, usual: int = 2000) -> int:
    """Declare how many rows are drawn; fewer than others at most where each takes its time, and
    fewer on the control, `usual`, where each has many columns."""
    return integer(
        default,
        low=2,
        high=most,
        soft=(20, min(most, usual)),
        log=True,
        symbol="n",
        label="Number of rows",
        doc="How many rows are drawn, outliers not counted.",
    )


def which(what: str) -> int:
    """Declare the number that draws the distribution; rows of any seed come from it."""
    return integer(
        0, low=0, high=2**31 - 1, soft=(0, 99), label="Which one", advanced=True,
        doc=f"Which {what}; the rows are drawn by the seed.",
    )  # fmt: skip


def n_outliers() -> int:
    """Declare how many rows belong to no group."""
    return integer(
        0,
        low=0,
        high=1000,
        soft=(0, 50),
        label="Outliers",
        advanced=True,
        doc="Further rows spread evenly over a box around the data; their class is outlier.",
    )


def label_noise() -> float:
    """Declare how many rows get the class of others."""
    return real(
        0.0,
        low=0.0,
        high=0.5,
        soft=(0.0, 0.3),
        label="Label noise",
        doc="Share of the rows with the wrong class.",
    )


@dataclass(frozen=True, eq=False)
class Truth:
    """What a generator knows about its rows; a field is None where it has no meaning.

    Rows are those of the table. `bayes_error` is the error of the best possible classifier,
    `noise` the standard deviation of what was added, `start` holds centers from which an iteration
    ends at a poor answer.
    """

    labels: np.ndarray | None = None  # (rows,) codes of the groups that rows were drawn from
    centers: np.ndarray | None = None  # (k, p)
    signal: np.ndarray | None = None  # (rows,) the target without noise
    noise: float | None = None
    bayes_error: float | None = None
    posterior: np.ndarray | None = None  # (rows, K) probability of each class given the row
    log_density: np.ndarray | None = None  # (rows,) of the features, in nats
    covariances: np.ndarray | None = None  # (k, p, p)
    coordinates: np.ndarray | None = None  # (rows, q) where on the surface, or which values, behind
    clean: np.ndarray | None = None  # (rows, p) the features without noise
    mixing: np.ndarray | None = None  # (p, q) X = coordinates mixing^T
    coefficients: np.ndarray | None = None  # (p,)
    start: np.ndarray | None = None  # (k, p)
    marginals: np.ndarray | None = (
        None  # (variables, values) probabilities of each name of each column
    )
    attempts: int | None = None  # points that rejection tried for these rows


@dataclass(frozen=True, kw_only=True)
class Generator(Source):
    """A source that draws its rows; equal settings draw equal rows."""

    seed: int = integer(
        0,
        low=0,
        high=2**31 - 1,
        soft=(0, 99),
        doc="Start of the randomness of the data, apart from the seed of the run.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if wrong := self.too_much():
            raise ParamError(wrong)

    def n_columns(self) -> int:
        """How many columns are drawn, about; those of pictures and the like say it themselves."""
        return getattr(self, "n_features", COLUMNS)

    def row_bytes(self) -> float:
        """What one row takes while the table is drawn."""
        return 8.0 * COPIES * self.n_columns()

    def row_seconds(self) -> float:
        """How long drawing one row takes."""
        return 1e-7 * self.n_columns()

    def takes(self) -> tuple[float, float]:
        """(seconds, bytes) of the draw, known before it."""
        rows = getattr(self, "n_samples", 0) + getattr(self, "outliers", 0)
        return rows * self.row_seconds(), rows * self.row_bytes()

    def too_much(self) -> str | None:
        """Why this is too large to be drawn, a sentence with the settings to lower, or None."""
        seconds, size = self.takes()
        if size > MOST_BYTES:
            needs = f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"
            most = f"{MOST_BYTES / 2**20:.0f} MB"
            names = self._raising(lambda source: source.takes()[1])
        elif seconds > MOST_SECONDS:
            needs, most = f"{seconds:.0f} seconds", f"{MOST_SECONDS:.0f} seconds"
            names = self._raising(lambda source: source.takes()[0])
        else:
            return None
        settings = ", ".join(f"{name} = {getattr(self, name):,}" for name in names)
        return (
            f"{self.title()}: drawing the table ({settings}) takes about {needs}; one table may "
            f"take at most {most}. Lower {' or '.join(names)}."
        )

    def _raising(self, need: Callable[[Generator], float]) -> list[str]:
        """The sizes among the settings by which the draw needs more, by a tenth at least."""
        raising, now = [], need(self)
        for name, param in params_of(type(self)).items():
            if isinstance(param, Number) and param.whole and name != "seed":
                least = copy(self)
                object.__setattr__(least, name, int(param.low))  # a look, not a generator
                if need(least) < 0.9 * now:
                    raising.append(name)
        return raising

    def rng(self, name: str) -> np.random.Generator:
        """The random stream called `name`: changing one part of the data leaves the rest alone."""
        return random.generator(self.seed, f"{self.card.name} {name}")


@dataclass(frozen=True, kw_only=True)
class DistributionGenerator(Generator):
    """A generator whose distribution is drawn too, apart from its rows and their seed."""

    draw: int = which("places, directions or the like are drawn")

    def distribution_rng(self, name: str) -> np.random.Generator:
        """The random stream of what belongs to the distribution."""
        return random.generator(self.draw, f"{self.card.name} {name}")


def shares(n: int, weights: tuple[float, ...], k: int) -> np.ndarray:
    """How many of `n` rows each of `k` groups gets, in proportion to the weights, shape (k,)."""
    w = np.array(weights or (1.0,) * k)
    ends = np.round(np.cumsum(w) / w.sum() * n).astype(np.int64)
    return np.diff(ends, prepend=0)


def weights_conflict(who: str, weights: tuple[float, ...], k: int) -> str | None:
    """What is wrong with relative sizes of `k` groups, as a sentence, or None."""
    if not weights:
        return None
    if len(weights) != k or min(weights) <= 0.0:
        return f"{who}: weights must hold {k} positive numbers, one a group, or none at all."
    return None


def with_outliers(
    X: np.ndarray, labels: np.ndarray, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The rows X, shape (n, p), with `labels`, (n,), and then `count` outliers, labelled -1.

    These are uniform in the box of the data, half as wide again.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    margin = (high - low) / 4
    out = rng.uniform(low - margin, high + margin, (count, X.shape[1]))
    return np.vstack([X, out]), np.concatenate([labels, np.full(count, -1)])


def plain_origin(source: Generator, X: np.ndarray, **known: object) -> Origin:
    """The origin of points X, shape (n, p), as columns x1 ... xp without a target."""
    columns = [numeric(f"x{j + 1}", X[:, j]) for j in range(X.shape[1])]
    # Fields of Truth, by their names.
    # pyrefly: ignore[bad-argument-type]
    return Origin(Table.of(*columns), source.title(), None, truth=Truth(**known))


def value_origin(source: Generator, X: np.ndarray, y: np.ndarray, **known: object) -> Origin:
    """The origin of points X, shape (n, p), as columns x1 ... xp, and the quantity y, (n,)."""
    columns = [numeric(f"x{j + 1}", X[:, j]) for j in range(X.shape[1])]
    table = Table.of(*columns, numeric("y", y))
    # Fields of Truth, by their names.
    # pyrefly: ignore[bad-argument-type]
    return Origin(table, source.title(), "y", truth=Truth(**known))


def noise(default: float, unit: str, soft: tuple[float, float] = (0.0, 1.0)) -> float:
    """Declare the standard deviation of what is added to the rows."""
    return real(
        default,
        low=0.0,
        high=1000.0,
        soft=soft,
        symbol=r"\sigma",
        doc=f"Standard deviation of the noise; {unit}.",
    )


def shuffled(
    X: np.ndarray, labels: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows X, shape (n, p), and labels, (n,), in one random order that says nothing of classes."""
    order = rng.permutation(len(X))
    return X[order], labels[order]


def class_origin(
    source: Generator,
    X: np.ndarray,
    labels: np.ndarray,
    levels: tuple[str, ...],
    **known: object,
) -> Origin:
    """The origin of points X, shape (n, p), with a class each, `labels`, (n,); -1 is an outlier.

    Where there is one class only, which no method could learn, it is left out.
    """
    if (labels < 0).any():
        labels, levels = np.where(labels < 0, len(levels), labels), (*levels, OUTLIER)
    if len(levels) == 1:
        return plain_origin(source, X, **known)
    columns = [numeric(f"x{j + 1}", X[:, j]) for j in range(X.shape[1])]
    kind = "binary" if len(levels) == 2 else "nominal"
    columns.append(ColumnData("class", kind, labels, levels))
    # pyrefly: ignore[bad-argument-type]  # the fields of Truth
    truth = Truth(labels=labels, **known)
    return Origin(Table.of(*columns), source.title(), "class", truth=truth)


def flipped(labels: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Codes 0 and 1, shape (n,), each exchanged for the other with probability `share`."""
    return np.where(rng.uniform(size=len(labels)) < share, 1 - labels, labels)
