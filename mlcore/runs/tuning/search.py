"""Which settings are tried when a method is tuned: a grid, or draws from the usual ranges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from mlcore.runs.paths import param_at, usual_values, value_at
from mlcore.spine import random
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import Choice, Flag, Number, Param
from mlcore.spine.params import columns, counting, integer, pairs, part

MOST = 2000  # candidates; more of them would compare chance with chance
PROPOSED = 2  # settings that a search varies when it is not told which

Candidate = tuple[tuple[str, Any], ...]  # (path, value) of each setting, as "method.alpha"


@dataclass(frozen=True, kw_only=True)
class Search(Component):
    """Draws candidates, and says how they are judged inside the training rows."""

    inner: Any = part(
        "k_fold",
        slot="splits",
        label="Inner folds",
        doc="How training rows are left out to choose; the outer folds score the choice.",
    )

    def paths(self, run: Component) -> tuple[str, ...]:
        """Where the settings stand that are varied, such as method.alpha."""
        raise NotImplementedError(f"{type(self).__name__} declares no settings")

    def candidates(self, run: Component, seed: int) -> tuple[Candidate, ...]:
        """What is tried, in order. Raises ParamError if a setting or value does not exist."""
        raise NotImplementedError(f"{type(self).__name__} declares no candidates")


@enter(
    Card(
        "grid_search",
        "Grid search",
        ("search",),
        peer="sklearn.model_selection.GridSearchCV",
        sources=(
            "cs1:metalearn",
            "cs1:grid_search_svm",
            "epfl:grid_search",
            "epfl:grid_search_no_cv",
            "prac:cv_parameter_choice",
        ),
        kind="part",
        synonyms=(
            "GridSearchCV",
            "hyperparameter",
            "hyperparameter tuning",
            "hyperparameter optimisation",
            "hyperparameter search",
            "model selection",
        ),
    )
)
@dataclass(frozen=True, kw_only=True)
class GridSearch(Search):
    """Tries every combination of a few values of each setting.

    Where two or three settings matter and ranges are known. The number of fits is the product of
    the numbers of values, times the folds. With a hold-out as inner folds it is the search without
    cross-validation.
    """

    over: tuple = pairs(
        (),
        doc="Settings to vary with their values, separated by commas; without values the usual "
        "range is tried, without settings the first two numbers of the method.",
    )
    points: int = integer(
        5,
        low=2,
        high=200,
        soft=(2, 12),
        label="Values per hyper-parameter",
        doc="Values over the usual range.",
    )

    def paths(self, run: Component) -> tuple[str, ...]:
        """The settings named, else those that are proposed."""
        return tuple(path for path, _ in self.over) or proposed(run)

    def candidates(self, run: Component, seed: int) -> tuple[Candidate, ...]:
        """The last setting changes fastest."""
        texts = dict(self.over)
        lists = [self._values(run, path, texts.get(path, "")) for path in self.paths(run)]
        count = prod(len(values) for values in lists)
        if count > MOST:
            raise ParamError(
                f"A grid of {count} candidates is too much; at most {MOST} are tried. Take fewer "
                "values, or draw them at random."
            )
        named = zip(self.paths(run), lists, strict=True)
        return tuple(product(*([(path, value) for value in values] for path, values in named)))

    def _values(self, run: Component, path: str, text: str) -> list[Any]:
        if not text.strip():
            return usual_values(run, path, self.points)
        param = param_at(run, path)
        return [_read(param, item.strip(), path) for item in text.split(",")]


@enter(
    Card(
        "randomized_search",
        "Random search",
        ("search",),
        paper="Bergstra and Bengio (2012), Journal of Machine Learning Research 13",
        peer="sklearn.model_selection.RandomizedSearchCV",
        sources=("cs1:metalearn",),
        kind="part",
        synonyms=("RandomizedSearchCV", "hyperparameter tuning", "hyperparameter search"),
    )
)
@dataclass(frozen=True, kw_only=True)
class RandomizedSearch(Search):
    """Tries settings drawn from their usual ranges, on a logarithmic scale where that is usual.

    Where a grid over many settings cannot be paid: each draw tries a new value of every setting,
    so the ones that matter are covered well whatever the others do.
    """

    over: tuple[str, ...] = columns(
        (), doc="Settings to vary; without any, the first two numbers of the method."
    )
    n_candidates: int = integer(
        30, low=1, high=MOST, soft=(5, 500), log=True, label="Candidates", doc="How many are drawn."
    )

    def paths(self, run: Component) -> tuple[str, ...]:
        """The settings named, else those that are proposed."""
        return self.over or proposed(run)

    def candidates(self, run: Component, seed: int) -> tuple[Candidate, ...]:
        """One stream a setting, so that one more setting leaves the draws of the others alone."""
        drawn = [
            [(path, value) for value in self._drawn(param_at(run, path), path, seed)]
            for path in self.paths(run)
        ]
        return tuple(zip(*drawn, strict=True))

    def _drawn(self, param: Param, path: str, seed: int) -> list[Any]:
        u = random.generator(seed, f"search {path}").random(self.n_candidates)
        if not isinstance(param, Number):
            values = param.grid(MOST)
            if not values:
                raise ParamError(f"{path} has no usual range; try it in a grid with your values.")
            return [values[int(t * len(values))] for t in u]
        a, b = param.soft
        drawn = a * (b / a) ** u if param.log else a + (b - a) * u
        return [param.plain(round(v) if param.whole else float(v)) for v in np.asarray(drawn)]


def tunable(component: Component, path: str = "") -> Iterator[tuple[str, Param]]:
    """Settings of a component and its parts that count and that a search can vary, by path."""
    for name, param in counting(component).items():
        at, value = f"{path}.{name}" if path else name, getattr(component, name)
        if isinstance(param, Number | Choice | Flag):
            yield at, param
        elif isinstance(value, tuple):
            for k, item in enumerate(v for v in value if isinstance(v, Component)):
                yield from tunable(item, f"{at}.{k}")
        elif isinstance(value, Component):
            yield from tunable(value, at)


def proposed(run: Any) -> tuple[str, ...]:
    """The first two numbers among the settings that are not advanced, else the first choice.

    Raises ParamError if the method has neither.
    """
    settings = [(path, p) for path, p in tunable(run.method, "method") if not p.advanced]
    # A number that the method finds itself has a word in place of a value.
    free = [path for path, p in settings if isinstance(p, Number) and _is_number(run, path)]
    others = [path for path, p in settings if not isinstance(p, Number)]
    if not (free or others):
        raise ParamError(f"{run.method.title()} has no setting that a search could vary.")
    return tuple(free[:PROPOSED] or others[:1])


def _is_number(run: Component, path: str) -> bool:
    return isinstance(value_at(run, path), int | float)


def _read(param: Param, text: str, path: str) -> Any:
    try:
        value = param.parse(text)
    except (ValueError, KeyError):
        raise ParamError(f"{text[:40]!r} is no value of {path}.") from None
    if wrong := param.problem(value):
        raise ParamError(f"{path} {wrong}; got {text[:40]!r}.")
    return param.plain(value)
