"""The Data page and Start: a file is read, its decisions changed, its columns put to use."""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest

from mlcore.data.table import Table
from mlcore.preparation.balancer import Balancer
from mlcore.runs.run import Run
from service import limits, reading, tables
from tests.data import hostile
from tests.pages.conftest import address, shown, unfold
from ui.data import columns, findings

CLASSES = "a;b;kind\n" + "\n".join(f"{i},5;{i % 7};{'xy'[i % 2]}" for i in range(40))


@pytest.fixture
def data_page(opened):
    """The Data page with the bundled iris, its door for uploads open."""
    at = opened("data", data="iris")
    at.session_state["door"] = "Upload"
    return at.run()


def bring(at, content: str | bytes, name: str = "mine.csv"):
    """Upload a file."""
    data = content.encode() if isinstance(content, str) else content
    at.file_uploader[0].set_value((name, data, "text/csv")).run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def run_of(at):
    return at.session_state["mlscope"].states["data"].run


def dataset_of(at):
    """The rows that the page shows."""
    held: dict[str, Table] = at.session_state["session_tables"]
    return run_of(at).data.dataset(held)


def decide(at, label: str, value):
    """Change a decision of the reading."""
    next(box for box in at.selectbox if box.label == label).set_value(value).run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def test_a_file_becomes_the_data_of_every_page(data_page, opened):
    at = bring(data_page, CLASSES)
    dataset = dataset_of(at)
    assert (dataset.n, dataset.target, dataset.classes) == (40, "kind", ("x", "y"))
    assert dataset.X[3, 0] == 3.5
    assert address(at)["data.source.name"] == "mine.csv"
    at.switch_page("pages/classification.py").run()
    assert not at.exception
    assert at.session_state["last.classification"].whole.prepared.X.shape[0] == 40


def test_a_decision_changed_reads_again_and_keeps_what_was_decided(data_page):
    at = unfold(bring(data_page, CLASSES), "strip.target.item")
    target = next(box for box in at.selectbox if box.label == "What is to be predicted")
    target.set_value("b").run()
    decide(at, "Date order", "mdy")
    assert dataset_of(at).target == "b"
    decide(at, "Header", "none")
    assert dataset_of(at).table.n_rows == 41
    assert dataset_of(at).target != "b", "no column is called so any more"
    decide(at, "Header", 0)
    assert dataset_of(at).table.n_rows == 40
    button = {item.key: item for item in at.button}
    button["strip.Undo"].click().run()
    assert dataset_of(at).table.n_rows == 41
    decide(at, "Header", 0)
    assert dataset_of(at).table.n_rows == 40


def test_a_decision_that_cannot_be_read_is_taken_back(data_page):
    at = bring(data_page, CLASSES)
    before = run_of(at)
    decide(at, "Encoding", "utf-16")
    assert len(at.error) == 1
    assert run_of(at) == before
    box = next(box for box in at.selectbox if box.label == "Encoding")
    assert box.value == "utf-8"
    decide(at, "Skip", 1)
    assert not at.error
    decide(at, "Thousands", ".")
    decide(at, "Decimal", ".")
    assert not at.error, "a mark that is chosen for one use is taken from the other"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "The file is empty."),
        (b" \n\n", "The file is empty."),
        (bytes(range(256)) * 20, "not a text file"),
        (b"PK\x03\x04" + bytes(300), "ZIP archive without a workbook"),
        (b"a,b,c\n", "no rows"),
    ],
)
def test_a_file_that_is_no_table_gives_a_sentence_and_loses_nothing(data_page, content, says):
    at = bring(data_page, CLASSES)
    before = run_of(at)
    bring(at, content, "other.csv")
    assert [says in error.value for error in at.error] == [True]
    assert run_of(at) == before
    assert "mine.csv · 40 rows" in shown(at)
    decide(at, "Header", "none")
    assert dataset_of(at).table.n_rows == 41, "the file that was read can still be read otherwise"
    bring(at, content, "again.csv")
    assert [says in error.value for error in at.error] == [True]
    at.session_state["door"] = "Pick"
    at.run()
    next(item for item in at.button if item.key == "pick.wine").click().run()
    assert not at.error, "the sentence is of a file that is no longer looked at"


def test_start_says_what_is_wrong_with_a_file_and_takes_one_that_is_not(opened):
    at = opened("start")
    bring(at, b"", "empty.csv")
    assert [error.value for error in at.error] == [
        "The file is empty. Bring a file with a line of names and rows below it."
    ]
    bring(at, CLASSES)
    assert "Read as" in shown(at), "a table that can be read opens the Data page"


