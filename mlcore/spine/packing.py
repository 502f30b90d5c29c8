"""Fits as plain values and named arrays, and back, without running anything that a file says.

A file never names a class. What a fit is follows from the method that made it, which is found in
the catalogue, and what its fields hold from their declared types. In JSON stand

    null, true, 3, 0.5, "text", [...]         themselves; a list is a tuple
    {"number": "nan"}                         what JSON cannot say of a number
    {"array": "a3"}, {"scalar": "a4"}         an array, or the one value of it
    {"part": {...}, "slot": "kernel"}         a component, as in a saved run
    {"fit": {...}}                            a fit, its class by its field `made_by`
    {"fields": {...}}                         what the type of the field says
"""

from __future__ import annotations

import math
import types
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from mlcore.spine import codec, registry
from mlcore.spine.component import Component
from mlcore.spine.errors import FileError
from mlcore.spine.fit import Fit
from mlcore.spine.method import Method

KINDS_OF_ARRAYS = "biufU"  # truth, whole and real numbers, text: nothing that could be executed


class Packing:
    """Takes values apart; the arrays gather in `arrays`."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def plain(self, value: Any) -> Any:
        """The value as plain JSON. Raises FileError for what cannot be saved."""
        if isinstance(value, np.generic):
            return {"scalar": self._named(np.asarray(value))}
        if isinstance(value, np.ndarray):
            return {"array": self._named(value)}
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"number": repr(value)}
        if isinstance(value, Component):
            return {"part": codec.encode(value), "slot": value.card.family}
        if isinstance(value, Fit):
            return {"fit": self._fit(value)}
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            return [self.plain(item) for item in value]
        return {"fields": self._fields(value)}

    def _named(self, array: np.ndarray) -> str:
        if array.dtype.kind not in KINDS_OF_ARRAYS:
            raise FileError(
                f"An array of type {array.dtype} cannot be saved. Use labels that are texts or "
                "whole numbers."
            )
        name = f"a{len(self.arrays)}"
        self.arrays[name] = array
        return name

    def _fit(self, fit: Fit) -> dict[str, Any]:
        method = fit.made_by
        if not isinstance(method, Method) or method.fit_class() is not type(fit):
            raise FileError(f"{method.title()} gives a fit that does not say how it is read back.")
        return self._fields(fit)

    def _fields(self, record: Any) -> dict[str, Any]:
        if not hasattr(record, "_fields") and not is_dataclass(record):
            raise FileError(f"A value of type {type(record).__name__} cannot be saved.")
        return {name: self.plain(getattr(record, name)) for name in field_names(type(record))}


def field_names(cls: Any) -> tuple[str, ...]:
    """The fields of a frozen record that it is made from."""
    if hasattr(cls, "_fields"):
        return cls._fields
    return tuple(f.name for f in fields(cls) if f.init)


def fields_with_default(cls: Any) -> set[str]:
    """Those of them that need not be given."""
    if hasattr(cls, "_fields"):
        return set(cls._field_defaults)
    return {f.name for f in fields(cls) if f.default is not MISSING}


class Unpacking:
    """Puts values together again from what JSON says and the arrays beside it."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self.arrays = arrays

    def value(self, plain: Any, hint: Any = Any) -> Any:
        """The value where one of type `hint` is expected. Raises FileError if it is none."""
        value = self._value(plain, hint)
        if not _suits(value, hint):
            raise FileError(
                f"This saved model is damaged: it has {type(value).__name__} where "
                f"{_name(hint)} belongs."
            )
        return value

    def _value(self, plain: Any, hint: Any) -> Any:
        if isinstance(plain, list):
            return self._tuple(plain, hint)
        if not isinstance(plain, dict):
            return plain
        if len(plain) == 2 and plain.keys() == {"part", "slot"} and isinstance(plain["slot"], str):
            return codec.decode(plain["slot"], plain["part"])
        if len(plain) == 1:
            ((kind, content),) = plain.items()
            if kind == "fit":
                return self.fit(content)
            if kind == "fields":
                return self._record(content, _record_of(hint))
            if kind == "number" and content in ("nan", "inf", "-inf"):
                return float(content)
            if kind in ("array", "scalar") and isinstance(content, str) and content in self.arrays:
                array = self.arrays[content]
                return array if kind == "array" else array[()]
        raise FileError("This saved model is damaged: it holds something that is no value.")

    def _tuple(self, plain: list[Any], hint: Any) -> tuple[Any, ...]:
        inner = next((get_args(a) for a in _options(hint) if get_origin(a) is tuple), ())
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(self.value(item, inner[0]) for item in plain)
        if len(inner) == len(plain):
            return tuple(self.value(item, of) for item, of in zip(plain, inner, strict=True))
        return tuple(self.value(item) for item in plain)

    def fit(self, plain: Any) -> Fit:
        """A fit, whose class follows from the method that made it.

        Raises FileError if no method is named or the numbers do not belong together.
        """
        method = self.value(plain.get("made_by") if isinstance(plain, dict) else None)
        if not isinstance(method, Method):
            raise FileError("This saved model is damaged: it does not say which method made it.")
        fit = self._record(plain, method.fit_class())
        if not fit.holds_together():
            raise FileError("This saved model is damaged: its numbers do not belong together.")
        return fit

    def _record(self, plain: Any, cls: type) -> Any:
        names = field_names(cls)
        due = set(names) - fields_with_default(cls)  # a field of today has one in files of before
        if not isinstance(plain, dict) or not due <= plain.keys() <= set(names):
            raise FileError(
                f"This saved model does not fit this release: {cls.__name__} has the fields "
                f"{', '.join(names)}. Fit the method again."
            )
        hints = get_type_hints(cls)
        return cls(**{n: self.value(plain[n], hints[n]) for n in names if n in plain})


def _options(hint: Any) -> tuple[Any, ...]:
    """What a hint allows: the members of a union, or itself."""
    is_union = get_origin(hint) in (Union, types.UnionType)
    return get_args(hint) if is_union else (hint,)


def _record_of(hint: Any) -> type:
    """The one record that a hint allows."""
    records = [a for a in _options(hint) if isinstance(a, type) and _is_record(a)]
    if len(records) != 1:
        raise FileError("This saved model is damaged: it has fields where a plain value belongs.")
    return records[0]


def _is_record(cls: type) -> bool:
    is_ours = cls.__module__.partition(".")[0] == "mlcore"
    is_known = is_ours or registry.package_of(cls.__module__) is not None
    return is_known and (hasattr(cls, "_fields") or is_dataclass(cls))


def _suits(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that a hint names."""
    for option in _options(hint):
        cls = get_origin(option) or option
        if cls is Any or (cls is None and value is None):
            return True
        if cls is float and isinstance(value, int) and not isinstance(value, bool):
            return True
        if isinstance(cls, type) and isinstance(value, cls):
            return True
    return False


def _name(hint: Any) -> str:
    return getattr(hint, "__name__", str(hint))
