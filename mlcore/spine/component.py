"""Anything that is configured: its card, its hyper-parameters, the parts it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from mlcore.spine import params
from mlcore.spine.errors import ParamError

C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class Card:
    """What the interface and the tests need to know before building one.

    `name` stands in links and saved runs: never renamed, never reused. The first of `slots` is the
    family. `takes` names what `fit` accepts beside X and y; `scores` the scorings by which the
    method is judged, its headline first; `cost(n, p, self)` estimates (seconds, bytes) of a fit.
    `stands_for` names a field whose value may be written in place of the entry: `data=iris`.
    `pages` names the pages that show a lab. `stage` is what a preparation step does, where that
    decides on its place among others (`mlcore/preparation/order.py`). `also` are names of the same
    thing elsewhere, such as in a peer: the catalogue lists them, and nothing else knows them.
    `synonyms` are the terms of other libraries and courses by which a search finds it.
    `units` says by what an answer depends on the units of the columns, "distances" or "its
    penalty"; empty where it does not. `weigh` says what a row of weight 2 is: "copies", two equal
    rows, or "precisions", one whose target has half the variance; empty where neither is promised.
    `line` says in at most 45 characters what it does, for lists.
    """

    name: str
    title: str
    slots: tuple[str, ...]
    paper: str = ""
    task: str = ""
    peer: str = ""
    sources: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    random: bool = False
    cost: Callable[[int, int, Any], tuple[float, float]] | None = None
    stands_for: str = ""
    formula: str = ""
    kind: str = "method"
    pages: tuple[str, ...] = ()
    stage: str = ""
    also: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    units: str = ""
    weigh: str = ""
    line: str = ""

    @property
    def family(self) -> str:
        """The slot under which it is listed."""
        return self.slots[0]

    @property
    def learns_from(self) -> str:
        """The task whose target a fit is given: `task`, classes for what takes any target and
        predicts none, empty for what learns without."""
        return self.task or ("classification" if "target" in self.takes else "")


@dataclass(frozen=True, kw_only=True)
class Component:
    """Hyper-parameters and nothing else: immutable, comparable, checked when made.

    `peer_differs` says in a sentence where the peer on the card decides otherwise, if it does.
    """

    card: ClassVar[Card]
    peer_differs: ClassVar[str] = ""

    def __post_init__(self) -> None:
        params.settle(self, self.title())
        if wrong := self.conflict():
            raise ParamError(wrong)

    @classmethod
    def title(cls) -> str:
        """The title of its card, by which people know it."""
        return cls.card.title if hasattr(cls, "card") else cls.__name__

    def takes_missing(self) -> bool:
        """Whether a fit accepts rows with missing values, NaN: as its card says.

        A method that hands its rows to a method inside it may say what that one does.
        """
        return "missing" in self.card.takes

    def conflict(self) -> str | None:
        """What is wrong with the values together, as a sentence, or None."""
        return None

    def peer_settings(self) -> dict[str, Any] | str:
        """These settings in the words of the peer on the card, or why it has none, a sentence."""
        return f"{self.title()} is not written for scikit-learn."

    def beyond_peer(self, **known: Any) -> str:
        """A sentence on the first setting that is not written for its peer; empty if all are.

        `known` gives the values of a setting, or the names of a part, that are.
        """
        for name, values in known.items():
            value = getattr(self, name)
            setting = value.card.name if isinstance(value, Component) else value
            if setting not in (values if isinstance(values, tuple) else (values,)):
                return f"{self.title()} with {name} = {setting} is not written for scikit-learn."
        return ""

    def parts(self) -> list[Component]:
        """The components it is made of, in order, not itself."""
        values = (getattr(self, f.name) for f in fields(self))
        each = (v if isinstance(v, tuple) else (v,) for v in values)
        return [item for items in each for item in items if isinstance(item, Component)]


def enter(card: Card) -> Callable[[C], C]:
    """Give a class its card. The family's `ENTRIES` says where it is found."""

    def entered(cls: C) -> C:
        setattr(cls, "card", card)  # noqa: B010  # any class may be entered, whatever it declares
        return cls

    return entered
