"""What is proposed for tables as people have them: the target, identifiers, groups, many names."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data import proposed_roles, schema
from mlcore.data.audit import audit
from mlcore.data.dataset import TableData
from mlcore.data.table import ColumnData, Table, coded, numeric
from mlcore.data.upload import Upload

N = 420
RNG = np.random.default_rng(3)
X, Z = numeric("x", RNG.normal(size=N)), numeric("z", RNG.normal(size=N))
GRADE = coded("grade", RNG.choice(["low risk", "high risk"], N))
SAID = ("slept badly", "fine", "tired", "would do it again", "headache", "none", "too long")
REMARKS = [SAID[k] if k < len(SAID) else "" for k in RNG.integers(0, 12, N)]  # 40 % missing


def proposed(*columns: ColumnData) -> dict[str, str]:
    """The roles of the columns beside two of numbers."""
    return proposed_roles.roles(schema.typed(Table.of(X, Z, *columns)))


def rows_used(table: Table) -> int:
    table = schema.typed(table)
    return TableData(source=Upload(digest=table.digest())).dataset({table.digest(): table}).n


# The target


def test_the_last_column_is_no_target_where_it_is_mostly_text_that_few_wrote():
    remarks = coded("remarks", REMARKS)
    assert "target" not in proposed(GRADE, remarks).values()
    assert rows_used(Table.of(X, Z, GRADE, remarks)) == N


def test_a_text_is_no_target_whatever_it_is_called():
    response = [f"reason {i}" if i % 3 else "none" for i in range(N)]
    assert proposed(coded("response", response), GRADE)["grade"] == "target"


def test_a_column_that_is_mostly_missing_is_no_target_whatever_it_is_called():
    few = coded("class", [("u" if i % 2 else "v") if i % 5 == 0 else "" for i in range(N)])
    assert proposed(few, GRADE) == {
        "x": "feature", "z": "feature", "class": "feature", "grade": "target"
    }  # fmt: skip


def test_of_two_that_are_called_like_a_target_the_complete_one_is_it():
    gaps = coded("target", ["" if i % 4 == 0 else "uv"[i % 2] for i in range(N)])
    label = coded("label", ["uv"[i // 2 % 2] for i in range(N)])
    assert proposed(gaps, label)["label"] == "target"
    assert proposed(gaps, numeric("w", X.values))["target"] == "target"


def test_classes_of_one_row_are_rather_texts():
    odd = coded("note", ["a"] * 200 + ["b"] * (N - 203) + ["see 12", "moved", "?"])
    assert "target" not in proposed(GRADE, odd).values()


def test_groups_are_no_target_though_they_stand_last():
    patient = coded("patient", [f"p{i % 12}" for i in range(N)])
    assert proposed(GRADE, patient) == {
        "x": "feature", "z": "feature", "grade": "feature", "patient": "group"
    }  # fmt: skip


def test_what_may_be_asked_for_begins_with_complete_classes_from_the_right():
    table = schema.typed(Table.of(X, GRADE, Z, coded("remarks", REMARKS)))
    assert proposed_roles.propose_target(table) is None
    assert proposed_roles.likely_targets(table) == ("grade", "z", "x")
    assert proposed_roles.likely_targets(table.select("x", "remarks")) == ("x",)


# Identifiers


COPIED = [*range(N - 2), 5, 9]  # two rows stand there twice
IDS = [
    numeric("id", [i + 1.0 for i in COPIED]),
    numeric("line", [i + 1.0 for i in COPIED]),
    numeric("line", sorted(i + 1.0 for i in COPIED)),
    numeric("customerId", RNG.permutation(9000)[:N][COPIED].astype(float)),
    coded("id", [f"A{i}" for i in COPIED]),
    coded("sample", [f"A{i}" for i in COPIED]),
    numeric("id", np.append(np.arange(N - 1.0), np.nan)),
]


@pytest.mark.parametrize("column", IDS, ids=lambda c: f"{c.name} {c.kind}")
def test_a_few_copies_or_gaps_do_not_hide_what_names_the_rows(column):
    assert schema.propose_kind(column).value == "identifier"
    assert proposed(column, GRADE)[column.name] == "ignore"


@pytest.mark.parametrize(
    "column",
    [
        numeric("age", np.sort(RNG.integers(18, 90, N)).astype(float)),
        numeric("income", RNG.permutation(9000)[:N].astype(float)),
        numeric("year", np.append(np.arange(N - 1.0), 3.0)),
        numeric("sales", np.sort(RNG.integers(0, 90_000, N)).astype(float)),
        numeric("price index", RNG.permutation(9000)[:N].astype(float)),
    ],
    ids=lambda c: c.name,
)
def test_quantities_that_hardly_repeat_are_quantities(column):
    assert schema.propose_kind(column).value == "count"


# Groups


@pytest.mark.parametrize("name", ["customer", "customer_id", "User", "householdID", "id"])
def test_people_who_are_met_several_times_are_groups(name):
    who = coded(name, [f"c{i}" for i in RNG.integers(0, 60, N)])
    assert proposed(who, GRADE)[name] == "group"
    number = numeric(name, RNG.integers(0, 60, N).astype(float))
    assert proposed(number, GRADE)[name] == "group"


def test_only_one_column_is_the_group_the_widest_that_holds_the_others_whole():
    person = RNG.integers(0, 60, N)
    table = Table.of(
        X, coded("person", [f"p{i}" for i in person]),
        coded("household", [f"h{i // 3}" for i in person]), GRADE,
    )  # fmt: skip
    typed = schema.typed(table)
    assert proposed_roles.roles(typed) == {
        "x": "feature", "person": "ignore", "household": "group", "grade": "target"
    }  # fmt: skip
    assert "within the groups of household" in proposed_roles.propose_roles(typed)["person"].reason
    assert rows_used(table) == N
    across = Table.of(X, table.column("person"), coded("group", [f"g{i % 9}" for i in range(N)]))
    assert proposed_roles.roles(schema.typed(across)) == {
        "x": "feature", "person": "group", "group": "feature"
    }  # fmt: skip


def test_only_one_column_weighs_the_rows():
    weights = [numeric(name, RNG.uniform(size=N)) for name in ("weights", "case_weight")]
    assert list(proposed(*weights).values())[2:] == ["weight", "feature"]


# Names of many levels


def test_a_column_of_many_names_is_left_out_and_it_is_said():
    rng = np.random.default_rng(0)
    player = coded("player", [f"Player {i}" for i in rng.integers(0, 3000, 9000)])
    table = Table.of(
        numeric("x", rng.normal(size=9000)), player, coded("won", ["yes", "no"] * 4500)
    )
    typed = schema.typed(table)
    assert proposed_roles.roles(typed) == {"x": "feature", "player": "ignore", "won": "target"}
    reason = proposed_roles.propose_roles(typed)["player"].reason
    assert reason.startswith("It has 2,8") and "one-hot encoded" in reason


def crowd(n_players: int) -> Table:
    """A table whose column of players has that many names, the commoner the lower the number."""
    rng = np.random.default_rng(0)
    who = np.minimum(rng.geometric(4 / n_players, 9000), n_players)
    player = coded("player", [f"Player {i}" for i in who])
    x = numeric("x", rng.normal(size=9000))
    return schema.typed(Table.of(x, player, coded("won", ["yes", "no"] * 4500)))


def test_names_that_are_rare_are_offered_together():
    table = crowd(2000)
    finding = next(f for f in audit(table, "won") if f.column == "player")
    assert finding.title == "Many different names"
    verb, column, least = finding.fix
    assert (verb, column) == ("together", "player")
    counts = np.bincount(table.column("player").values.astype(int))
    kept = int((counts >= int(least)).sum())
    assert 0 < kept <= 20 and f"becomes {kept + 1}." in finding.sentence
    assert "Values seen once" not in {f.title for f in audit(table, "won")}


def test_where_hardly_a_name_repeats_nothing_is_offered():
    table = schema.typed(Table.of(X, coded("player", [f"P {i // 3}" for i in range(N)]), GRADE))
    finding = next(f for f in audit(table, "grade") if f.column == "player")
    assert finding.fix == ("role", "player", "ignore") and "Hardly any" in finding.sentence


def test_the_rows_say_which_column_of_names_they_lack():
    table = crowd(2000)
    dataset = TableData(source=Upload(digest=table.digest())).dataset({table.digest(): table})
    n_names = len(table.column("player").levels)
    assert any(f"player is not used: it holds {n_names:,} different" in n for n in dataset.notes)


def test_columns_that_are_not_used_are_told_in_a_sentence_for_each_reason():
    texts = [
        coded(f"t{i}", [f"some words {i} and {j} more of them" for j in range(N)]) for i in range(6)
    ]
    same = [numeric(f"c{i}", np.full(N, float(i))) for i in range(7)]
    table = schema.typed(Table.of(X, GRADE, *texts, *same))
    roles = tuple(
        (c.name, "feature" if c.name.startswith("c") else "ignore") for c in (*texts, *same)
    )
    data = TableData(source=Upload(digest=table.digest()), target="grade", roles=roles)
    notes = [n for n in data.dataset({table.digest(): table}).notes if "not used" in n]
    assert len(notes) == 2
    assert notes[0].startswith("Columns c0, c1, c2, c3 and 3 more are not used: they are of kind c")
    assert notes[1].startswith("Columns t0, t1, t2, t3 and 2 more are not used: they ")


def test_a_name_of_nearly_every_row_is_said_to_be_one():
    table = schema.typed(Table.of(X, IDS[4], GRADE))
    finding = next(f for f in audit(table, "grade") if f.title == "Names the rows")
    assert "in nearly every row" in finding.sentence
