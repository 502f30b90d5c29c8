"""What to call things: alone by their settings, side by side by those in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlcore.runs.paths import counts_at, param_at, value_at
from mlcore.spine import codec
from mlcore.spine.asking import can
from mlcore.spine.capabilities import JudgesRows
from mlcore.spine.component import Component
from mlcore.spine.novelty import verdicts
from mlcore.spine.param_kinds import Choice, Choices, NamePairs, Param
from mlcore.spine.params import counting, default_of
from mlcore.spine.wording import spelled

VALUE = "value"  # the one setting of a part that is a constant
NOISE = "noise"  # what the rows of no group are called


def described(component: Component) -> str:
    """A component in one line: its title and the settings that count and are not their defaults."""
    settings = [
        f"{(param.label or name.replace('_', ' ')).lower()} {value_in_words(param, value)}"
        for name, param in counting(component).items()
        if (value := getattr(component, name)) != default_of(type(component), name)
    ]
    return ", ".join([component.title(), *settings])


def value_in_words(param: Param, value: Any) -> str:
    """A value of a setting as people read it; names of columns and other texts as they came."""
    if isinstance(value, Component):
        inner = described(value)
        return f"({inner})" if ", " in inner else inner
    if isinstance(param, NamePairs) and isinstance(value, tuple):
        return ", ".join(f"{name}: {text}" for name, text in value) or "none"
    if isinstance(value, tuple):
        return ", ".join(value_in_words(param, item) for item in value) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str) and (isinstance(param, Choice | Choices) or param.is_word(value)):
        return spelled(value)
    return "none" if value is None else str(value)


def group_names(labels: np.ndarray) -> np.ndarray:
    """Groups as pages call them, for tables, shape (n,): 1, 2 ... instead of 0, 1 ..., and noise.

    Whole numbers where there is no noise.
    """
    labels = np.asarray(labels)
    if (labels >= 0).all():
        return labels + 1
    return np.array([NOISE if k < 0 else str(k + 1) for k in labels.astype(int)], dtype=object)


def groups_or_verdicts(fit: Any, values: np.ndarray) -> tuple[str, np.ndarray]:
    """What a fit without a target predicts, (m,), as tables have it: its name and its words."""
    if can(fit, JudgesRows):
        return "verdict", verdicts(values)
    return "group", group_names(values)


def titles_apart(options: Mapping[str, type[Component]]) -> dict[str, str]:
    """The titles of entries by their names; namesakes with the task that sets them apart."""
    titles = {name: cls.title() for name, cls in options.items()}
    every = list(titles.values())
    return {
        name: f"{title} ({options[name].card.task})" if every.count(title) > 1 else title
        for name, title in titles.items()
    }


def noun_at(item: Component, path: str) -> str:
    """What the control of the setting at `path` is called, within a sentence.

    The value of a part that has no other name is what the part stands for: a learning rate.
    """
    part, _, name = path.rpartition(".")
    if part and name == VALUE and value_at(item, part).card.kind == "part":
        return noun_at(item, part)
    return _lower(param_at(item, path).label or path.rpartition(".")[2].replace("_", " "))


def told_apart(names: Sequence[str], items: Sequence[Component]) -> tuple[str, ...]:
    """The names of the items; namesakes with what sets them apart, or with their number."""
    return tuple(
        name if names.count(name) == 1 else _with_settings(names, items, k)
        for k, name in enumerate(names)
    )


def _with_settings(names: Sequence[str], items: Sequence[Component], k: int) -> str:
    mine = codec.flatten(items[k])
    others = [
        codec.flatten(item) for i, item in enumerate(items) if names[i] == names[k] and i != k
    ]
    differing = sorted({key for o in others for key in {*mine, *o} if mine.get(key) != o.get(key)})
    # What is left at its default stands in no link, and sets apart as well.
    shown = [key for key in differing if key in mine or counts_at(items[k], key)]
    # Who reads "learning rate 0.5" need not be told that it is constant.
    settings = [_setting(items[k], key) for key in shown if f"{key}.{VALUE}" not in shown]
    same = sum(item == items[k] for item in items[:k])
    return (
        names[k]
        + (f", {', '.join(settings)}" if settings else "")
        + (f" ({same + 1})" if same else "")
    )


def _setting(item: Component, path: str) -> str:
    """One setting in words: "neighbours 15", "kernel Linear"."""
    noun, value = noun_at(item, path), value_at(item, path)
    if isinstance(value, float):
        return f"{noun} {value:g}"
    if isinstance(value, Component):
        return f"{noun} {value.title()}"
    return f"{noun} {value_in_words(param_at(item, path), value)}"


def _lower(text: str) -> str:
    """The text inside a line; names such as C and RBF stay as they are."""
    return text if text[:2].isupper() else text[0].lower() + text[1:]
