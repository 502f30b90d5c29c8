"""Hyper-parameters as data: one declaration feeds checks, widgets, help, links, files and grids.

A declaration stands as the default of a dataclass field::

    n_clusters: int = integer(3, low=1, soft=(2, 12), symbol="K", doc="Number of centers.")

What each kind checks, writes and offers stands in `mlcore/spine/param_kinds.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields, replace
from functools import cache
from typing import Any

from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import (
    Choice,
    Choices,
    ColumnName,
    Columns,
    Flag,
    Levels,
    NamePairs,
    Number,
    Numbers,
    Param,
    Part,
    Parts,
    Sizes,
    Text,
)
from mlcore.spine.wording import in_sentence


def _declared(param: Param, default: Any) -> Any:
    return field(default=default, metadata={"param": param})


def as_in(declared: type[Any], name: str) -> Any:
    """Declare the same as another component does under this name: said once, and so alike."""
    other = next(each for each in fields(declared) if each.name == name)
    return field(default=other.default, metadata=other.metadata)


def _extras(or_none: str, auto: str, was: Mapping[int, Any] | None) -> dict[str, Any]:
    return {"none": or_none, "auto": auto, "was": tuple(sorted((was or {}).items()))}


def integer(
    default: int | str | None,
    *,
    soft: tuple[int, int],
    doc: str,
    or_none: str = "",
    auto: str = "",
    was: Mapping[int, Any] | None = None,
    **more: Any,
) -> Any:
    """Declare a whole number; `more` are low, high, log, symbol, label, unit, advanced."""
    extras = _extras(or_none, auto, was)
    return _declared(Number(doc=doc, soft=soft, whole=True, **extras, **more), default)


def real(
    default: float | str | None,
    *,
    soft: tuple[float, float],
    doc: str,
    or_none: str = "",
    auto: str = "",
    was: Mapping[int, Any] | None = None,
    **more: Any,
) -> Any:
    """Declare a real number; `more` are low, above, high, below, log, symbol, label, unit."""
    return _declared(Number(doc=doc, soft=soft, **_extras(or_none, auto, was), **more), default)


def flag(default: bool, *, doc: str, **more: Any) -> Any:
    """Declare a yes or no."""
    return _declared(Flag(doc=doc, **more), default)


def choice(default: str, *options: str, doc: str, **more: Any) -> Any:
    """Declare one of `options`."""
    return _declared(Choice(doc=doc, options=options, **more), default)


def choices(default: tuple[str, ...], *options: str, doc: str, **more: Any) -> Any:
    """Declare several of `options`."""
    return _declared(Choices(doc=doc, options=options, **more), default)


def text(default: str | None, *, doc: str, **more: Any) -> Any:
    """Declare a line of text."""
    return _declared(Text(doc=doc, **more), default)


def column(default: str | None, *, doc: str, or_none: str = "", auto: str = "", **more: Any) -> Any:
    """Declare the name of a column."""
    return _declared(ColumnName(doc=doc, none=or_none, auto=auto, **more), default)


def columns(default: tuple[str, ...] = (), *, doc: str, **more: Any) -> Any:
    """Declare names of columns."""
    return _declared(Columns(doc=doc, **more), default)


def levels(default: tuple[str, ...] = (), *, doc: str, **more: Any) -> Any:
    """Declare ordered names."""
    return _declared(Levels(doc=doc, **more), default)


def many(default: tuple[float, ...] = (), *, doc: str, **more: Any) -> Any:
    """Declare a tuple of numbers."""
    return _declared(Numbers(doc=doc, **more), default)


def sizes(default: tuple[int, ...] = (), *, doc: str, **more: Any) -> Any:
    """Declare a tuple of whole numbers; `more` are low, high, soft, most, symbol, label."""
    return _declared(Sizes(doc=doc, **more), default)


def pairs(default: tuple = (), *, doc: str, options: tuple[str, ...] = (), **more: Any) -> Any:
    """Declare a mapping from names to names (to one of `options`, if given)."""
    return _declared(NamePairs(doc=doc, options=options, **more), default)


def part(default: Any = MISSING, *, slot: str, doc: str, **more: Any) -> Any:
    """Declare another configured object; `default` is its name in the slot.

    The default is named, not imported, and made when the component is made: so families depend
    on slots and never on each other.
    """
    return _declared(Part(doc=doc, slot=slot, **more), default)


def parts(default: tuple[str, ...] = (), *, slot: str, doc: str, **more: Any) -> Any:
    """Declare several configured objects, in order."""
    return _declared(Parts(doc=doc, slot=slot, **more), default)


@cache
def params_of(cls: type) -> dict[str, Param]:
    """The declared hyper-parameters of a class, in order."""
    declared = {f.name: f.metadata["param"] for f in fields(cls) if "param" in f.metadata}
    return {name: _with_nouns(param, declared) for name, param in declared.items()}


def _with_nouns(param: Param, declared: Mapping[str, Param]) -> Param:
    """With what people call the settings by which it counts or not."""
    if not param.only_if:
        return param
    nouns = {name: in_sentence(other.label) for name, other in declared.items() if other.label}
    named = (c.named(nouns.get(c.setting, "")) for c in param.only_if)
    return replace(param, only_if=tuple(named))


def counting(component: Any) -> dict[str, Param]:
    """The hyper-parameters that have an effect beside the other settings of the component."""
    declared = params_of(type(component))
    values = {name: getattr(component, name) for name in declared}
    return {name: param for name, param in declared.items() if param.counts(values)}


def default_of(cls: type, name: str, version: int | None = None) -> Any:
    """The default of a hyper-parameter, as plain value; of an earlier link version if given.

    MISSING where a value must be given.
    """
    declared: Field = next(f for f in fields(cls) if f.name == name)
    param: Param = declared.metadata["param"]
    earlier = (old for last, old in param.was if version is not None and version <= last)
    value = next(earlier, declared.default)
    return value if value is MISSING else param.plain(value)


def settle(obj: Any, who: str) -> None:
    """Check every hyper-parameter and make the values plain.

    Raises ParamError for the first that is wrong, in the name of `who`.
    """
    for name, param in params_of(type(obj)).items():
        value = getattr(obj, name)
        if problem := param.problem(value):
            shown = repr(value)
            shown = shown if len(shown) < 80 else shown[:77] + "..."
            raise ParamError(f"{who}: {name} {problem}; got {shown}.")
        object.__setattr__(obj, name, param.plain(value))  # still being built: not yet frozen
