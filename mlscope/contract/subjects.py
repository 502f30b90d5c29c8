"""Who is tested: every entry of the catalogue, and the small tables that methods are fitted to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from mlcore import warm
from mlcore.spine import asking, registry
from mlcore.spine.component import Component
from mlcore.spine.errors import MlcoreError
from mlcore.spine.fit import Column
from mlcore.spine.param_kinds import Part, Parts
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries, names
from mlscope.contract import sampling

VERBS = (
    "predict", "probabilities", "decision", "transform", "log_density", "responsibilities",
    "usualness",
)  # fmt: skip
TASKS = ("classification", "regression", "")


@dataclass(frozen=True)
class Subject:
    """One line of the index."""

    slot: str
    name: str
    cls: type[Any]  # of Component: what else it has follows from the slot

    def __str__(self) -> str:
        return f"{self.slot}.{self.name}"


@dataclass(frozen=True)
class Given:
    """What a method is fitted to: four columns, and the target of its task."""

    X: np.ndarray
    y: np.ndarray | None
    columns: tuple[Column, ...]
    new: np.ndarray  # rows that were not fitted
    truth: np.ndarray | None  # their target


def every() -> list[Subject]:
    """Every line of the index whose class can be made with its defaults."""
    return [
        Subject(slot, name, cls)
        for slot in registry.index()
        for name, cls in entries(slot).items()
        if can_be_made(cls)
    ]


def can_be_made(cls: type[Component]) -> bool:
    """Whether it can be made now: a run of a kind for which no part exists yet cannot."""
    required = [p for name, p in params_of(cls).items() if is_required(cls, name)]
    return all(isinstance(p, Part) and names(p.slot) for p in required)


def is_required(cls: type[Component], name: str) -> bool:
    """Whether a setting has no default."""
    # Every component is a dataclass.
    return cls.__dataclass_fields__[name].default is MISSING


def made(subject: Subject) -> Any:
    """The component with its defaults; where a part must be given, the first that exists."""
    values: dict[str, Any] = {}
    for name, param in params_of(subject.cls).items():
        if is_required(subject.cls, name) and isinstance(param, Part):
            first = next(iter(entries(param.slot).values()))()
            values[name] = (first,) if isinstance(param, Parts) else first
    return subject.cls(**values)


def variants(cls: type[Component]) -> list[Any]:
    """The defaults of a class, and each telling change of one of them, or a sample of these.

    A value that is the default is no change: its variant is there once.
    """
    return sampling.chosen(dict.fromkeys(warm.variants(cls)), cls.card.name)


def methods() -> list[Subject]:
    """Every method of the catalogue; one that stands in two slots is one class, and there once."""
    first: dict[type, Subject] = {}
    for subject in every():
        if subject.slot in registry.slots_of("method"):
            first.setdefault(subject.cls, subject)
    return list(first.values())


@cache
def given(task: str) -> Given:
    """Three groups of twenty rows that lie well apart, shuffled."""
    rng = np.random.default_rng(7)
    groups = rng.permutation(np.repeat(np.arange(3), 20))
    places = np.array([[0, 0, 0, 0], [9, 2, -3, 5], [-4, 9, 6, 0.0]])
    X = places[groups] + rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) * 0.6
    y = {"classification": groups, "regression": X @ [1, -2, 0.5, 0] + rng.normal(size=60)}
    columns = tuple(Column(name) for name in ("length", "width", "height", "weight"))
    first, rest = slice(0, 45), slice(45, None)
    if task not in y:
        return Given(_held(X[first]), None, columns, _held(X[rest]), None)
    return Given(
        _held(X[first]), _held(y[task][first]), columns, _held(X[rest]), _held(y[task][rest])
    )


def _held(values: np.ndarray) -> np.ndarray:
    """Shared by all tests, so nobody may write to it."""
    values = np.ascontiguousarray(values)
    values.setflags(write=False)
    return values


def given_to(method: Any) -> Given:
    """The rows for a method, with the target that it learns from."""
    return given(method.card.learns_from)


@cache
def fitted(method: Any) -> Any:
    """The method fitted to its rows."""
    g = given_to(method)
    return method.fit(g.X, g.y, columns=g.columns, seed=1)


def verbs(fit: Any) -> list[str]:
    """The verbs of a fit that take rows."""
    return [verb for verb in VERBS if getattr(fit, verb, None) is not None]


def arrays(it: Any, at: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Every array in a result, with where it stands."""
    if isinstance(it, np.ndarray):
        yield at, it
    elif isinstance(it, tuple):
        for k, item in enumerate(it):
            yield from arrays(item, f"{at}[{k}]")
    elif is_dataclass(it) and not isinstance(it, type):
        for f in fields(it):
            yield from arrays(getattr(it, f.name), f"{at}.{f.name}")


