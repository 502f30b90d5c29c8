"""What every entry of the catalogue promises: card, declarations, written forms."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from mlcore.preparation.order import STAGES
from mlcore.runs import run
from mlcore.runs.script import aliases
from mlcore.spine import codec, component, records, registry
from mlcore.spine.component import Card
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import Param, Part
from mlcore.spine.params import params_of
from mlcore.spine.registry import names
from mlscope.contract.subjects import (
    TASKS,
    Subject,
    is_required,
    is_sentence,
    made,
    wanted,
)

OTHER_NAME = re.compile(r"((method|function|view|lab|data|guide):)?[A-Za-z][A-Za-z0-9_]*")
SOURCE = re.compile(r"(epfl|mi2|prac|cs1|cs2|s841):\S(.*\S)?")  # some sections have no short name
TAKES = {
    "weights", "columns", "missing", "target", "groups", "lengths", "unlabelled", "sparse",
    "outputs", "order",
}  # fmt: skip
LONGEST_LINE = 120  # of a summary: it stands in one line of the index of methods
WRONG = (object(), float("nan"), float("inf"), [object()], {"a": 1}, b"x")
# What a text, a list or a mapping may hold, and what a link must not stumble over.
AWKWARD = (
    "none", "a~b:c\\d", "\\", " x & y = z ", (), ("",), ("a~b", "c:d", "none"), (1.5, -0.0, 1e-300),
    (("a:b", "number"), ("c~d", "nominal")), (("a", "feature"),),
)  # fmt: skip


def is_method(subject: Subject) -> bool:
    """Whether it is fitted to rows."""
    return subject.slot in registry.slots_of("method")


def card_matches_the_index(subject: Subject) -> None:
    """The name and slots of the card are those of the index."""
    card = subject.cls.card
    assert card.name == subject.name
    assert subject.slot in card.slots
    for slot in card.slots:
        assert registry.lookup(slot, card.name) is subject.cls
    assert re.fullmatch(r"[a-z][a-z0-9_]*", card.name)


def card_is_well_formed(subject: Subject) -> None:
    """Every field of the card says something that others can use."""
    card: Card = subject.cls.card
    assert card.title
    assert card.title == card.title.strip()
    assert card.kind in records.KINDS
    assert card.task in TASKS
    assert set(card.takes) <= TAKES
    assert [s for s in card.sources if not SOURCE.fullmatch(s)] == []
    assert len(set(card.sources)) == len(card.sources)
    assert not card.stage or card.stage in STAGES
    assert [name for name in card.also if not OTHER_NAME.fullmatch(name)] == []
    assert not set(card.also) & set(registry.names(card.family))
    assert set(card.scores) <= set(names("scoring"))
    assert not card.stands_for or card.stands_for in params_of(subject.cls)


@wanted(is_method)
def card_of_a_method_is_complete(subject: Subject) -> None:
    """What the page of a method shows is there."""
    card = subject.cls.card
    assert card.kind == "method"
    assert card.sources or card.paper, "no section of the notes, and no paper"
    assert card.formula
    assert card.cost is not None
    assert card.task or card.scores, "nothing judges it"


def docstring_opens_with_one_line(subject: Subject) -> None:
    """The first line stands in the index of methods."""
    first = records.summary(subject.cls)
    assert subject.cls.__doc__ is not None
    assert first.endswith((".", "?"))
    assert len(first) <= LONGEST_LINE


@wanted(is_method)
def docstring_defines_and_warns(subject: Subject) -> None:
    """One line; the definition; when to use it, its cost, how it fails: with its order of cost."""
    text = inspect.cleandoc(subject.cls.__doc__ or "")
    assert len(text.split("\n\n")) >= 3
    assert "O(" in text


def settings_are_explained(subject: Subject) -> None:
    """Every setting has a sentence of help and a default that is plain."""
    for name, param in params_of(subject.cls).items():
        assert param.doc.endswith((".", "?")), name
        assert len(param.doc) >= 8, name
        assert "  " not in param.doc, name


def defaults_survive_every_written_form(subject: Subject) -> None:
    """JSON, link and Python give the component back; JSON without a setting its default."""
    it = made(subject)
    survives(subject, it)
    written = codec.encode(it)
    for name in params_of(subject.cls):
        if not is_required(subject.cls, name):
            older = {key: value for key, value in written.items() if key != name}
            assert codec.decode(subject.slot, older) == it, name


def tries_build_and_survive(subject: Subject) -> None:
    """The ends of every range, every word and every part work, and can be written."""
    it = made(subject)
    for name, param in params_of(subject.cls).items():
        for value in tried(param):
            other, refusal = attempted(it, name, value)
            if other is None:
                # Only the rule across settings may refuse what one setting alone allows.
                assert overrides(subject.cls, "conflict"), f"{name}={value!r}: {refusal}"
                assert is_sentence(refusal)
            else:
                survives(subject, other)


def tried(param: Param) -> list[Any]:
    """Values that must be possible; awkward ones where anything is allowed."""
    awkward = () if isinstance(param, Part) else AWKWARD
    allowed = [value for value in awkward if param.problem(value) is None]
    return [*param.tries(), *param.grid(4), *allowed]


def attempted(it: Any, name: str, value: Any) -> tuple[Any, str]:
    """The component with another value, or None and why it cannot be."""
    try:
        return replace(it, **{name: value}), ""
    except ParamError as error:
        return None, str(error)


def unknown_settings_are_refused(subject: Subject) -> None:
    """A saved run with a setting that does not exist says so."""
    written = {**codec.encode(made(subject)), "nonsense": 1}
    with pytest.raises(ParamError, match="nonsense") as error:
        codec.decode(subject.slot, written)
    assert is_sentence(str(error.value))


def wrong_values_are_refused(subject: Subject) -> None:
    """A value of no use is refused in a sentence that names the setting."""
    it = made(subject)
    for name, param in params_of(subject.cls).items():
        for value in WRONG:
            if takes(param, value):
                continue
            with pytest.raises(ParamError) as error:
                replace(it, **{name: value})
            assert is_sentence(str(error.value))
            assert name in str(error.value)


def takes(param: Param, value: Any) -> bool:
    """Whether the declaration allows this value: a mapping is one for pairs."""
    return param.problem(value) is None


def is_frozen_and_comparable(subject: Subject) -> None:
    """Equal settings are equal and hash alike; nobody can change one."""
    it, twin = made(subject), made(subject)
    assert it == twin
    assert hash(it) == hash(twin)
    with pytest.raises(FrozenInstanceError):
        it.anything = 1  # this must fail


def overrides(cls: type, name: str) -> bool:
    """Whether the class has its own version of a method of `Component`."""
    return getattr(cls, name) is not getattr(component.Component, name)


def survives(subject: Subject, it: Any) -> None:
    """Fail unless JSON, link and Python give `it` back."""
    text = json.dumps(codec.encode(it), allow_nan=False)
    assert codec.decode(subject.slot, json.loads(text)) == it
    reading = codec.Reading(codec.flatten(it), run.VERSION)
    assert reading.component(subject.cls) == it
    assert reading.problems + reading.unread() == []
    alias = aliases(codec.classes(it))
    known = {name: cls for cls, name in alias.items()}
    text = codec.python(it, alias)
    assert eval(text, known) == it  # our own text, made one line above
    assert all(f"{name}=" in text for name in params_of(type(it)))  # defaults too


CHECKS = [
    card_matches_the_index,
    card_is_well_formed,
    card_of_a_method_is_complete,
    docstring_opens_with_one_line,
    docstring_defines_and_warns,
    settings_are_explained,
    defaults_survive_every_written_form,
    tries_build_and_survive,
    unknown_settings_are_refused,
    wrong_values_are_refused,
    is_frozen_and_comparable,
]
