"""What a person is asked about a table of their own: its target, its leaks, its many names."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mlcore.data import schema
from mlcore.data.table import ColumnData, Table, coded, numeric
from tests.pages.conftest import address, shown

N = 120
RNG = np.random.default_rng(5)
X, Z = numeric("x", RNG.normal(size=N)), numeric("z", RNG.normal(size=N))
KIND = coded("kind", RNG.choice(["u", "v", "w"], N))


def told(name: str) -> ColumnData:
    """A column that gives the kind away."""
    return numeric(name, 3 * KIND.values + RNG.uniform(size=N))


def at_table(opened, page: str, *columns: ColumnData, **pairs: str) -> AppTest:
    """The page with the table of these columns."""
    table = schema.typed(Table.of(*columns))
    at = opened("methods").switch_page(f"pages/{page}.py")
    at.session_state["session_tables"] = {table.digest(): table}
    for name, value in ({"data": "upload", "data.source.digest": table.digest()} | pairs).items():
        at.query_params[name] = value
    return calm(at.run())


def calm(at: AppTest) -> AppTest:
    assert not at.exception, at.exception[0].stack_trace
    return at


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button if button.key.startswith("ask-target")]


def test_where_no_target_stands_out_it_is_asked_for(opened):
    at = at_table(opened, "data", KIND, X, Z)
    assert labels(at) == ["kind", "z", "x", "Nothing"]
    calm(at.button(key="ask-target.0").click().run())
    assert address(at)["data.target"] == "kind"
    assert labels(at) == []


def test_that_nothing_is_predicted_is_an_answer(opened):
    at = at_table(opened, "data", KIND, X, Z)
    calm(at.button(key="ask-target.none").click().run())
    assert labels(at) == [] and "data.target" in address(at)


@pytest.mark.parametrize("pairs", [{}, {"data.target": "x"}])
def test_nobody_is_asked_what_is_plain(opened, pairs):
    columns = (KIND, X, Z) if pairs else (X, Z, KIND)
    assert labels(at_table(opened, "data", *columns, **pairs)) == []
    assert labels(opened("data", data="longley", data__target="")) == []


def test_leaks_are_told_on_the_page_of_the_method_and_left_out_by_a_press(opened):
    columns = (X, Z, told("after"), told("later"), KIND)
    at = at_table(opened, "classification", *columns, method="lda")
    (warning,) = [box.value for box in at.warning if "Would it be known" in box.value]
    assert "'after'" in warning and "'later'" in warning
    calm(at.button(key="leaks.out").click().run())
    assert not [box.value for box in at.warning if "Would it be known" in box.value]
    outcome = at.session_state["last.classification"]
    assert [c.name for c in outcome.whole.prepared.columns] == ["x", "z"]


def test_leaks_are_told_on_the_page_that_compares_too(opened):
    columns = (X, Z, told("after"), KIND)
    at = at_table(opened, "compare", *columns, methods="lda~decision_tree")
    (warning,) = [box.value for box in at.warning if "Would it be known" in box.value]
    assert "'after'" in warning
    calm(at.button(key="leaks.out").click().run())
    assert not [box.value for box in at.warning if "Would it be known" in box.value]
    assert address(at)["data.roles"] == "after:ignore"


def test_methods_that_are_compared_without_a_target_are_not_asked_for_leaks(opened):
    columns = (X, Z, told("after"), KIND)
    at = at_table(opened, "compare", *columns, methods="kmeans~gaussian_mixture")
    assert "Would it be known" not in shown(at)


def test_a_method_without_target_is_not_asked_for_leaks(opened):
    at = at_table(opened, "clustering", X, Z, told("after"), KIND)
    assert "Would it be known" not in shown(at)


def test_rare_names_are_put_together_by_a_press(opened):
    rng = np.random.default_rng(0)
    player = coded("player", [f"P {min(k, 300)}" for k in rng.geometric(0.01, 3000)])
    x, won = numeric("x", rng.normal(size=3000)), coded("won", ["yes", "no"] * 1500)
    at = at_table(opened, "data", x, player, won)
    assert "different names in 3,000 rows" in shown(at)
    (press,) = [b for b in at.button if b.label == "Learn from the common names"]
    calm(press.click().run())
    run = at.session_state["mlscope"].states["data"].run
    assert dict(run.data.roles) == {"player": "feature"}
    (encoder,) = [step for step in run.preparation if step.card.name == "one_hot"]
    kept = (np.bincount(player.values.astype(int)) >= encoder.min_count).sum()
    assert encoder.min_count > 1 and kept > 2
    assert not [b for b in at.button if b.label == "Learn from the common names"]
    dataset = run.data.dataset(at.session_state["session_tables"])
    fit = encoder.fit(dataset.X, columns=dataset.columns)
    assert len(fit.out_columns) == 1 + kept + 1  # x, the common names, all others