def same(a: Any, b: Any) -> None:
    """Fail unless two results hold equal arrays, to the last bit."""
    for (at, mine), (_, other) in zip(arrays(a), arrays(b), strict=True):
        np.testing.assert_array_equal(mine, other, err_msg=at)


def is_sentence(text: str) -> bool:
    """Whether a text can be shown to people: one to four plain sentences."""
    return bool(re.fullmatch(r"[^\n]{10,500}[.?]", str(text))) and "Traceback" not in str(text)


class Case(NamedTuple):
    """One check of one subject."""

    check: Callable[[Any], None]
    subject: Subject


def cases(
    checks: list[Callable[..., None]], subjects: list[Subject], exceptions: dict[str, str]
) -> list[Any]:
    """Every check of every subject that it is for, as pytest parameters `check:component`.

    `exceptions` says by "check:component" why a promise is not kept; it is strict, so an exception
    that is no longer needed fails.
    """
    found = []
    for subject in subjects:
        for check in checks_of(checks, subject):
            name = f"{check.__name__}:{subject}"
            marks = [_excepted(exceptions[name])] if name in exceptions else []
            found.append(pytest.param(Case(check, subject), id=name, marks=marks))
    if unused := exceptions.keys() - {p.id for p in found}:
        raise ValueError(f"exceptions for what is not checked: {', '.join(sorted(unused))}")
    return found


def checks_of(checks: list[Callable[..., None]], subject: Subject) -> list[Callable[..., None]]:
    """The checks that are for this subject."""
    return [check for check in checks if getattr(check, "wanted", _all)(subject)]


def _all(subject: Subject) -> bool:
    return True


def _excepted(reason: str) -> Any:
    return pytest.mark.xfail(strict=True, reason=reason)


def wanted(rule: Callable[[Subject], bool]) -> Callable[[Callable], Callable]:
    """Check only the subjects for which `rule` holds."""

    def marked(check: Callable) -> Callable:
        check.wanted = rule  # pyrefly: ignore[missing-attribute]  # functions may have attributes
        return check

    return marked


def can(*protocols: type) -> Callable[[Subject], bool]:
    """Whether the fit of a subject has all these capabilities, as its method promises.

    Nothing is fitted where cases are gathered, which each process of the tests does;
    `fit_is_complete` holds that a fit can do nothing that was not promised.
    """
    return lambda subject: asking.promises(subject.cls(), *protocols)


def takes(word: str) -> Callable[[Subject], bool]:
    """Whether the method takes this beside X and y."""
    return lambda subject: word in subject.cls.card.takes


def is_deterministic(subject: Subject) -> bool:
    """Whether the seed does not matter."""
    return not subject.cls.card.random


def learns_classes(subject: Subject) -> bool:
    """Whether it needs class labels."""
    return subject.cls.card.task == "classification"


def target(method: Any, n: int) -> np.ndarray | None:
    """A target for n rows; every class occurs as early as it can."""
    y = given_to(method).y
    if method.card.learns_from == "classification":
        return np.arange(n) % 3
    return None if y is None else np.resize(y, n)


def target_of_new(method: Any) -> np.ndarray:
    """The true target of the rows that were not fitted."""
    truth = given_to(method).truth
    assert truth is not None
    return truth


def agree(a: Any, b: Any, at: np.ndarray, other: np.ndarray) -> None:
    """Fail unless two fits say the same of rows, up to rounding and the tolerance of a solver."""
    for verb in verbs(a):
        mine, theirs = getattr(a, verb)(at), getattr(b, verb)(other)
        if mine.dtype.kind == "f":
            scale = np.abs(mine).max() or 1.0
            np.testing.assert_allclose(theirs, mine, atol=1e-5 * scale, err_msg=verb)
        else:
            np.testing.assert_array_equal(theirs, mine, err_msg=verb)


def refusal(ask: Callable[..., Any], *given: Any, **more: Any) -> str:
    """The sentence with which something is refused."""
    with pytest.raises(MlcoreError) as error:
        ask(*given, **more)
    assert is_sentence(str(error.value)), str(error.value)
    return str(error.value)
