"""Anything that is configured, and the catalogue in which it is found.

The index of a family is the `ENTRIES` of its package: slot -> name -> "module:Class". A module is
imported when its entry is first asked for, so `import mlcore` stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, TypeVar

from mlcore import params
from mlcore.errors import ParamError

C = TypeVar("C", bound=type)

FAMILIES = (
    "mlcore.run",
    "mlcore.data",
    "mlcore.preparation",
    "mlcore.evaluation",
    "mlcore.reduction",
    "mlcore.clustering",
    "mlcore.classification",
    "mlcore.regression",
    "mlcore.ensembles",
    "mlcore.basis",
    "mlcore.kernels",
    "mlcore.optimisation",
    "mlcore.svm",
    "mlcore.decisions",
    "mlcore.labs",
)

# A group asks for several slots at once; names are unique within a group too.
GROUPS = {
    "agent": ("bandit", "planning", "learning"),
    "learner": ("classification", "regression"),
    "method": ("reduction", "clustering", "classification", "regression"),
    "method or pipeline": (
        "reduction",
        "clustering",
        "classification",
        "regression",
        "pipeline",
    ),
    "kernel_methods": ("svm",),
}


@dataclass(frozen=True)
class Card:
    """What the interface and the tests need to know before building one.

    `name` stands in links and saved runs: never renamed, never reused. The first of `slots` is the
    family. `takes` names what `fit` accepts beside X and y; `score` the scoring by which
    the method is judged on rows left out; `cost(n, p, self)` estimates (seconds, bytes) of a fit.
    `stands_for` names a field whose value may be written in place of the entry: `data=iris`.
    `pages` names the pages that show a lab. `stage` is what a preparation step does, where that
    decides on its place among others (`mlcore/preparation/order.py`). `also` are names of the same
    thing elsewhere, such as in a peer: the catalogue lists them, and nothing else knows them.
    `units` says by what an answer depends on the units of the columns, "distances" or "its
    penalty"; empty where it does not.
    """

    name: str
    title: str
    slots: tuple[str, ...]
    paper: str = ""
    task: str = ""
    peer: str = ""
    sources: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    score: str = ""
    random: bool = False
    cost: Callable[[int, int, Any], tuple[float, float]] | None = None
    stands_for: str = ""
    formula: str = ""
    kind: str = "method"
    pages: tuple[str, ...] = ()
    stage: str = ""
    also: tuple[str, ...] = ()
    units: str = ""

    @property
    def family(self) -> str:
        """The slot under which it is listed."""
        return self.slots[0]


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
        """How people call it."""
        return cls.card.title if hasattr(cls, "card") else cls.__name__

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
            said = value.card.name if isinstance(value, Component) else value
            if said not in (values if isinstance(values, tuple) else (values,)):
                return f"{self.title()} with {name} = {said} is not written for scikit-learn."
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


@cache
def index() -> dict[str, dict[str, str]]:
    """Where every entry is found: slot -> name -> "module:Class"."""
    found: dict[str, dict[str, str]] = {}
    for family in FAMILIES:
        for slot, entries_of in import_module(family).ENTRIES.items():
            held = found.setdefault(slot, {})
            if twice := held.keys() & entries_of.keys():
                raise RuntimeError(f"{slot} has two entries called {', '.join(sorted(twice))}")
            held.update(entries_of)
    return found


def slots_of(slot: str) -> tuple[str, ...]:
    """The slots that a slot or group consists of."""
    return GROUPS.get(slot, (slot,))


@cache
def names(slot: str) -> dict[str, str]:
    """The names in a slot or group and where each is found."""
    found: dict[str, str] = {}
    for each in slots_of(slot):
        found |= index().get(each, {})
    return found


@cache
def lookup(slot: str, name: str) -> type[Any]:
    """The component entered in `slot` under `name`, or an error that suggests the nearest name.

    Which class it is, and so what it has, is known when it is found, and not to a type checker.
    """
    where = names(slot).get(name)
    if where is None:
        raise ParamError(unknown(name, names(slot), f"{slot} entry"))
    module, _, cls = where.partition(":")
    return getattr(import_module(module), cls)


def entries(slot: str) -> dict[str, type[Any]]:
    """Everything in a slot or group, by name."""
    return {name: lookup(slot, name) for name in names(slot)}


def fits(value: Any, slot: str) -> bool:
    """Whether `value` is, or names, something of the slot or group."""
    if isinstance(value, str):
        return value in names(slot) or standing_for(slot, value) is not None
    card = getattr(type(value), "card", None)
    return isinstance(card, Card) and bool(set(card.slots) & set(slots_of(slot)))


def made(slot: str, value: Any) -> Any:
    """The component itself, or the one that a name means, with its defaults."""
    if not isinstance(value, str):
        return value
    if value in names(slot):
        return lookup(slot, value)()
    held = standing_for(slot, value)
    if held is None:
        raise ParamError(unknown(value, names(slot), f"{slot} entry"))
    cls, field = held
    return cls(**{field: value})


def standing_for(slot: str, value: str) -> tuple[type[Component], str] | None:
    """The entry of `slot` that may be named by one of its values, and the field: `data=iris`."""
    if slot not in STAND_INS:
        return None
    cls = lookup(slot, STAND_INS[slot])
    field = cls.card.stands_for
    return None if params.params_of(cls)[field].problem(value) else (cls, field)


# The one entry of a slot that may be named by a value (its card says by which field).
STAND_INS = {"data": "table", "source": "bundled"}


def unknown(name: str, known: Iterable[str], what: str) -> str:
    """The sentence for a name that is not known, with the nearest one."""
    near = get_close_matches(name, list(known), n=1)
    shown = name if len(name) <= 60 else name[:57] + "..."
    return f"There is no {what} called {shown!r}." + (f" Did you mean {near[0]!r}?" if near else "")


def warm() -> int:
    """Import every entry, so that later look-ups are quick; returns how many there are."""
    return sum(len(entries(slot)) for slot in index())
