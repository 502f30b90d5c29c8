"""Where every entry is found, and the look-up by slot and name.

The index of a family is the `ENTRIES` of its package: slot -> name -> "module:Class". A module is
imported when its entry is first asked for, so `import mlcore` stays light. Packages of others add
theirs here and nowhere else (`mlcore/spine/outside.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from threading import RLock
from typing import Any

from mlcore.spine import outside
from mlcore.spine.errors import ParamError

Index = dict[str, dict[str, str]]  # slot -> name -> "module:Class"
FAMILIES = (
    "mlcore.runs",
    "mlcore.data",
    "mlcore.preparation",
    "mlcore.evaluation",
    "mlcore.reduction",
    "mlcore.gaussians",
    "mlcore.clustering",
    "mlcore.novelty",
    "mlcore.classification",
    "mlcore.regression",
    "mlcore.neighbours",
    "mlcore.trees",
    "mlcore.ensembles",
    "mlcore.basis",
    "mlcore.kernels",
    "mlcore.distances",
    "mlcore.optimisation",
    "mlcore.svm",
    "mlcore.gaussian_process",
    "mlcore.neural",
    "mlcore.sequences",
    "mlcore.decisions",
    "mlcore.labs",
)

# A group asks for several slots at once; names are unique within a group too.
GROUPS = {
    "agent": ("bandit", "planning", "learning"),
    "learner": ("classification", "regression"),
    "method": ("reduction", "clustering", "novelty", "classification", "regression", "sequences"),
    "method or pipeline": (
        "reduction",
        "clustering",
        "novelty",
        "classification",
        "regression",
        "sequences",
        "pipeline",
    ),
    "kernel_methods": ("svm", "gaussian_process"),
    "groups_and_novelty": ("clustering", "novelty"),
    "classes_and_novelty": ("classification", "novelty"),
}


_READ: list[tuple[outside.Package, ...]] = []  # the packages, once they are read
_READING = RLock()  # packages of others are read once, by the thread that comes first
_TRIED: list[Index] = []  # what the catalogue holds while one of them is tried


def index() -> Index:
    """Where every entry is found: slot -> name -> "module:Class", those of others too.

    Raises RuntimeError if a slot has two entries of one name.
    """
    if not _READ:
        with _READING:
            if _TRIED:
                return _TRIED[-1]
            if not _READ:
                _READ.append(outside.packages(own_index(), GROUPS, _trying))
    return _index()


@cache
def _index() -> Index:
    return _joined([own_index(), *(package.entries for package in _READ[0])])


def _joined(indexes: Iterable[outside.Index]) -> Index:
    every: Index = {}
    for each in indexes:
        for slot, named in each.items():
            every.setdefault(slot, {}).update(named)
    return every


@contextmanager
def _trying(indexes: list[outside.Index]) -> Iterator[None]:
    """Have the catalogue hold these and nothing else, for the thread that reads packages."""
    _TRIED.append(_joined(indexes))
    try:
        yield
    finally:
        _TRIED.pop()
        names.cache_clear()
        lookup.cache_clear()


def packages() -> tuple[outside.Package, ...]:
    """The packages of others that add something; none while one of them is tried."""
    index()
    return _READ[0] if _READ else ()


def package_of(module: str) -> outside.Package | None:
    """The package of others that a module belongs to."""
    return next((package for package in packages() if package.holds(module)), None)


@cache
def own_index() -> Index:
    """What our own families list. Raises RuntimeError if a slot has two entries of one name."""
    entries_by_slot: Index = {}
    for family in FAMILIES:
        for slot, entries_of in import_module(family).ENTRIES.items():
            slot_entries = entries_by_slot.setdefault(slot, {})
            if twice := slot_entries.keys() & entries_of.keys():
                raise RuntimeError(f"{slot} has two entries called {', '.join(sorted(twice))}")
            slot_entries.update(entries_of)
    return entries_by_slot


def slots_of(slot: str) -> tuple[str, ...]:
    """The slots that a slot or group consists of."""
    return GROUPS.get(slot, (slot,))


@cache
def names(slot: str) -> dict[str, str]:
    """The names in a slot or group and where each is found."""
    locations: dict[str, str] = {}
    for each in slots_of(slot):
        locations |= index().get(each, {})
    return locations


@cache
def lookup(slot: str, name: str) -> type[Any]:
    """The component entered in `slot` under `name`; which class it is no type checker knows.

    Raises ParamError, which suggests the nearest name, if there is none.
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
    return bool(set(getattr(card, "slots", ())) & set(slots_of(slot)))


def made(slot: str, value: Any) -> Any:
    """The component itself, or the one that a name means, with its defaults.

    Raises ParamError if nothing in the slot has this name.
    """
    if not isinstance(value, str):
        return value
    if value in names(slot):
        return lookup(slot, value)()
    stand_in = standing_for(slot, value)
    if stand_in is None:
        raise ParamError(unknown(value, names(slot), f"{slot} entry"))
    cls, field = stand_in
    return cls(**{field: value})


def standing_for(slot: str, value: str) -> tuple[type[Any], str] | None:
    """The entry of `slot` that may be named by one of its values, and the field: `data=iris`."""
    if slot not in STAND_INS:
        return None
    cls = lookup(slot, STAND_INS[slot])
    field = cls.card.stands_for
    declared = next(f.metadata["param"] for f in fields(cls) if f.name == field)
    return None if declared.problem(value) else (cls, field)


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