def test_ragged_rows_and_odd_names_are_said(data_page):
    at = bring(data_page, "a,a,,b\n1,2,3\n1,2,3,4,5\n2,3,4,5\n7,8,9,1\n")
    said = shown(at)
    assert dataset_of(at).table.names == ("a", "a_2", "column_3", "b")
    assert "'a' is 'a_2', '' is 'column_3'" in said
    assert "Line 2 has fewer than 4 cells" in said
    assert "'5', is in no column" in said


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("a,b,y\n" + "1,7,k\n2,7,j\n3,7,k\n4,7,j\n" * 3, "Column 'b' is 7 in every row"),
        ("a,b,y\n" + "1,,k\n2,,j\n3,,k\n4,,j\n" * 3, "Column 'b' has no value in any row"),
        (
            "n,b\n" + "\n".join(f"id{i},{i * i}" for i in range(30)),
            "has another value in every row",
        ),
    ],
)
def test_columns_that_say_nothing_are_found_and_not_learned_from(data_page, table, says):
    at = bring(data_page, table)
    assert says in shown(unfold(at, "findings.seen"))
    assert len(dataset_of(at).columns) == 1


@pytest.mark.parametrize("table", ["a,b\n1,2\n", "a,b\nsome words,more words\n"])
def test_a_table_that_gives_no_rows_can_be_mended_where_it_is_shown(data_page, table):
    at = bring(data_page, table)
    assert [error.value.startswith("mine.csv has no column") for error in at.error] == [True]
    assert "Columns" in shown(at)
    assert "Read as" in shown(at)
    assert at.get("dataframe"), "the table of columns"


def test_a_table_beyond_the_limit_of_rows_is_refused_and_the_former_stays(monkeypatch, data_page):
    monkeypatch.setattr(limits, "current_limits", lambda: limits.Limits(rows=10))
    at = bring(data_page, CLASSES)
    assert [error.value for error in at.error] == [
        "The table has 40 rows; this installation takes 10. Bring a sample of its rows."
    ]
    assert dataset_of(at).name == "Iris"


@pytest.mark.slow
def test_a_file_that_ends_its_reader_leaves_the_former_table_and_the_page(monkeypatch, data_page):
    at = bring(data_page, CLASSES)
    with monkeypatch.context() as quick:
        quick.setattr(reading, "SECONDS", 0.1)
        at = bring(at, hostile.shared(300_000, 1), "slow.xlsx")
    (error,) = at.error
    assert error.value.startswith("The file 'slow.xlsx' takes longer to be read than the 0.1 ")
    assert dataset_of(at).name == "mine.csv"
    assert "Read as" in shown(at)
    at = bring(at, hostile.excel(hostile.rows_of(hostile.cell("A1"), hostile.cell("XFD1048576"))))
    assert "1,048,576 rows of 16,384 cells" in at.error[0].value
    assert not bring(at, "x,y\n1,2\n3,5\n").error


def test_a_very_long_name_of_a_file_is_shortened(data_page):
    at = bring(data_page, CLASSES, "n" * 224 + ".csv")
    assert not at.error
    assert dataset_of(at).name == "n" * 99 + "…" + "n" * 96 + ".csv"
    assert "fault in MLScope" not in shown(at)


def test_two_rows_are_a_table(data_page):
    at = bring(data_page, "a,b,y\n1,2,k\n3,4,j\n")
    assert not at.error
    at.switch_page("pages/clustering.py").run()
    assert not at.exception
    assert "3 clusters need" in shown(at) or "folds need" in shown(at)


def test_a_fix_is_taken_by_its_button(opened):
    at = opened("data", data="iris")
    assert "Row 143 repeats an earlier row" in shown(at)
    next(item for item in at.button if item.label == "Leave out").click().run()
    assert run_of(at).data.drop == ("duplicates",)
    unfold(at, "strip.rows.item")
    assert "1 row is not used: it repeats an earlier row." in shown(at)


CODED = (
    "age;floor;y\n"
    + "\n".join(f"{20 + i};{i % 3};{'ab'[i % 2]}" for i in range(60))
    + "\n-9;1;a\n-9;2;b\n"
)


