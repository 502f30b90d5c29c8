"""What every world of a trial says of itself, so that nobody asks which one it is.

A world is what agents act in (an environment, in the textbooks). Trials, pages and reports ask it
for its measure, its words and its pictures. A new world is a problem that makes one of those that
are there, or a class derived from `World` with its agents and views.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from mlcore.evaluation.metrics.metric import Metric
from mlcore.spine.fit import freeze


class Fact(NamedTuple):
    """Something that is known of a world: a label with its value, and a sentence more."""

    label: str
    value: str
    sentence: str


@dataclass(frozen=True, eq=False, kw_only=True)
class World:
    """What agents act in. The fits of its agents have a `score`, in the unit of `metric`."""

    name: str  # inside a sentence: "bandit with 4 arms"

    called: ClassVar[str]  # what its agents need, inside a sentence: "the arms of a bandit"
    metric: ClassVar[Metric]  # by which a replicate is judged
    baseline: ClassVar[str]  # who acts without learning, by its name
    first_agents: ClassVar[tuple[str, ...]]  # who is tried where nobody was chosen, by name
    budget_unit: ClassVar[str]  # in which a budget is counted: "Rounds"
    example: ClassVar[str]  # a problem that makes such a world, by its name
    pictures: ClassVar[tuple[str, ...]]  # where views show worlds of its class (`on` of a view)
    solver: ClassVar[str] = ""  # the agent whose steps lead to the exact answer; "" where none do
    progress: ClassVar[str] = "objective"  # what the steps of its agents improve

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def size(self) -> int:
        """How many numbers an agent keeps of it: what its cost grows with."""
        # Costs are foretold by it: a guess would be a wrong promise.
        raise NotImplementedError(f"{type(self).__name__} declares no size")

    @property
    def places(self) -> tuple[str, ...]:
        """The places of the views that show this very world."""
        return self.pictures

    def facts(self) -> tuple[Fact, ...]:
        """What is known of it, its name first."""
        # Every world has a name at least, which only it knows.
        raise NotImplementedError(f"{type(self).__name__} declares no facts")

    def is_like(self, other: World) -> bool:
        """Whether the agents of one can act in the other."""
        return type(self) is type(other)

    def named(self, sentence: str) -> Fact:
        """The first of its facts: its name, with another sentence."""
        return Fact("", self.name[:1].upper() + self.name[1:], sentence)


@dataclass(frozen=True, eq=False, kw_only=True)
class Episodic(World):
    """States that actions change, for rewards, in episodes that end or are cut."""

    n_actions: int
    gamma: float  # the discount of a reward one move later
    max_steps: int  # moves after which an episode is cut
    action_names: tuple[str, ...]

    called = "a world of states, such as a grid"
    example = "grid_world"
    budget_unit = "Episodes"

    @property
    def best(self) -> float:
        """The score of the best policy; NaN where it is not known."""
        return float("nan")

    @property
    def best_within(self) -> float:
        """The score of the best plan that counts the moves until an episode is cut; NaN where it
        is not known."""
        return float("nan")

    @property
    def threshold(self) -> float:
        """The score from which on it counts as solved; NaN where nobody says."""
        return float("nan")


@runtime_checkable
class HasMap(Protocol):
    """A problem whose map people draw: `layout` as text, rows separated by /, a letter a cell."""

    layout: str

    def with_cells(self, cells: tuple[int, ...], letter: str) -> str:
        """The layout with these cells, counted row by row, turned into a letter."""
        ...

    def brushes(self) -> dict[str, str]:
        """What a cell can be: letter and name."""
        ...
