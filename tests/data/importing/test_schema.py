"""Kinds, roles and targets that are proposed, each with a reason."""

import numpy as np
import pytest

from mlcore.data import bundled, proposed_roles, schema
from mlcore.data.table import Table, coded, numeric

N = 40
RNG = np.random.default_rng(0)
WORDS = [f"w{i}" for i in range(N)]

KINDS = [
    (numeric("x", RNG.normal(size=N)), "number"),
    (numeric("visits", RNG.integers(0, 90, N)), "count"),
    (numeric("flag", np.arange(N) % 2), "binary"),
    (numeric("sex", 1 + np.arange(N) % 2), "binary"),
    (numeric("pair", 5 + np.arange(N) % 2), "count"),
    (numeric("line", np.arange(N)), "identifier"),
    (numeric("line", -np.arange(N)), "identifier"),
    (numeric("customerId", [7, 900, 31_000]), "identifier"),
    (numeric("population", 1000.0 * np.arange(N)), "count"),
    (numeric("year", 1900 + np.arange(N)), "count"),
    (numeric("zip code", RNG.integers(0, 90, N)), "nominal"),
    (numeric("empty", np.full(N, np.nan)), "constant"),
    (numeric("same", np.full(N, 3.5)), "constant"),
    (numeric("day", RNG.integers(0, 90, N), "datetime"), "datetime"),
    (coded("colour", ["red", "green", "blue"] * 10), "nominal"),
    (coded("answer", ["yes", "no"] * 10), "binary"),
    (coded("size", ["Small", "large", "medium"] * 5), "ordinal"),
    (coded("grade", ["poor", "excellent", "fair"] * 5), "ordinal"),
    (coded("name", WORDS), "identifier"),
    (coded("key", ["a b", "c"]), "identifier"),
    (coded("said", [f"this is sentence number {i % 30}" for i in range(N)]), "text"),
    (coded("title", [f"one {i % 90}" for i in range(99)]), "text"),
]


@pytest.mark.parametrize(("column", "kind"), KINDS, ids=lambda v: getattr(v, "name", v))
def test_a_column_like_this_is_of_this_kind(column, kind):
    proposal = schema.propose_kind(column)
    assert proposal.value == kind
    assert proposal.reason.endswith(".")


def test_known_scales_are_put_in_order():
    table = schema.typed(Table.of(coded("grade", ["poor", "excellent", "fair", "poor"])))
    assert table.column("grade").levels == ("poor", "fair", "excellent")
    assert schema.scale_of(("low", "high", "blue")) == ()


def test_rising_numbers_beside_one_column_are_its_axis():
    y = numeric("yield", RNG.normal(size=N))
    depth = numeric("depth", np.arange(N))
    assert schema.propose_kinds(Table.of(depth, y))["depth"].value == "count"
    other = numeric("z", RNG.normal(size=N))
    assert schema.propose_kinds(Table.of(depth, y, other))["depth"].value == "identifier"


TARGETS = [
    ("penguins", "species"), ("iris", "species"), ("wine", "cultivar"),
    ("breast_cancer", "diagnosis"), ("digits8", "digit"), ("diabetes", None), ("longley", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "target"), TARGETS)
def test_a_target_is_proposed_where_one_stands_out(name, target):
    assert proposed_roles.propose_target(bundled.load(name)) == target


def test_a_target_must_be_something_to_predict():
    table = Table.of(numeric("x", [1, 2.5]), coded("target", ["a", "a"], "constant"))
    assert proposed_roles.propose_target(table) is None


def test_roles_follow_kinds_and_names():
    table = schema.typed(
        Table.of(
            coded("name", WORDS),
            numeric("day", np.arange(N), "datetime"),
            coded("patient", [f"p{i % 10}" for i in range(N)]),
            numeric("case_weight", RNG.uniform(size=N)),
            numeric("x", RNG.normal(size=N)),
            numeric("z", RNG.normal(size=N)),
            numeric("same", np.ones(N)),
            coded("class", ["u", "v"] * (N // 2)),
        )
    )
    assert proposed_roles.roles(table) == {
        "name": "ignore", "day": "order", "patient": "group", "case_weight": "weight",
        "x": "feature", "z": "feature", "same": "ignore", "class": "target",
    }  # fmt: skip
    assert all(r.reason.endswith(".") for r in proposed_roles.propose_roles(table).values())


def test_the_only_feature_does_not_become_the_order():
    assert proposed_roles.roles(bundled.load("co2")) == {"date": "feature", "co2": "feature"}


TASKS = [
    (coded("y", ["u", "v", "w"]), "classification"),
    (numeric("y", np.arange(200) % 4, "count"), "classification"),
    (numeric("y", np.arange(200), "count"), "regression"),
    (numeric("y", np.arange(200) % 4 + 0.5), "regression"),
    (numeric("y", np.arange(200), "datetime"), "none"),
]


@pytest.mark.parametrize(("column", "task"), TASKS)
def test_the_task_follows_from_the_target(column, task):
    assert schema.task(column).value == task


def test_text_is_learned_from_where_there_is_nothing_else():
    mail = coded("mail", [f"this is sentence number {i % 30}" for i in range(N)], "text")
    spam = coded("spam", ["no", "yes"] * (N // 2), "binary")
    assert proposed_roles.roles(Table.of(mail, spam)) == {"mail": "feature", "spam": "target"}
    more = Table.of(mail, numeric("length", np.arange(N) % 7 + 0.5), spam)
    assert proposed_roles.roles(more)["mail"] == "ignore"
