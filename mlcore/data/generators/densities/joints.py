"""Joint distributions of a few variables with few values each, small enough to be listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.data.generators import shared
from mlcore.spine import random
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, integer, many, real

# Pairs of neighbours, counted from 0.
GRAPHS = {
    "chain": ((0, 1), (1, 2), (2, 3), (3, 4)),
    "tree": ((0, 2), (1, 2), (2, 3), (3, 4), (3, 5)),
    "big tree": ((0, 2), (1, 2), (2, 4), (3, 4), (4, 5), (5, 6), (5, 7), (7, 8)),
    "triangle": ((0, 1), (1, 2), (0, 2)),
    "complete": ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)),
    "grid": (
        *((3 * i + j, 3 * i + j + 1) for i in range(3) for j in range(2)),
        *((3 * i + j, 3 * i + j + 3) for i in range(2) for j in range(3)),
    ),
}
MOST_SPINS = 12
MOST_UNITS = 6  # of either layer


@dataclass(frozen=True, kw_only=True)
class Joint(Component):
    """The distribution of n variables with z values each, one number for each of z^n states."""

    values: ClassVar[tuple[str, ...]] = ("0", "1")  # what a variable can be

    def names(self) -> tuple[str, ...]:
        """What the variables are called."""
        # Each distribution has variables of its own; drawing from a table is shared.
        raise NotImplementedError(f"{type(self).__name__} declares no variables")

    def log_weights(self) -> np.ndarray:
        """Log-probabilities up to a constant, shape (z^n,), in the order of `states`."""
        # And its own table of probabilities.
        raise NotImplementedError(f"{type(self).__name__} declares no probabilities")

    def hidden(self) -> tuple[str, ...]:
        """The variables that a method does not see."""
        return ()

    def target(self) -> str:
        """The variable that is to be predicted from the others."""
        return self.names()[0]

    def states(self) -> np.ndarray:
        """Every state, shape (n, z^n), the last variable varying fastest."""
        shape = (len(self.values),) * len(self.names())
        return np.indices(shape).reshape(len(shape), -1)


def _numbered(letter: str, n: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i + 1}" for i in range(n))


@enter(Card("pairwise_field", "Pairwise Markov random field", ("joint",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class PairwiseField(Joint):
    """Two-valued nodes of a graph whose neighbours agree more or less often.

    P(x) is proportional to the product of psi(x_i, x_j) over the edges, a for equal values and
    1 - a for others, and of the evidence of every node.
    """

    values = ("one", "two")

    graph: str = choice("tree", *GRAPHS, doc="Which nodes are neighbours.")
    agree: float = real(
        0.8, above=0.0, below=1.0, soft=(0.05, 0.95), symbol="a", label="Agreement",
        doc="Weight of equal neighbours; below a half they rather differ.",
    )  # fmt: skip
    evidence: tuple[float, ...] = many(
        (), symbol=r"\phi", most=9,
        doc="Weight of the first value at each node, between 0 and 1; none at all for even ones.",
    )  # fmt: skip

    def conflict(self) -> str | None:
        """Evidence must be probabilities, one a node."""
        n = len(self.names())
        if self.evidence and len(self.evidence) != n:
            return f"This graph has {n} nodes; got evidence for {len(self.evidence)}. Give {n}."
        if any(not 0 < phi < 1 for phi in self.evidence):
            return "Evidence is a weight between 0 and 1, the ends left out. Change the others."
        return None

    def names(self) -> tuple[str, ...]:
        """Node by node."""
        return _numbered("x", 1 + max(map(max, GRAPHS[self.graph])))

    def target(self) -> str:
        """The node with the most neighbours, the first of them."""
        return self.names()[int(np.bincount(np.ravel(GRAPHS[self.graph])).argmax())]

    def log_weights(self) -> np.ndarray:
        """Sum over edges and nodes."""
        S = self.states()
        first, second = np.array(GRAPHS[self.graph]).T
        equal = (S[first] == S[second]).sum(axis=0)
        phi = np.array(self.evidence or (0.5,) * len(S))[:, None]
        pulls = np.log(np.where(S == 0, phi, 1 - phi)).sum(axis=0)
        return equal * np.log(self.agree) + (len(first) - equal) * np.log1p(-self.agree) + pulls


@enter(Card("random_joint", "Random joint distribution", ("joint",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class RandomJoint(Joint):
    """Five variables whose probabilities are drawn, uniform among all that sum to 1.

    One table of all states, or the product of two tables of two variables and one of the fifth, or
    the product of five: with three values each these have 242, 18 and 10 free numbers.
    """

    values = ("a", "b", "c")

    structure: str = choice(
        "whole", "whole", "in pairs", "one by one", doc="Which variables depend on one another."
    )
    draw: int = shared.which("probabilities are drawn")

    def names(self) -> tuple[str, ...]:
        """Five of them."""
        return _numbered("x", 5)

    def target(self) -> str:
        """The second, whose pair is the first."""
        return "x2"

    def log_weights(self) -> np.ndarray:
        """The logarithm of the product of the tables."""
        sizes = {"whole": (5,), "in pairs": (2, 2, 1), "one by one": (1,) * 5}[self.structure]
        rng = random.generator(self.draw, "joint table")
        tables = [rng.dirichlet(np.ones(len(self.values) ** size)) for size in sizes]
        whole = np.ones(1)
        for table in tables:
            whole = np.multiply.outer(whole, table).ravel()
        return np.log(whole)


@enter(Card("spins", "Ising model", ("joint",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Spins(Joint):
    """Variables of -1 and 1 that pull one another: P(s) ~ exp(beta / 2 sum_ij W_ij s_i s_j).

    W is symmetric with an empty diagonal: normal numbers, one number for all, or one number between
    neighbours of a chain. A state and its mirror image are equally likely.
    """

    values = ("-1", "1")

    n_spins: int = integer(
        6, low=2, high=MOST_SPINS, soft=(2, 10), symbol="N", label="Ising model", doc="How many."
    )
    couplings: str = choice(
        "random", "random", "equal", "chain", symbol="W", doc="How they pull one another."
    )
    beta: float = real(
        0.5, low=-5.0, high=5.0, soft=(0.0, 2.0), symbol=r"\beta", label="Inverse temperature",
        doc="Strength of every pull; at 0 the spins are coins.",
    )  # fmt: skip
    draw: int = shared.which("random pulls are drawn")

    def names(self) -> tuple[str, ...]:
        """Spin by spin."""
        return _numbered("s", self.n_spins)

    def weights(self) -> np.ndarray:
        """W, shape (N, N)."""
        n = self.n_spins
        if self.couplings == "random":
            rng = random.generator(self.draw, "pulls of spins")
            upper = np.triu(rng.normal(size=(n, n)), 1)
            return upper + upper.T
        apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        return 1.0 * (apart == 1 if self.couplings == "chain" else apart > 0)

    def log_weights(self) -> np.ndarray:
        """Minus beta times the energy."""
        s = 2.0 * self.states() - 1.0
        return self.beta / 2 * (s * (self.weights() @ s)).sum(axis=0)


@enter(Card("two_layers", "Restricted Boltzmann machine", ("joint",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class TwoLayers(Joint):
    """A restricted Boltzmann machine: P(v, h) ~ exp(v'b + h'c + v'W h) for units of 0 and 1.

    W, b and c are normal numbers. Given one layer, the units of the other are independent.
    """

    n_visible: int = integer(
        4, low=1, high=MOST_UNITS, soft=(1, 6), label="Visible units", doc="Units that are seen."
    )
    n_hidden: int = integer(
        3, low=1, high=MOST_UNITS, soft=(1, 6), label="Hidden units",
        doc="Units that are not; the first is the target.",
    )  # fmt: skip
    sd: float = real(
        1.0, low=0.0, high=10.0, soft=(0.0, 5.0), label="Standard deviation of the weights",
        doc="Standard deviation of the weights and of the biases.",
    )  # fmt: skip
    draw: int = shared.which("weights are drawn")

    def names(self) -> tuple[str, ...]:
        """The visible units, then the hidden ones."""
        return _numbered("v", self.n_visible) + _numbered("h", self.n_hidden)

    def hidden(self) -> tuple[str, ...]:
        """All hidden units but the target."""
        return self.names()[self.n_visible + 1 :]

    def target(self) -> str:
        """The first hidden unit."""
        return "h1"

    def weights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """W, shape (visible, hidden), with the biases b and c of the layers."""
        n, m = self.n_visible, self.n_hidden
        rng = random.generator(self.draw, "weights of two layers")
        drawn = self.sd * rng.normal(size=(n + 1, m + 1))
        return drawn[:n, :m], drawn[:n, m], drawn[n, :m]

    def log_weights(self) -> np.ndarray:
        """Minus the energy."""
        W, b, c = self.weights()
        v, h = np.split(self.states().astype(float), [self.n_visible])
        return b @ v + c @ h + (v * (W @ h)).sum(axis=0)