def press(at, label: str):
    next(item for item in at.button if item.label == label).click().run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def test_a_code_for_missing_is_read_so_by_one_click_and_taken_back_by_another(data_page):
    at = bring(data_page, CODED)
    assert "Does -9 mean missing?" in shown(at)
    press(at, "Read -9 as missing")
    assert dataset_of(at).table.column("age").missing == 2
    assert address(at)["data.missing"] == "age:-9"
    assert "Does -9 mean missing?" not in shown(at)
    assert "In column 'age', -9 is read as missing." in shown(at)
    press(at, "Take back")
    assert dataset_of(at).table.column("age").missing == 0
    press(at, "Make nominal")
    assert dict(run_of(at).data.kinds) == {"floor": "nominal"}


def test_a_step_is_added_by_one_click_and_taken_back_by_another(data_page):
    rows = "".join(f"{i},{'' if i == 9 else i * i % 7},{'ab'[i % 12 == 0]}\n" for i in range(180))
    at = bring(data_page, "a,b,y\n" + rows)
    before = run_of(at).preparation
    assert "Imputation is in the preparation." in shown(unfold(at, "findings.seen"))
    press(at, "Add class balancing")
    assert [step.card.name for step in run_of(at).preparation] == [
        *(step.card.name for step in before), "balancer",
    ]  # fmt: skip
    assert address(at)["preparation"].endswith("~balancer")
    press(at, "Take back")
    assert run_of(at).preparation == before


def test_text_is_learned_from_by_one_click(data_page):
    rows = "".join(
        f"{i * i % 11},{'xy'[i % 2]},a remark on row {i % 50} of them\n" for i in range(90)
    )
    at = bring(data_page, "n,y,said\n" + rows)
    press(at, "Set feature")
    assert dict(run_of(at).data.roles) == {"said": "feature"}
    assert run_of(at).preparation[-1].card.name == "count_vectorizer"


def test_a_step_is_added_where_it_stands_in_the_usual_order():
    _, *others = Run().preparation
    steps = findings.with_step(tuple(others), "impute")
    assert steps == Run().preparation
    steps = findings.with_step((*steps[:2], Balancer()), "standardise")
    assert [step.card.name for step in steps] == ["impute", "one_hot", "standardise", "balancer"]


def test_alike_findings_are_seen_to_together(data_page):
    table = "a,b,c,y\n" + "".join(f"{i % 3},{i % 4},{i},{'kj'[i % 2]}\n" for i in range(80))
    at = bring(data_page, table)
    press(at, "Mend all 2 like this")
    assert {name: c.kind for name, c in zip("ab", dataset_of(at).columns, strict=False)} == {
        "a": "nominal",
        "b": "nominal",
    }
    (back, _) = [item for item in at.button if item.label == "Take back"]
    back.click().run()
    assert len(run_of(at).data.kinds) == 1


def test_the_first_the_last_and_random_rows_are_shown(data_page, monkeypatch):
    at = bring(
        data_page, "n,b\n" + "".join(f"{i},{'' if i == 2900 else i % 7}\n" for i in range(3000))
    )
    rows = {}
    for which in ("First", "Last", "Random"):
        next(c for c in at.segmented_control if c.label == "Rows to look at").set_value(which).run()
        assert not at.exception, at.exception[0].stack_trace
        rows[which] = at.dataframe[-1].value.index.to_numpy()
    assert [len(each) for each in rows.values()] == [1000] * 3
    assert (rows["First"][-1], rows["Last"][0], rows["Last"][-1]) == (1000, 2001, 3000)
    assert (rows["Random"][1:] > rows["Random"][:-1]).all()
    assert rows["Random"][0] < 100 < 2900 < rows["Random"][-1]
    monkeypatch.setattr(columns, "PREVIEW_CELLS", 60)  # of a table with more columns fewer rows
    assert len(at.run().dataframe[-1].value) == 30
    assert "30 of 3,000 rows, at random." in shown(at)


def test_a_link_with_a_code_that_is_no_number_gives_a_sentence(opened):
    at = opened("data", data="iris", data__missing="petal_length:none")
    assert "numbers with blanks between them, such as -9" in shown(at)


def test_a_generator_is_chosen_and_follows_its_knobs(opened):
    at = opened("data", data="iris")
    at.session_state["door"] = "Generate"
    at.run()
    next(box for box in at.selectbox if box.label == "Generator").set_value("moons").run()
    assert address(at)["data"] == "moons"
    box = next(item for item in at.number_input if item.label.startswith("Number of rows"))
    box.set_value(77).run()
    assert run_of(at).data.dataset().n == 77
    assert address(at)["data.source.n_samples"] == "77"
    assert not at.exception


