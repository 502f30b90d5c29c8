"""What differs between two runs, and whether two outcomes of one run are the same.

`settings` speaks of what was asked, `numbers` writes down what came out in plain values that JSON
can hold, `verdict` compares two such records: identical to the last bit, equal but for rounding,
or different.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from mlcore.runs.fingerprint import Fingerprint
from mlcore.runs.kinds import kind_of
from mlcore.runs.labels import described, value_in_words
from mlcore.spine.component import Component
from mlcore.spine.param_kinds import Param
from mlcore.spine.params import params_of

RELATIVE = 1e-9  # what rounding in another order may change, and no change of rows or settings


class Difference(NamedTuple):
    """One setting in which two runs differ; an empty text where a run has no such setting."""

    path: str  # as links write it: method.n_clusters
    before: str
    after: str


class Verdict(NamedTuple):
    """Whether two outcomes are the same. `kind` is identical, equal or different."""

    kind: str
    sentence: str


def settings(a: Component, b: Component) -> tuple[Difference, ...]:
    """Where two runs differ, in the order of their settings; () for equal ones.

    A part that was replaced is one difference, with its own settings inside the text.
    """
    if type(a) is not type(b):
        return (Difference("", described(a), described(b)),)
    return tuple(_between(a, b, ""))


def numbers(outcome: Any) -> dict[str, Any]:
    """What came out of a run of any kind, as plain values that survive JSON.

    `choices` and `labels` must be the same in an equal outcome, `values` within rounding, `bits`
    only in an identical one. What is large stands there by its SHA-256.
    """
    kind = kind_of(outcome.run)
    fingerprint = kind.fingerprint(outcome)
    return {
        "kind": kind.name,
        "run": outcome.run.digest(),
        "planned": getattr(outcome, "planned", 1),
        **fingerprint._asdict(),
        "versions": dict(outcome.versions),
    }


def is_record_or_none(document: Any) -> bool:
    """Whether a value that was read from JSON is what `numbers` gives, or None."""
    if document is None:
        return True
    if not isinstance(document, dict) or not isinstance(document.get("versions"), dict):
        return False
    sections = [document.get(name, {}) for name in Fingerprint._fields]
    return all(isinstance(section, dict) for section in sections) and all(
        map(_is_numbers, document.get("values", {}).values())
    )


def verdict(
    stored: Mapping[str, Any],
    now: Mapping[str, Any],
    called: tuple[str, str] = ("then", "now"),
) -> Verdict:
    """Compare two records that `numbers` made: identical, equal or different, in a sentence.

    The sentence of a difference names the first one and what the numbers may depend on beside the
    run: versions, processor, threads. `called` are the words for the two records.
    """
    if difference := next(_differences(stored, now), None):
        clause = difference.clause(called)
        return Verdict("different", f"Different: {clause}. {_surroundings(stored, now, called)}")
    if _same_bits(stored, now):
        return Verdict("identical", "Identical: every number agrees to the last bit.")
    return Verdict(
        "equal",
        "Equal: labels and choices are the same, numbers agree within rounding "
        f"({RELATIVE:g} relative). {_surroundings(stored, now, called)}",
    )


def _is_numbers(listed: Any) -> bool:
    """Whether these are numbers, of which NaN and infinity are written as texts."""
    try:
        return isinstance(listed, list) and all(isinstance(float(value), float) for value in listed)
    except (TypeError, ValueError, OverflowError):
        return False


def _between(a: Component, b: Component, at: str) -> Iterator[Difference]:
    for name, param in params_of(type(a)).items():
        before, after = getattr(a, name), getattr(b, name)
        if before != after:
            yield from _of_value(param, before, after, f"{at}{name}")


def _of_value(param: Param, before: Any, after: Any, path: str) -> Iterator[Difference]:
    if isinstance(before, Component) and type(before) is type(after):
        yield from _between(before, after, f"{path}.")
    elif (kinds := _kinds(before)) and kinds == _kinds(after):
        yield from _of_parts(before, after, path)
    else:
        yield Difference(path, value_in_words(param, before), value_in_words(param, after))


def _of_parts(before: Any, after: Any, path: str) -> Iterator[Difference]:
    for k, (one, other) in enumerate(zip(before, after, strict=True)):
        if one != other:
            yield from _between(one, other, f"{path}.{k}.")


def _kinds(value: Any) -> list[type] | None:
    """The classes of several parts; None for any other value."""
    if not isinstance(value, tuple) or not all(isinstance(item, Component) for item in value):
        return None
    return [type(item) for item in value]


class _Difference(NamedTuple):
    """What is not the same in two records; without values where digests alone differ."""

    name: str
    values: tuple[Any, Any] | None = None

    def clause(self, called: tuple[str, str]) -> str:
        """The difference as a clause of a sentence; `called` are the words for the two records."""
        if self.values is None:
            return f"the {self.name} are not the same"
        pairs = zip(self.values, called, strict=True)
        return f"{self.name}: " + ", ".join(f"{_shown(value)} {word}" for value, word in pairs)


def _differences(stored: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[_Difference]:
    """What differs beyond rounding, one after the other."""
    if stored.get("kind") != now.get("kind"):
        yield _Difference("kind of run", (stored.get("kind"), now.get("kind")))
    yield from _unlike(stored, now, "choices")
    yield from (_Difference(difference.name) for difference in _unlike(stored, now, "labels"))
    for name, before, after in _both(stored, now, "values"):
        yield from _unlike_numbers(name, before or [], after or [])


def _unlike(
    stored: Mapping[str, Any], now: Mapping[str, Any], section: str
) -> Iterator[_Difference]:
    for name, before, after in _both(stored, now, section):
        if before != after:
            yield _Difference(name, (before, after))


def _both(
    stored: Mapping[str, Any], now: Mapping[str, Any], section: str
) -> list[tuple[str, Any, Any]]:
    """(name, then, now) of everything in a section of either; None where one has none."""
    before, after = stored.get(section, {}), now.get(section, {})
    return [(name, before.get(name), after.get(name)) for name in {**after, **before}]


def _unlike_numbers(
    name: str, before: Sequence[Any], after: Sequence[Any]
) -> Iterator[_Difference]:
    if len(before) != len(after):
        yield _Difference(f"how many numbers are in {name}", (len(before), len(after)))
        return
    scale = _scale(before, after)
    for k, pair in enumerate(zip(before, after, strict=True), start=1):
        if not _close(float(pair[0]), float(pair[1]), scale):
            yield _Difference(f"{name}, number {k}" if len(before) > 1 else name, pair)


def _scale(before: Sequence[Any], after: Sequence[Any]) -> float:
    """The size of numbers that belong together: beside it one that is all rounding counts as 0."""
    sizes = (abs(float(v)) for v in (*before, *after))
    return max((size for size in sizes if size < float("inf")), default=0.0)


def _close(one: float, other: float, scale: float) -> bool:
    if isnan(one) or isnan(other):
        return isnan(one) and isnan(other)
    return one == other or abs(one - other) <= RELATIVE * scale


def _same_bits(stored: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return all(
        before == after
        for section in ("values", "bits")
        for _, before, after in _both(stored, now, section)
    )


def _surroundings(
    stored: Mapping[str, Any], now: Mapping[str, Any], called: tuple[str, str]
) -> str:
    """In what else the two outcomes were made differently, as a sentence."""
    changed = [difference.clause(called) for difference in _unlike(stored, now, "versions")]
    if not changed:
        return "Versions, processor and threads are the same."
    return f"Also different: {'; '.join(changed)}."


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)
