"""Settings and data that show a method well, or show how it fails: the presets.toml of a family."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl

import mlcore
from mlcore.runs.run import AnyRun, Comparison, Run, Trial
from mlcore.spine.errors import ParamError
from mlcore.spine.registry import slots_of

R = TypeVar("R", bound=AnyRun)


@dataclass(frozen=True)
class Preset:
    """One preset. `values` and `data` are written as in a link.

    `values` are settings of the method ("n_clusters=4&n_init=1"), `data` is what else of the run is
    set ("data=moons&data.source.noise=0.1"); what it does not name stays as it is. `view` is what
    of the result is looked at ("tab=explain"), where it is not the pictures.
    """

    name: str
    title: str
    entry: str
    why: str
    values: str = ""
    data: str = ""
    view: str = ""

    def run(self) -> Run:
        """A run with these settings. Raises ParamError if the file names what there is not."""
        run, problems = Run.from_link(self.pairs())
        if problems:
            raise ParamError(f"Preset {self.name}: {problems[0]}")
        return run

    def pairs(self) -> dict[str, str]:
        """The pairs of a link to it."""
        values = {f"method.{name}": value for name, value in _pairs(self.values).items()}
        return {"method": self.entry, **values, **_pairs(self.data)}

    def view_pairs(self) -> dict[str, str]:
        """The pairs of a link that say what is looked at; none for the pictures."""
        return _viewed(self.view)

    def fields(self) -> dict[str, Any]:
        """The fields of a run that it sets, by name."""
        run = self.run()
        return {name: getattr(run, name) for name in {key.split(".")[0] for key in self.pairs()}}


@dataclass(frozen=True)
class WholePreset(Generic[R]):
    """A whole run of another kind that shows something, as the pairs of a link to it.

    `view` is what of the result is looked at ("tab=sets"), where it is not what comes first.
    """

    kind: type[R]
    name: str
    title: str
    link: str
    why: str
    view: str = ""

    def run(self) -> R:
        """The run. Raises ParamError if the file names what there is not."""
        run, problems = self.kind.from_link(_pairs(self.link))
        if problems:
            raise ParamError(f"Preset {self.name}: {problems[0]}")
        return run

    def view_pairs(self) -> dict[str, str]:
        """The pairs of a link that say what is looked at; none for what comes first."""
        return _viewed(self.view)


@cache
def presets(family: str) -> tuple[Preset, ...]:
    """The presets of a family ("clustering") or group, in the order of its file; none without."""
    return tuple(Preset(**fields) for member in slots_of(family) for fields in _read(member))


@cache
def trial_presets(family: str) -> tuple[WholePreset[Trial], ...]:
    """The presets of a family of agents ("decisions"), in the order of its file."""
    return tuple(WholePreset(Trial, **fields) for fields in _read(family))


@cache
def preparation_presets() -> tuple[WholePreset[Run], ...]:
    """The presets of preparations, in the order of their file: what they set is data and steps."""
    return tuple(WholePreset(Run, **fields) for fields in _read("preparation"))


@cache
def comparison_presets() -> tuple[WholePreset[Comparison], ...]:
    """The presets of comparisons, in the order of their file; the first is what greets."""
    return tuple(WholePreset(Comparison, **fields) for fields in _read("evaluation"))


def _read(family: str) -> list[dict[str, str]]:
    path = Path(mlcore.__file__).parent / family / "presets.toml"
    if not path.is_file():
        return []
    return tomllib.loads(path.read_text(encoding="utf-8"))["preset"]


def _viewed(text: str) -> dict[str, str]:
    return {f"view.{name}": value for name, value in _pairs(text).items()}


def _pairs(text: str) -> dict[str, str]:
    return dict(parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text)))