def test_another_session_is_not_shown_an_upload(data_page, opened):
    at = bring(data_page, CLASSES)
    other = opened("data", **{k.replace(".", "__"): v for k, v in address(at).items()})
    assert "uploaded tables stay with the person" in other.error[0].value
    other.session_state["door"] = "Upload"
    bring(other.run(), CLASSES)
    assert not other.error
    assert run_of(other).data == run_of(at).data


def test_names_are_shown_letter_by_letter(data_page):
    names = ["<script>x</script>", "$x$", "[link](http://x.y)", "**b**", "a\\b", "_u_", "😀"]
    rows = "\n".join(",".join(str((i * (j + 3)) % 17) for j in range(7)) + ",k" for i in range(9))
    at = bring(data_page, ",".join([*names, "y"]) + "\n" + rows, "<b>[m](n)</b>.csv")
    title = next(item.value for item in at.markdown if item.value.startswith("# Data"))
    assert r"\<b\>\[m\](n)\</b\>.csv" in title
    at.switch_page("pages/preprocessing.py").run()
    said = shown(at)
    assert not at.exception
    for name in ("<script>", "$x$", "[link](", "**b**", "_u_"):
        assert name not in said
    assert r"\<script\>x\</script\>, \$x\$" in said


def test_cells_that_a_spreadsheet_would_execute_are_neutralised(data_page, monkeypatch):
    rows = "\n".join(f"{i},{(i * 7) % 10},{'=1+1' if i % 2 else '@sum'}" for i in range(40))
    at = bring(data_page, "a,=b,-y\n" + rows)
    dataset = dataset_of(at)
    assert dataset.classes == ("=1+1", "@sum")
    at.switch_page("pages/classification.py").run()
    (outcome,) = [at.session_state["last.classification"]]
    said = tables.csv(tables.predictions(outcome, dataset))
    lines = list(csv.reader(io.StringIO(said)))
    assert all(not cell.startswith(("=", "@", "-y")) for line in lines for cell in line)
    assert {"'=1+1", "'@sum"} <= {cell for line in lines for cell in line}


RAGGED = "a;b;c\n" + "\n".join(f"{i};{i % 5},5;x" for i in range(20)) + "\n7;1,5;y;lost\n8;2,5\n"


def test_lines_that_do_not_fit_are_listed(data_page):
    at = bring(data_page, RAGGED)
    listed = next(frame.value for frame in at.dataframe if "In no column" in frame.value)
    assert listed["Line"].tolist() == [22, 23]
    assert listed["Cells"].tolist() == [4, 2]
    assert listed["In no column"].tolist() == ["lost", ""]


def test_lines_below_the_table_are_told_and_can_be_had_back(data_page):
    text = "city,n,m\n" + "".join(f"C{i},{i * i},{i % 3}\n" for i in range(20)) + "\nSource: me\n"
    at = bring(data_page, text)
    assert dataset_of(at).n == 20
    assert any("Line 23 below the table was left out" in m.value for m in at.markdown)
    at.button(key="note.0.0").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert dataset_of(at).n == 21


def test_a_sheet_of_a_workbook_is_chosen(data_page):
    made = openpyxl.Workbook()
    for name, step in (("first", 1), ("second", 2)):
        sheet = made.create_sheet(name)
        for row in (["a", "b"], *([i * step, i % 7] for i in range(30))):
            sheet.append(row)
    content = io.BytesIO()
    made.save(content)
    at = bring(data_page, content.getvalue(), "mine.xlsx")
    labels = [box.label for box in at.selectbox]
    assert "Sheet" in labels
    assert "Encoding" not in labels
    decide(at, "Sheet", "second")
    assert dataset_of(at).table.column("a").values[3] == 6


def test_pictures_of_the_data_alone_are_offered_where_they_fit(opened):
    at = opened("data", data="digits8")
    chosen = next(c for c in at.segmented_control if c.label == "What to look at")
    assert {"Images", "Distance matrix"} <= set(chosen.options)
    chosen.set_value("image_grid").run()
    assert not at.exception, at.exception[0].stack_trace
    assert "**Images** <small>the first rows of each class" in shown(at)
    plain = next(c for c in opened("data", data="iris").segmented_control if c.key == "data.tab")
    assert "Images" not in plain.options
    fitted = opened("clustering", data="two_people", method="kmeans", method__n_clusters="2")
    assert "2 centers, fitted on all" in shown(fitted)


def test_a_column_says_which_sequence_a_row_belongs_to(opened):
    at = opened("data", data="table", data__source="sequences")
    assert "600 rows, 5 columns · 30 sequences of 20 rows" in shown(at)
    assert not at.exception
