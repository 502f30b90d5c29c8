"""What every lab promises: numbers for every setting, equal bits, pictures, written forms."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from figures.lab import pictures_of
from figures.theme import apply
from mlcore.__main__ import main
from mlcore.labs.lab import Lab
from mlcore.runs import carry_lab
from mlcore.runs.run import LabRun, from_json
from mlcore.runs.script import script
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import Number
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries
from tests import sampling
from tests.contract.subjects import arrays, is_sentence, same

LABS = entries("lab")
PAGES = {
    "data", "preprocessing", "dimensionality_reduction", "clustering", "classification",
    "regression", "kernels", "neural_networks", "sequences",
    "sequential_decision_making", "compare",
}  # fmt: skip
MOST_SECONDS = 3.0  # that a lab may be expected to take as it greets
SEED = 7
TRIED_SECONDS = 1.0  # that a setting may be expected to take to be tried here
# How many times the same is done, and how many rows there are, is only tried where it is what
# changes, if small numbers are expected to take so much less.
AMOUNTS = ("epochs", "moves", "n_rows", "repeats", "replicates", "studies", "tries")
LESS = 0.67


def tried(lab: Lab) -> list[Lab]:
    """The lab, and each telling value in place of a default, one at a time, if it may be and can
    be tried in a test: the ends of ranges may take a while."""
    first, *others = changed(lab)
    few = filter(cheap, [first, *map(briefly, others)])
    return sampling.chosen(dict.fromkeys(few), lab.card.name)


def changed(lab: Lab) -> Iterator[Lab]:
    """The lab, and each change of one setting that is no contradiction."""
    yield lab
    for name, param in params_of(type(lab)).items():
        for value in param.tries():
            with suppress(ParamError):  # contradicts another setting; test_components looks at it
                yield replace(lab, **{name: value})


@cache
def small(cls: type[Lab]) -> dict[str, Any]:
    """The amounts that decide what a lab costs, by what it declares, each at its least."""
    lab, found = cls(), {}
    for name in AMOUNTS:
        if isinstance(param := params_of(cls).get(name), Number):
            with suppress(ParamError):
                less = replace(lab, **{name: param.tries()[0]})
                if expected(less) < LESS * expected(lab):
                    lab, found[name] = less, param.tries()[0]
    return found


def briefly(lab: Lab) -> Lab:
    """The lab with small amounts, unless an amount is what was changed."""
    greeting = type(lab)()
    for name, value in small(type(lab)).items():
        if getattr(lab, name) == getattr(greeting, name):
            with suppress(ParamError):  # contradicts the setting that was changed
                lab = replace(lab, **{name: value})
    return lab


def expected(lab: Lab) -> float:
    """Seconds, as it declares."""
    return carry_lab.estimate(LabRun(lab=lab))[0]


def cheap(lab: Lab) -> bool:
    """Whether a setting is expected to take no time to speak of."""
    return expected(lab) < TRIED_SECONDS


@cache
def carried(cls: type[Lab]) -> carry_lab.LabOutcome:
    """The lab with its defaults, carried out once for all that is asked of it."""
    return carry_lab.carried_out(LabRun(lab=cls(), seed=SEED))


def found(labs: dict) -> list:
    """One case a lab."""
    return [pytest.param(cls, id=name) for name, cls in labs.items()]


@pytest.mark.parametrize("cls", found(LABS))
def test_the_card_says_where_it_stands_and_what_it_costs(cls):
    assert issubclass(cls, Lab)
    assert cls.card.kind == "lab"
    assert cls.card.pages
    assert set(cls.card.pages) <= PAGES
    assert cls.card.sources
    assert 0 < expected(cls()) < MOST_SECONDS


@pytest.mark.parametrize("cls", found(LABS))
def test_it_says_what_to_do_and_what_to_see(cls):
    assert len(cls.tasks) >= 2
    assert all(is_sentence(task) for task in cls.tasks)
    assert is_sentence(cls.seen)
    assert "\n\n" in (cls.__doc__ or "")


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_page_has_two(page):
    assert len([name for name, cls in LABS.items() if page in cls.card.pages]) >= 2


@pytest.mark.parametrize("cls", found(LABS))
def test_every_setting_gives_numbers_that_can_be_drawn(cls):
    for lab in tried(cls()):
        numbers = carried(cls).numbers if lab == cls() else lab.compute(SEED)
        for at, values in arrays(numbers):
            assert values.dtype.kind != "f" or not np.isinf(values).any(), (lab, at)
        drawn = pictures_of(cls(), numbers)
        assert drawn
        for view in drawn:
            assert view.title
            assert is_sentence(view.reading), (lab, view.reading)
            assert "nan" not in view.reading.split(), (lab, view.reading)
            lengths = {len(column.values) for column in view.table}
            assert len(lengths) == 1, (lab, view.title)
            if lab == cls():  # colours do not follow the settings, and to theme takes longest
                apply(view.figure, dark=True)


@pytest.mark.parametrize("cls", found(LABS))
def test_equal_seeds_give_equal_bits(cls):
    lab = briefly(cls())
    first, second, other = lab.compute(SEED), lab.compute(SEED), lab.compute(SEED + 1)
    same(first, second)
    assert repr(first) == repr(second)
    assert cls.card.random == (repr(first) != repr(other))


@pytest.mark.parametrize("cls", found(LABS))
def test_the_outcome_is_read_only_after_a_trip_to_a_worker(cls):
    for held in (carried(cls), pickle.loads(pickle.dumps(carried(cls)))):
        found = [values for _, values in arrays(held.numbers)]
        assert found
        assert not any(values.flags.writeable for values in found)


@pytest.mark.parametrize("cls", found(LABS))
def test_a_run_of_it_survives_every_written_form(cls, capsys):
    for lab in changed(cls()):
        run = LabRun(lab=lab, seed=SEED)
        assert from_json(run.to_json()) == run
        assert LabRun.from_link(run.to_link()) == (run, ())
    exec(script(LabRun(lab=cls(), seed=SEED)), {})
    assert capsys.readouterr().out == carry_lab.report(carried(cls)) + "\n"


def test_the_command_repeats_a_saved_lab(tmp_path, capsys):
    run = LabRun(lab="leak_switch", seed=2)
    path = tmp_path / "lab.json"
    path.write_text(run.to_json())
    assert main(["run", str(path)]) == 0
    assert capsys.readouterr().out == carry_lab.report(carry_lab.carried_out(run)) + "\n"
