"""Figures as JSON, as plotly.js reads it and Plotly writes it."""

from __future__ import annotations

import base64
import json
from datetime import date, time
from typing import Any

import numpy as np

TYPED = {"i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"}  # arrays that a browser has
SHORT = {"i8": ("i1", "i2", "i4"), "u8": ("u1", "u2", "u4")}
# What Plotly, too, hands over as lists.
AS_LISTS = ("range", "base", "layer", "layers", "geojson")


def written(tree: dict[str, Any]) -> str:
    """The JSON of nested dicts, lists and arrays; what is no finite number of a list is null."""
    text = _ENCODER.encode(_plain(tree))
    if "NaN" in text or "Infinity" in text:  # perhaps in a name
        text = _ENCODER.encode(json.loads(text, parse_constant=lambda _: None))
    return text


def _plain(value: Any) -> Any:
    if type(value) is dict:
        return {key: _listed(it) if key in AS_LISTS else _plain(it) for key, it in value.items()}
    if type(value) is np.ndarray:
        return typed(value)
    if type(value) is list and value and type(value[0]) is dict:
        return [_plain(it) for it in value]
    return value


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else _plain(value)


def typed(values: np.ndarray) -> Any:
    """An array in Plotly's typed-array notation; as a list where it has texts or nothing."""
    values = _short(values)
    code = f"{values.dtype.kind}{values.dtype.itemsize}"
    if values.dtype.kind == "M":
        return np.datetime_as_string(values).tolist()
    if code not in TYPED or not values.size:
        return values.tolist()
    out = {"dtype": code, "bdata": base64.b64encode(values.tobytes()).decode("ascii")}
    return out if values.ndim == 1 else out | {"shape": ", ".join(map(str, values.shape))}


def _short(values: np.ndarray) -> np.ndarray:
    """Whole numbers of 64 bits in the shortest type that a browser has and that holds them."""
    kinds = SHORT.get(values.dtype.str[1:])
    if kinds is None or not values.size:
        return values
    low, high = int(values.min()), int(values.max())
    limits = ((kind, np.iinfo(kind)) for kind in kinds)
    kind = next((kind for kind, it in limits if it.min <= low and high <= it.max), None)
    return values if kind is None else values.astype(kind)


def _other(value: Any) -> Any:
    """What JSON has no form for: numbers and arrays of numpy inside lists, days, missing values."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if str(value) in ("<NA>", "NaT"):  # of pandas
        return None
    return value.isoformat() if isinstance(value, date | time) else float(value)


_ENCODER = json.JSONEncoder(separators=(",", ":"), default=_other, check_circular=False)
