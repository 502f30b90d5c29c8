"""Packages of others that add methods, views and data sets of their own.

A package declares an entry point in the group `mlscope.methods`, which names a module that holds

    ENTRIES = {"classification": {"one_rule": "one_rule.method:OneRule"}}   as our families have it
    VIEWS = ("one_rule.views",)                     modules whose functions are entered with `@view`
    EXAMPLES = ("examples.toml",)                   files beside it, as in sample_data/examples

each of them if there is something to say. A package that is broken, or takes a name that is taken,
is left out as a whole and told in a sentence; nothing else changes.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

LOG = logging.getLogger(__name__)
GROUP = "mlscope.methods"
VARIABLE = "MLSCOPE_PACKAGES"  # "all", "none", or the names of those that are let in
ALL, NONE = "all", "none"
# What stands in links, saved runs and keys of controls.
NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)
LONGEST = {"title": 80, "line": 120}  # letters of the texts that stand in every list
MOST_TOLD = 300  # letters of an error

Index = Mapping[str, Mapping[str, str]]
_LEFT_OUT: dict[str, str] = {}  # by package and part: the sentence


@dataclass(frozen=True)
class Package:
    """What one package adds."""

    name: str
    version: str
    module: str
    entries: Index
    views: tuple[str, ...] = ()
    examples: tuple[Path, ...] = ()

    @property
    def title(self) -> str:
        """How it is named in a sentence."""
        return f"{self.name} {self.version}".strip()

    def holds(self, module: str) -> bool:
        """Whether a module belongs to it."""
        return module.partition(".")[0] == self.module.partition(".")[0]


def packages(
    ours: Index,
    groups: Mapping[str, tuple[str, ...]],
    trying: Callable[[list[Index]], AbstractContextManager[None]],
) -> tuple[Package, ...]:
    """The packages that are let in, whose names clash with none of ours or of one before.

    Within `trying` the catalogue holds what these indexes list, so that entries can be made.
    """
    accepted: list[Package] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        package = _named(point)
        if not _is_let_in(package.name):
            continue
        try:
            others = [ours, *(other.entries for other in accepted)]
            with trying(others):
                whole = _read(package)
            _check_names(whole, others, groups)
            with trying([*others, whole.entries]):
                _check_classes(whole)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # what is imported may raise anything at all
            leave_out(package, error)
        else:
            accepted.append(whole)
    return tuple(accepted)


def leave_out(package: Package, error: BaseException, what: str = "") -> None:
    """Tell that a package, or `what` of it, is left out, and why."""
    why = _line_of(error)
    why = why if len(why) <= MOST_TOLD else f"{why[:MOST_TOLD]}…"
    kind = "" if isinstance(error, Unfit) else f"{type(error).__name__}: "
    whole = f"the package {package.title}"
    who = f"{what[:1].upper()}{what[1:]} of {whole} are" if what else f"T{whole[1:]} is"
    sentence = f"{who} left out: {kind}{why or 'it says no more'}."
    LOG.warning(sentence, exc_info=None if isinstance(error, Unfit) else error)
    _LEFT_OUT.setdefault(f"{package.name} {what}", sentence)


def _line_of(error: BaseException) -> str:
    """The first line of what an error says. It may be one whose text cannot be made."""
    try:
        return str(error).strip().split("\n")[0].rstrip(".")
    except Exception:  # noqa: BLE001  # its own `__str__` may do anything
        return ""


def left_out() -> tuple[str, ...]:
    """A sentence for whatever is left out, as far as it has been asked for by now."""
    return tuple(_LEFT_OUT.values())


class Unfit(ValueError):  # noqa: N818  # it says what the package is
    """What a package says is not what is asked of one; its text is the end of a sentence."""


def carried_over(
    package: Package, before: Mapping[str, Any], read: Callable[[], Mapping[str, Any]], what: str
) -> dict[str, Any]:
    """What is there with what a package adds by `read`, or without it where it is unfit.

    Both are by name, and what they hold has a `title`.
    """
    try:
        added = read()
        for name, one in added.items():
            _check_listed(what, name, {"title": one.title})
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # as above
        leave_out(package, error, what)
        return dict(before)
    if twice := before.keys() & added.keys():
        taken = f"the name {min(twice)!r} is taken by one that was there; rename it"
        leave_out(package, Unfit(taken), what)
        return dict(before)
    return {**before, **added}


def _is_let_in(name: str) -> bool:
    wanted = {word.strip().lower() for word in os.environ.get(VARIABLE, ALL).split(",")}
    return NONE not in wanted and (ALL in wanted or name.lower() in wanted)


def _named(point: EntryPoint) -> Package:
    name = point.dist.name if point.dist else point.name
    return Package(name, point.dist.version if point.dist else "", point.module, {})


def _read(package: Package) -> Package:
    """What the module of a package lists, checked for its form."""
    module = import_module(package.module)
    says = vars(module)
    entries = says.get("ENTRIES", {})
    if not isinstance(entries, dict) or not all(map(_is_slot, entries.items())):
        raise Unfit(f"ENTRIES of {package.module} is no mapping of slots to names and places")
    views = tuple(says.get("VIEWS", ()))
    examples = tuple(_beside(module, name) for name in says.get("EXAMPLES", ()))
    if not (entries or views or examples):
        raise Unfit(f"{package.module} has none of ENTRIES, VIEWS and EXAMPLES")
    return Package(package.name, package.version, package.module, entries, views, examples)


def _is_slot(item: tuple[Any, Any]) -> bool:
    slot, named = item
    return isinstance(slot, str) and isinstance(named, dict) and all(map(_is_line, named.items()))


def _is_line(item: tuple[Any, Any]) -> bool:
    name, where = item
    return isinstance(name, str) and isinstance(where, str) and where.count(":") == 1


def _beside(module: ModuleType, name: str) -> Path:
    own = Path(str(module.__file__)).parent.resolve()
    path = (own / name).resolve()
    if not (path.is_file() and path.is_relative_to(own)):
        raise Unfit(f"it has no file {name} beside {module.__name__}")
    return path


def _check_names(
    package: Package, others: list[Index], groups: Mapping[str, tuple[str, ...]]
) -> None:
    """Raise Unfit for a name that something else has in the slot, or in a group of slots."""
    for slot, name, where in _lines(package.entries):
        _check_listed("slots", slot, {})
        _check_listed(f"entries in {slot}", name, {})
        near = {slot, *(other for slots in groups.values() if slot in slots for other in slots)}
        for other in others:
            for each in sorted(near & other.keys()):
                if name in other[each]:
                    raise Unfit(
                        f"its {slot} entry {name!r} ({where}) has the name of {other[each][name]}; "
                        "rename it, best with the name of the package before it"
                    )


def _check_classes(package: Package) -> None:
    """Raise Unfit for a line that leads to no component of that name and slot.

    They are imported and made here: what fails then would else fail on every page that lists
    methods.
    """
    for slot, name, where in _lines(package.entries):
        module, _, cls = where.partition(":")
        it = vars(import_module(module)).get(cls)
        if not _is_a(it, "mlcore.spine.component", "Component"):
            raise Unfit(f"{where} is no component")
        card = it.card
        if card.name != name or slot not in card.slots:
            raise Unfit(
                f"the card of {where} says {card.name!r} in {', '.join(card.slots)}, its index "
                f"{name!r} in {slot}"
            )
        _check_listed(f"entries in {slot}", name, {"title": card.title, "line": card.line})
        _try(it)


def _check_listed(what: str, name: str, texts: Mapping[str, Any]) -> None:
    """Raise Unfit for a name that no link can hold, or a text that no list can."""
    if not NAME.fullmatch(name):
        raise Unfit(
            f"{name[:MOST_TOLD]!r} among its {what} is no name of small letters, digits and _, at "
            "most 60"
        )
    for part, text in texts.items():
        if not isinstance(text, str) or len(text) > LONGEST[part]:
            raise Unfit(f"the {part} of {name} is no text of at most {LONGEST[part]} letters")


def _is_a(it: Any, module: str, name: str) -> TypeGuard[Any]:
    """Whether it is a class of ours, or of others that derives from it.

    By name, because the modules of these classes stand on the registry, which stands on this one.
    """
    bases = it.__mro__ if isinstance(it, type) else ()
    return any((base.__module__, base.__name__) == (module, name) for base in bases)


def _try(cls: Any) -> None:
    """Make one with its defaults, and ask it what every list of methods asks."""
    if any(f.default is MISSING and f.default_factory is MISSING for f in fields(cls)):
        return  # it is made with what others give it
    it = cls()
    if cls.card.cost is not None:
        cls.card.cost(10, 2, it)
    if _is_a(cls, "mlcore.spine.method", "Method"):
        it.fit_class()


def _lines(entries: Index) -> Iterator[tuple[str, str, str]]:
    for slot, named in entries.items():
        for name, where in named.items():
            yield slot, name, where
