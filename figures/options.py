"""What a person may choose of a picture: options declared beside its drawing, and the axes.

Options are declared like the settings of a method, by the fields of `mlcore.spine.params`. Where
the possible values depend on what is drawn, `among` says how they are found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import default_of, params_of
from mlcore.spine.wording import spelled

MOST_NAMED = 8  # values in the sentence of a wrong one

# What there is to draw, by name: dataset, outcome, whole, fit, ...
Offered = Mapping[str, Any]
# The values that can be had and how people call them; None is every valid value.
Values = Mapping[Any, str] | None


@enter(Card("view_options", "Options", ("view_options",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Options(Component):
    """What may be chosen of one picture; the default of each is what is drawn unasked."""

    is_common: ClassVar[bool] = False  # whether a choice is one for all pictures that have it


class Axes(NamedTuple):
    """The columns that all pictures of rows share as axes; where empty, each picture chooses."""

    x: str = ""
    y: str = ""


ANY_AXES = Axes()


class Look(NamedTuple):
    """How the pictures of a result are looked at: their axes, and options by name of the view."""

    axes: Axes = ANY_AXES
    options: Mapping[str, Options] = {}


def among(declared: Any, find: Callable[[Offered], Values]) -> Any:
    """A declared option whose values are found in what is drawn: none, where it has no meaning."""
    return field(default=declared.default, metadata={**declared.metadata, "found": find})


def values(options: type[Options], offered: Offered) -> dict[str, Values]:
    """The values that can be had of each option."""
    return {
        each.name: each.metadata["found"](offered) if "found" in each.metadata else None
        for each in fields(options)
    }


def settled(options: Options, offered: Offered) -> tuple[Options, tuple[str, ...]]:
    """The options with defaults for what cannot be had here, and a sentence for each of those."""
    problems, kept, declared = [], {}, params_of(type(options))
    for name, available in values(type(options), offered).items():
        value, default = getattr(options, name), default_of(type(options), name)
        if available is None or value in available or value == default:
            continue
        kept[name] = default
        problems.append(_lost(declared[name].noun(name), value, available))
    return (replace(options, **kept) if kept else options), tuple(problems)


def _lost(noun: str, value: Any, available: Mapping[Any, str]) -> str:
    """Why a value cannot be had, in the words of the control."""
    titles = [title for one_of, title in available.items() if one_of is not None]
    if not titles:
        return (
            f"The option {noun!r} has no meaning for this result, so {spelled(str(value))} is left "
            "aside."
        )
    more = f" or {len(titles) - MOST_NAMED} others" if len(titles) > MOST_NAMED else ""
    known = f"{', '.join(titles[:MOST_NAMED])}{more}"
    return f"The option {noun!r} must be one of {known}; it is {value!r}. The default is used."
