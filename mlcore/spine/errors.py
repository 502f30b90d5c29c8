"""Errors that are sentences for the user: who, what must hold, what came, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import Any

from mlcore.spine.wording import listed, plural


class MlcoreError(ValueError):
    """Anything that the user can put right; its text is shown as it is."""

    def telling(self, places: Mapping[str, Any]) -> MlcoreError:
        """The same where texts in it, as names of columns, end with the label of a class each.

        `places` has the label of each such text. Whoever knows the names puts them there.
        """
        told = _told(str(self), places)
        return ClassError(told, (), "") if isinstance(told, ClassNote) else self

    def inside(self, place: str) -> DataError:
        """The same, with what it happened in before it: `place: ...`.

        A place may be a `ClassNote`: whoever knows the names of its classes puts them there.
        """
        if isinstance(place, ClassNote):
            return ClassError(_joined(place, str(self)), (), "")
        return DataError(f"{place}: {self}")


class ParamError(MlcoreError):
    """A hyper-parameter, a link or a saved run does not say something valid."""


class DataError(MlcoreError):
    """The data do not allow what was asked of them."""


class ClassError(DataError):
    """The rows of classes do not allow it: `before`, class 'a', `after`.

    A method knows classes by the labels that it was given. Where these stand for others, as the
    codes of a data set do, whoever gave them puts the names in their place (`named`).
    """

    def __init__(self, before: str, labels: Sequence[Any], after: str) -> None:
        super().__init__(before, tuple(labels), after)
        self.before, self.labels, self.after = before, tuple(labels), after

    def __str__(self) -> str:
        if not self.labels:
            return f"{self.before}{self.after}"
        names = listed(repr(str(label)) for label in self.labels)
        classes = plural(len(self.labels), "class", "classes")
        return f"{self.before}{classes} {names}{self.after}"

    def inside(self, place: str) -> ClassError:
        """The same, with what it happened in before it: `place: ...`."""
        return ClassError(_joined(place, self.before), self.labels, self.after)

    def named(self, names: Mapping[int, Sequence[Any]]) -> ClassError:
        """The same of the classes that the labels stand for, if all of them stand for some."""
        if not all(isinstance(label, Integral) and int(label) in names for label in self.labels):
            return self
        own = [name for label in self.labels for name in names[int(label)]]
        whole = {k: listed(several) for k, several in names.items()}
        before, after = (
            part.named(whole) if isinstance(part, ClassNote) else part
            for part in (self.before, self.after)
        )
        return ClassError(before, own, after)

    def telling(self, places: Mapping[str, Any]) -> ClassError:
        """The same where texts in it, as names of columns, end with the label of a class each."""
        return ClassError(_told(self.before, places), self.labels, _told(self.after, places))


CLASS = "\0"  # where the label of a class stands in the text of a `ClassNote`


class ClassNote(str):
    """A sentence about classes by the labels that a method was given, one for each `CLASS` in it.

    Labels beyond these are not told: a list of names ends with how many more there are.
    Where these stand for others, as the codes of a data set do, `named` puts the names there.
    """

    def __new__(cls, text: str, labels: Sequence[Any]) -> ClassNote:
        own = super().__new__(cls, _filled(text, labels))
        own.text, own.labels = text, tuple(labels)
        return own

    text: str
    labels: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.labels)

    def named(self, names: Sequence[str] | Mapping[int, str]) -> str:
        """The same of the classes whose positions the labels are."""
        known = names if isinstance(names, Mapping) else range(len(names))
        return _filled(
            self.text,
            [
                names[int(label)] if isinstance(label, Integral) and label in known else label
                for label in self.labels
            ],
        )


def _filled(text: str, labels: Sequence[Any]) -> str:
    first, *others = text.split(CLASS)
    return first + "".join(f"{a}{b}" for a, b in zip(labels[: len(others)], others, strict=True))


def _joined(place: str, text: str) -> str:
    """`place: text`, about the classes of both."""
    if not isinstance(place, ClassNote) and not isinstance(text, ClassNote):
        return f"{place}: {text}"
    notes = [part if isinstance(part, ClassNote) else ClassNote(part, ()) for part in (place, text)]
    return ClassNote(": ".join(n.text for n in notes), [c for n in notes for c in n.labels])


def _told(text: str, places: Mapping[str, Any]) -> str:
    """A text as a note about the classes whose labels end some places in it, if there are any."""
    if isinstance(text, ClassNote) or not places:
        return text
    labels: list[Any] = []

    def opened(place: re.Match[str]) -> str:
        labels.append(places[place[0]])
        return place[0].removesuffix(str(labels[-1])) + CLASS

    told = _any_of(tuple(places)).sub(opened, text)
    return ClassNote(told, labels) if labels else text


def _any_of(places: tuple[str, ...]) -> re.Pattern[str]:
    """One of these texts, whole: that which ends with 1 begins that which ends with 10."""
    longest_first = sorted(places, key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def in_names(note: str, names: Sequence[str]) -> str:
    """A note as it is, or if it is of classes by their positions, of their names."""
    return note.named(names) if isinstance(note, ClassNote) else note


@contextmanager
def naming(classes: Sequence[Any]) -> Iterator[None]:
    """Within, errors about classes that are known by their positions give their names.

    Raises ClassError again, of the names.
    """
    try:
        yield
    except ClassError as error:
        raise error.named({k: (name,) for k, name in enumerate(classes)}) from None


class FileError(MlcoreError):
    """A file is not of the format that it was read as."""
