"""Declarations: what is valid, its one plain form, and its way through a link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.data.dataset import TableData
from mlcore.runs.run import Run
from mlcore.spine import params, written
from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.params import default_of, params_of


@dataclass(frozen=True, kw_only=True)
class Example(Component):
    """One field of each kind."""

    k: int = params.integer(3, low=1, high=50, soft=(2, 12), symbol="K", doc="Groups.")
    rate: float = params.real(0.5, above=0.0, soft=(0.01, 10.0), log=True, doc="Rate.")
    depth: int | None = params.integer(None, low=1, soft=(1, 9), or_none="no limit", doc="Depth.")
    alpha: float | str = params.real("auto", low=0.0, soft=(0.0, 1.0), auto="auto", doc="Alpha.")
    rule: str = params.choice("a", "a", "b", doc="Rule.")
    some: tuple = params.choices((), "x", "y", doc="Some.")
    on: bool = params.flag(False, doc="On.")
    at: tuple = params.many((1.0, 2.0), doc="Places.")
    layers: tuple = params.sizes((8, 4), high=64, soft=(2, 8), most=3, doc="Units.")
    who: str = params.text("me", doc="Name.")
    column: str | None = params.column(None, or_none="no column", doc="Column.")
    kinds: tuple = params.pairs((), options=("number", "text"), doc="Kinds.")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"k": 0}, "Example: k must be at least 1; got 0."),
        ({"k": 51}, "Example: k must be at most 50; got 51."),
        ({"k": 2.5}, "Example: k must be a whole number; got 2.5."),
        ({"k": True}, "Example: k must be a whole number; got True."),
        ({"rate": 0.0}, "Example: rate must be greater than 0; got 0.0."),
        ({"rate": float("nan")}, "Example: rate must be finite; got nan."),
        ({"rule": "c"}, "Example: rule must be one of a, b; got 'c'."),
        ({"some": ("z",)}, "Example: some must hold only x, y; got ('z',)."),
        ({"layers": (8, 0)}, "Example: layers must hold numbers from 1 to 64; got (8, 0)."),
        ({"layers": (2.0,)}, "Example: layers must hold whole numbers; got (2.0,)."),
        ({"layers": 8}, "Example: layers must be several whole numbers, such as (8,); got 8."),
        ({"layers": (1,) * 4}, "Example: layers must have at most 3 values; got (1, 1, 1, 1)."),
        ({"some": "x"}, "Example: some must be several values; got 'x'."),
        ({"on": 1}, "Example: on must be True or False; got 1."),
        (
            {"depth": "deep"},
            "Example: depth must be a whole number, or None (no limit); got 'deep'.",
        ),
        ({"kinds": (("a", "date"),)}, "Example: kinds must give each name one of number, text"),
    ],
)
def test_a_wrong_value_is_named_with_what_must_hold(values, says):
    with pytest.raises(ParamError) as error:
        Example(**values)
    assert str(error.value).startswith(says)


def test_numpy_values_become_plain():
    made = Example(k=np.int64(4), rate=np.float32(0.5), on=np.bool_(True), at=np.array([1, 2]))
    assert made == Example(k=4, rate=0.5, on=True, at=(1.0, 2.0))
    assert [type(made.k), type(made.rate), type(made.on)] == [int, float, bool]


def test_equal_settings_have_one_form():
    assert Example(kinds={"b": "text", "a": "number"}) == Example(
        kinds=(("a", "number"), ("b", "text"))
    )
    assert str(Example(at=(-0.0,)).at) == "(0.0,)"
    assert str(Example(alpha=-0.0).alpha) == "0.0"


@pytest.mark.parametrize("name", params_of(Example))
def test_every_tried_value_goes_through_a_link(name):
    param = params_of(Example)[name]
    for value in [*param.tries(), default_of(Example, name)]:
        assert param.parse(param.write(value)) == value


@pytest.mark.parametrize("name", params_of(Example))
def test_every_value_is_tried_once(name):
    tried = params_of(Example)[name].tries()
    assert sorted(map(repr, tried)) == sorted({repr(value) for value in tried})


@given(st.lists(st.text(max_size=5), max_size=4))
def test_any_names_go_through_a_list(names):
    assert written.split(written.join(names, "~"), "~") == names


@given(st.lists(st.tuples(st.text(max_size=4), st.sampled_from(["number", "text"])), max_size=4))
def test_any_mapping_goes_through_a_link(pairs):
    param = params_of(Example)["kinds"]
    value = param.plain(pairs)
    assert param.parse(param.write(value)) == value


@given(st.text(max_size=12))
def test_any_column_name_goes_through_a_link(name):
    param = params_of(Example)["column"]
    assert param.parse(param.write(name)) == name


def test_a_column_called_none_is_not_no_column():
    param = params_of(Example)["column"]
    assert param.write("none") != param.write(None)


def test_a_default_can_depend_on_the_link_version():
    @dataclass(frozen=True, kw_only=True)
    class Newer(Component):
        k: int = params.integer(10, soft=(1, 20), was={1: 3, 2: 5}, doc="Groups.")

    assert [default_of(Newer, "k", v) for v in (1, 2, 3, None)] == [3, 5, 10, 10]


def test_grid_follows_the_scale():
    assert params_of(Example)["rate"].grid(4) == pytest.approx([0.01, 0.1, 1.0, 10.0])
    assert params_of(Example)["k"].grid(3) == [2, 7, 12]


def test_a_column_is_named_however_long_its_name_is():
    name = "amount of " + "very " * 60 + "fine dust"
    data = TableData(source="iris", target=name)
    assert data.target == name
    run = Run(data=data)
    assert Run.from_link(run.to_link()) == (run, ())
