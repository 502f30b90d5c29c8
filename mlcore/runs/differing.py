"""Several runs as a table: the settings in which they differ, one column each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mlcore.runs.labels import value_in_words
from mlcore.runs.paths import param_at
from mlcore.spine.component import Component
from mlcore.spine.param_kinds import Param
from mlcore.spine.params import counting

KIND = "Kind of run"
Values = dict[str, tuple[str, Any]]  # by path: the name of a setting, and its value


class Setting(NamedTuple):
    """One setting, and its value in each of several runs; None where a run has no such setting."""

    path: str  # as links write it: method.n_clusters; "" for the kind of run
    title: str  # "Method: number of clusters"
    values: tuple[Any, ...]  # numbers as they are, all else in words


def differing_settings(runs: Sequence[Component]) -> tuple[Setting, ...]:
    """The settings of which two of the runs have different values, in the order of the runs.

    A setting that only some of the runs have is among them where these differ: that others are
    without it is said by the part to which it belongs. Settings that others switch off are in none.
    """
    written = [_written(run) for run in runs]
    paths = dict.fromkeys(path for one in written for path in one)
    settings = []
    for path in paths:
        there = [one[path] for one in written if path in one]
        if any(value != there[0][1] for _, value in there):
            values = tuple(one[path][1] if path in one else None for one in written)
            settings.append(Setting(path, there[0][0], values))
    return tuple(settings)


def named(run: Component, path: str) -> str:
    """A setting of a run by where it stands and what its control is called."""
    if not path:
        return KIND
    where, _, name = path.rpartition(".")
    return _title(where, name, param_at(run, path))


def _title(where: str, name: str, param: Param) -> str:
    noun = (param.label or name.replace("_", " ")).lower()
    title = f"{where.replace('.', ' ')}: {noun}" if where else noun
    return title[:1].upper() + title[1:]


def _written(run: Component) -> Values:
    return {"": (KIND, run.title())} | {
        path: (title, value) for path, title, value in _settings(run, "")
    }


def _settings(component: Component, at: str) -> Iterator[tuple[str, str, Any]]:
    """Every setting that counts, with those of the parts after the part that has them."""
    for name, param in counting(component).items():
        value = getattr(component, name)
        parts = value if isinstance(value, tuple) else (value,)
        inner = [(k, part) for k, part in enumerate(parts) if isinstance(part, Component)]
        yield f"{at}{name}", _title(at.rstrip("."), name, param), _cell(param, value, inner)
        for k, part in inner:
            place = f"{at}{name}.{k}." if isinstance(value, tuple) else f"{at}{name}."
            yield from _settings(part, place)


def _cell(param: Param, value: Any, inner: Sequence[tuple[int, Component]]) -> Any:
    """A value as a cell: of parts their titles alone, since their settings have own columns."""
    if inner:
        return ", ".join(part.title() for _, part in inner)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number else value_in_words(param, value)
