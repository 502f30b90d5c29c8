"""Components as nested dicts, as flat text pairs, as Python; and back.

nested   {"use": "kmeans", "n_clusters": 4}                 saved runs: every value
flat     {"method": "kmeans", "method.n_clusters": "4"}     links: what differs from the defaults
Python   KMeans(n_clusters=4, max_iter=300, ...)            scripts: every value
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any

from mlcore.spine import written
from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.groups import Group
from mlcore.spine.param_kinds import NONE, Param, Part, Parts
from mlcore.spine.params import default_of, params_of
from mlcore.spine.registry import STAND_INS, lookup, names, standing_for, unknown

LINE, INDENT = 84, 4  # columns of a line of Python, and of a level within another
MAX_DEPTH = 8  # levels of parts within parts that a link or file may have


def encode(component: Component) -> dict[str, Any]:
    """Its name and every value, nested, ready for JSON."""
    values = {f.name: _encoded(getattr(component, f.name)) for f in fields(component)}
    return {"use": component.card.name, **values}


def digest(component: Component, *, without: tuple[str, ...] = ()) -> str:
    """SHA-256 of the canonical JSON: equal components have equal digests on every machine.

    The settings `without` are left out, as though the component had none of that name.
    """
    named = {name: value for name, value in encode(component).items() if name not in without}
    text = json.dumps(named, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _encoded(value: Any) -> Any:
    if isinstance(value, Component):
        return encode(value)
    return [_encoded(item) for item in value] if isinstance(value, tuple) else value


def decode(slot: str, d: Any, depth: int = 0) -> Component:
    """The component of `slot` that a nested dict describes. Raises ParamError if it does not."""
    if depth > MAX_DEPTH:
        raise ParamError(f"A saved run may nest at most {MAX_DEPTH} levels of parts.")
    if isinstance(d, str):
        d = {"use": d}
    if not isinstance(d, dict) or not isinstance(d.get("use"), str):
        raise ParamError(f"A {slot} must be written as an object with its name under 'use'.")
    cls = lookup(slot, d["use"])
    values = {}
    for name, value in d.items():
        if name != "use":
            values[name] = _decoded(_param(cls, name), value, depth)
    return cls(**values)


def _param(cls: type[Component], name: str) -> Param:
    if name not in params_of(cls):
        raise ParamError(unknown(name, params_of(cls), f"setting of {cls.title()}"))
    return params_of(cls)[name]


def _decoded(param: Param, value: Any, depth: int) -> Any:
    if isinstance(param, Parts):
        if not isinstance(value, list):
            raise ParamError(f"Several of {param.slot} must be written as a list.")
        return tuple(decode(param.slot, item, depth + 1) for item in value)
    if isinstance(param, Part):
        return value if param.is_word(value) else decode(param.slot, value, depth + 1)
    return _tuples(value)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def flatten(component: Component, at: str = "") -> dict[str, str]:
    """Dotted text pairs of the values that differ from their defaults.

    What a run is made of is always named, so that a link can be read; parts of these only where
    they differ.
    """
    pairs: dict[str, str] = {}
    for name, param in params_of(type(component)).items():
        key, value = f"{at}{name}", getattr(component, name)
        if isinstance(param, Group):
            for inner, item in value:
                pairs |= flatten(item, f"{at}{inner}.")
        elif isinstance(param, Parts):
            if value != default_of(type(component), name):
                pairs[key] = written.join((item.card.name for item in value), "~")
                for i, item in enumerate(value):
                    pairs |= flatten(item, f"{key}.{i}.")
        elif isinstance(param, Part) and not param.is_word(value):
            if not at or value != default_of(type(component), name):
                pairs |= _flat_part(key, param.slot, value)
        elif value != default_of(type(component), name):
            pairs[key] = param.write(value)
    return pairs


def _flat_part(key: str, slot: str, part: Component) -> dict[str, str]:
    """One part; where its card allows, the value that stands for it is written instead."""
    inner = flatten(part, f"{key}.")
    field = part.card.stands_for if STAND_INS.get(slot) == part.card.name else ""
    if not field:
        return {key: part.card.name} | inner
    # The value that stands for the entry is named also where it is the default.
    value, param = getattr(part, field), params_of(type(part))[field]
    if isinstance(param, Part):
        inner = _flat_part(f"{key}.{field}", param.slot, value) | inner
    return {key: inner.pop(f"{key}.{field}", None) or param.write(value)} | inner


class Reading:
    """Reads pairs of a link one by one; what cannot be used becomes a sentence in `problems`."""

    def __init__(self, pairs: dict[str, str], version: int) -> None:
        self.pairs = pairs
        self.version = version
        self.used: set[str] = set()
        self.problems: list[str] = []

    def component(self, cls: type[Component], at: str = "", given: dict | None = None) -> Component:
        """The component of class `cls` that the pairs under `at` describe."""
        values: dict[str, Any] = dict(given or {})
        for name, param in params_of(cls).items():
            if name not in values and (value := self._value(cls, name, param, at)) is not MISSING:
                values[name] = value
        return self._built(cls, values)

    def _value(self, cls: type[Component], name: str, param: Param, at: str) -> Any:
        key = f"{at}{name}"
        default = default_of(cls, name, self.version)
        if isinstance(param, Group):
            return self._group(at, param)
        if isinstance(param, Parts):
            return self._parts(key, param, default)
        if isinstance(param, Part):
            return self._part(key, param, default)
        return self._plain(key, param, default)

    def _group(self, at: str, param: Group) -> tuple[tuple[str, Component], ...]:
        """The components of a group of which the pairs under `at` give a value."""
        inner = (key.removeprefix(at) for key in self.pairs if key.startswith(at))
        wanted = {key.partition(".")[0] for key in inner if "." in key}
        known = param.known() if wanted else {}
        return tuple(
            (name, self.component(known[name], f"{at}{name}."))
            for name in sorted(wanted & known.keys())
        )

    def _plain(self, key: str, param: Param, default: Any) -> Any:
        if (text := self._take(key)) is None:
            return default
        try:
            value = param.parse(text)
        except (ValueError, KeyError):
            return self._problem(f"{key} cannot be read from {_short(text)}", default)
        if problem := param.problem(value):
            return self._problem(f"{key} {problem}; the link says {_short(text)}", default)
        return value

    def _part(self, key: str, param: Part, default: Any) -> Any:
        text = self._take(key)
        if text is not None and param.is_word(None if text == NONE else text):
            return param.parse(text)
        if text is None:
            if not isinstance(default, Component):
                return default
            text = default.card.name
        return self._named(key, param.slot, text, default)

    def _parts(self, key: str, param: Parts, default: Any) -> Any:
        text = self._take(key)
        if text is None:
            items = [item.card.name for item in default]
        else:
            items = written.split(text, "~")
        if not param.least <= len(items) <= param.most:
            return self._problem(f"{key} must name {param.least} to {param.most} parts", default)
        parts = (self._named(f"{key}.{i}", param.slot, n, None) for i, n in enumerate(items))
        existing = tuple(item for item in parts if item is not None)
        if len(existing) < param.least:
            known = "1 part that exists" if param.least == 1 else f"{param.least} parts that exist"
            return self._problem(f"{key} must name at least {known}", default)
        return existing

    def _named(self, key: str, slot: str, text: str, default: Any) -> Any:
        """The part that `text` names, itself or through the value that stands for it."""
        if key.count(".") >= MAX_DEPTH:
            return self._problem(f"{key} is nested deeper than {MAX_DEPTH} levels", default)
        if text in names(slot):
            return self.component(lookup(slot, text), f"{key}.")
        stand_in = standing_for(slot, text)
        if stand_in is None:
            return self._problem(unknown(text, names(slot), f"{slot} entry"), default)
        cls, field = stand_in
        param = params_of(cls)[field]
        value = text
        if isinstance(param, Part):
            value = self._named(f"{key}.{field}", param.slot, text, None)
        return self.component(cls, f"{key}.", {field: value})

    def _built(self, cls: type[Component], values: dict[str, Any]) -> Component:
        """The component; where its values contradict each other, with its defaults instead."""
        try:
            return cls(**values)
        except ParamError as error:
            self.problems.append(str(error))
            needed = {n: v for n, v in values.items() if default_of(cls, n) is MISSING}
            return cls(**needed)

    def _take(self, key: str) -> str | None:
        if key in self.pairs:
            self.used.add(key)
        return self.pairs.get(key)

    def _problem(self, sentence: str, default: Any) -> Any:
        ending = "" if default is None or default is MISSING else " The default is used."
        period = "" if sentence.endswith((".", "?")) else "."
        self.problems.append(f"{sentence}{period}{ending}")
        return default

    def unread(self, *, of_view: bool = False) -> list[str]:
        """A sentence for each pair that nothing asked for: of the run, or of the view."""
        other = (k for k in self.pairs if k not in self.used and k != "v")
        left = [k for k in other if k.startswith("view.") == of_view]
        return [f"{_short(k)} belongs to nothing that was chosen and is ignored." for k in left]


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def python(component: Component, alias: dict[type, str] | None = None, *, depth: int = 0) -> str:
    """The expression that makes it, with every setting: KMeans(n_clusters=4, max_iter=300, ...).

    Settings at their defaults are written too: the text says what is done without the defaults
    beside it. What does not fit a line has a line an argument, `depth` levels inside.
    """
    name = (alias or {}).get(type(component), type(component).__name__)
    args = [
        f"{f.name}={_expression(getattr(component, f.name), alias, depth + 1)}"
        for f in fields(component)
    ]
    return _laid_out(f"{name}(", args, ")", depth)


def _expression(value: Any, alias: dict[type, str] | None, depth: int) -> str:
    if isinstance(value, Component):
        return python(value, alias, depth=depth)
    if isinstance(value, tuple):
        items = [_expression(item, alias, depth + 1) for item in value]
        return _laid_out("(", items, ",)" if len(items) == 1 else ")", depth)
    if isinstance(value, float) and not isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def _laid_out(opening: str, items: list[str], closing: str, depth: int) -> str:
    """The items on one line if they fit, else one a line."""
    text = f"{opening}{', '.join(items)}{closing}"
    if "\n" not in text and len(text) <= LINE - INDENT * depth:
        return text
    inner, outer = " " * INDENT * (depth + 1), " " * INDENT * depth
    lines = "".join(f"{inner}{item},\n" for item in items)
    return f"{opening}\n{lines}{outer}{closing.lstrip(',')}"


def classes(component: Component) -> list[type[Component]]:
    """The classes that `python(it)` names, each once, itself first."""
    named: dict[type[Component], None] = {type(component): None}
    for f in fields(component):
        value = getattr(component, f.name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Component):
                named |= dict.fromkeys(classes(item))
    return list(named)
