"""New rows on the page of a method: a file, a form, its columns decided, its predictions taken."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.data.table import Table
from mlcore.runs.predicting.predicted import Predicted
from service import tables
from tests.pages.conftest import address, shown, unfold
from tests.spine.test_prediction import MESSY
from ui.predict.score import _common

PENGUINS = bundled.load("penguins")


@pytest.fixture
def predicting(opened):
    """`predicting("classification", ...)`: the page with the tab of new rows open."""
    return partial(opened, view__tab="predict")


def calm(at):
    assert not at.exception, at.exception[0].stack_trace
    return at


def bring(at, content: str | bytes, name: str = "new.csv"):
    data = content.encode() if isinstance(content, str) else content
    return calm(at.file_uploader[0].set_value((name, data, "text/csv")).run())


def outcome_of(at) -> Predicted:
    return at.session_state["last.predict"]


def html(at) -> str:
    return "\n".join(item.proto.body for item in at.get("html"))


def test_a_second_file_is_a_test_set(predicting):
    at = calm(predicting("classification", data="penguins", method="logistic"))
    assert "Template CSV" in [b.proto.label for b in at.get("download_button")]
    at = bring(at, PENGUINS.take(range(0, 344, 3)).to_csv())
    assert "7 columns matched" in shown(at)
    body = html(at)
    assert "on the new rows" in body and "cross-validated" in body
    assert "taken for" in body or "No row is wrong" in body
    assert outcome_of(at).scored_rows == 115
    assert "bar: range over 5 folds" in shown(at)
    unfold(at, "predict.changed")
    assert "None of 6 columns is distributed otherwise" in shown(at)
    assert "Learned from" in html(at)


def test_a_messy_file_is_decided_column_by_column(predicting):
    at = calm(predicting("classification", data="penguins", data__target="sex", method="logistic"))
    at = bring(at, MESSY)
    said = shown(at)
    assert "new level" in said and "missing" in said and "other unit" in said
    assert "Macaroni" in said and "Not used, and kept in the download" in said
    mass = next(s for s in at.selectbox if s.label == "Column for body_mass_g")
    assert mass.value == ""
    calm(mass.select("Körpermasse").run())
    outcome = outcome_of(at)
    assert dict(outcome.run.matches) == {"body_mass_g": "Körpermasse"}
    unit = next(s for s in at.selectbox if s.label == "Fix of flipper_length_mm")
    assert unit.value == "times 10"
    calm(unit.select("as it is").run())
    assert outcome_of(at).matching.rows.column("flipper_length_mm").values.max() < 25
    calm(next(b for b in at.button if b.label == "Match by name again").click().run())
    assert dict(outcome_of(at).run.matches) == {}
    text = tables.csv(tables.new_rows(outcome))
    assert "'=cmd0" in text and "\n=cmd0" not in text
    assert "probability of female" in text.splitlines()[0]


def test_of_equally_common_errors_that_of_the_smaller_class_is_told():
    told = _common(np.array([[43, 7], [7, 1]]), ["female", "male"])
    assert "male taken for female</b>, 7 of 8" in told


def test_columns_that_are_missing_together_have_one_cost(predicting):
    at = calm(predicting("classification", data="penguins", method="logistic"))
    table = PENGUINS.take(range(0, 344, 3))
    kept = [c for c in table.columns if c.name not in ("bill_length_mm", "island")]
    at = bring(at, Table.of(*kept).to_csv())
    assert "are missing. Shuffled together, accuracy is 0." in shown(at)
    outcome = at.session_state["last.predict.absent"]
    assert set(outcome.run.question.group) == {"bill_length_mm", "island"}
    one = Table.of(*(c for c in table.columns if c.name != "island")).to_csv()
    assert "Shuffled together" not in shown(bring(at, one, "one.csv"))


def test_a_threshold_of_ones_own_decides(predicting):
    at = calm(predicting("classification", data="penguins", data__target="sex", method="logistic"))
    at = bring(at, PENGUINS.take(range(0, 344, 3)).to_csv())
    box = next(n for n in at.number_input if n.label.startswith("male from a probability of"))
    assert box.value is None  # as the method decides
    before = html(at)
    calm(box.set_value(0.9).run())
    assert "are decided otherwise than by the method" in shown(at)
    assert html(at) != before and "cross-validated" in html(at)


def test_a_row_is_typed(predicting):
    at = calm(predicting("classification", data="iris", method="lda"))
    for _ in range(2):
        calm(next(b for b in at.button if b.label == "Add this row").click().run())
    outcome = outcome_of(at)
    assert outcome.new.n_rows == 2 and outcome.scores == {}
    assert "Predicted classes" in shown(at)
    calm(next(b for b in at.button if b.label == "Remove").click().run())
    assert "New rows" in shown(at) and not at.get("selectbox")[-1].label.startswith("Column for")


def test_the_form_asks_for_the_columns_before_the_changes_of_the_table(predicting):
    """What is typed goes through the changes, once."""
    at = calm(
        predicting(
            "classification", data="iris", method="lda", data__steps="new_column~rename_column",
            data__steps__0__name="petal_length_cm", data__steps__0__formula="petal_length_cm * 10",
            data__steps__1__column="sepal_width_cm", data__steps__1__name="width",
        )
    )  # fmt: skip
    labels = [n.label for n in at.number_input if n.key and "predict.cell" in n.key]
    assert sorted(labels) == [
        "petal_length_cm", "petal_width_cm", "sepal_length_cm", "sepal_width_cm",
    ]  # fmt: skip
    calm(next(b for b in at.button if b.label == "Add this row").click().run())
    rows = outcome_of(at).matching.rows
    assert rows.column("petal_length_cm").values[0] == 10 * 4.35
    assert rows.column("width").values[0] == 3.0
    assert not outcome_of(at).matching.decisions


def test_a_new_row_is_explained_with_its_own_values(predicting):
    at = calm(predicting("classification", data="penguins", method="lda"))
    cells = PENGUINS.take([0, 200]).to_csv().splitlines()
    own = cells[2].split(",")
    at_mass = cells[0].split(",").index("body_mass_g")
    own[at_mass] = str(mass := float(own[at_mass]) + 1)
    at = bring(at, "\n".join([cells[0], ",".join(own)]))
    said = outcome_of(at).classes[int(outcome_of(at).values[0])]
    calm(at.button(key="predict.why.go").click().run())
    asked = {k: v for k, v in address(at).items() if k.startswith("view")}
    assert asked["view.tab"] == "explain" and asked["view.explain.changes"] == f"body_mass_g:{mass}"
    reply = at.session_state["last.explain.what_if"].joined
    assert reply.outputs[int(reply.after.argmax())] == said
    assert reply.row == 201 and reply.is_changed.sum() == 1  # the row that it was made of
    shared = at.session_state["last.explain.shapley"].joined
    assert shared.values[[c.name for c in shared.variables].index("body_mass_g")] == mass
    assert "row 201 with other values" in shown(at)


def test_another_table_shows_both_headers(predicting):
    at = bring(predicting("classification", data="iris", method="lda"), "u;v\n1;2\n3;4\n")
    assert "does not look like the training table" in shown(at)
    calm(next(s for s in at.selectbox if s.label.startswith("Column for")).select("u").run())
    assert outcome_of(at).usable.all()


def test_a_file_that_cannot_be_read_leaves_the_former_rows(predicting):
    at = bring(predicting("regression", data="diabetes", method="ridge"), _diabetes())
    assert "Predictions" in shown(at)
    assert "range over" not in shown(at)  # the bar of a number is its interval
    before = outcome_of(at).run.new
    at = bring(at, b"\x00\x01", "broken.xlsx")
    assert at.error and outcome_of(at).run.new == before


@pytest.mark.parametrize(
    ("page", "method"), [("clustering", "kmeans"), ("dimensionality_reduction", "pca")]
)
def test_pages_without_a_target_predict_what_they_can(predicting, page, method):
    at = bring(predicting(page, data="iris", method=method), bundled.load("iris").to_csv())
    assert outcome_of(at).outputs
    assert "Predictions" in shown(at)


def test_a_method_that_places_its_own_rows_says_so(predicting):
    at = calm(predicting("dimensionality_reduction", data="iris", method="tsne"))
    assert "says nothing of new rows" in shown(at)


def _diabetes() -> str:
    return bundled.load("diabetes").take(range(60)).to_csv()


def test_another_coverage_is_promised_without_fitting_again(predicting):
    at = calm(predicting("classification", data="penguins", method="lda"))
    at = bring(at, PENGUINS.take(range(0, 344, 3)).to_csv())
    first = outcome_of(at)
    coverage = next(g for g in at.segmented_control if g.label == "Coverage promised")
    assert "0.95 is promised" in captions(at)
    at = calm(coverage.set_value(0.8).run())
    assert "0.8 is promised" in captions(at)
    assert "Labels, 80 %" in html(at)
    ways = next(s for s in at.selectbox if s.label == "Label sets")
    at = calm(ways.set_value("adaptive").run())
    assert "Label set, adaptive" in captions(at) and "likely" in captions(at)
    assert outcome_of(at) is first


def captions(at) -> str:
    return "\n".join(c.value for c in at.caption)
