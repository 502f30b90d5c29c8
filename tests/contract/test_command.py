"""`python -m mlcore`: repeating a saved run, the catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from mlcore.__main__ import main
from mlcore.runs import carry_tuning
from mlcore.runs.carry import carried_out, report
from mlcore.runs.run import Run
from mlcore.runs.script import script
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning


def saved(tmp_path: Path, run: object, name: str = "run.json") -> str:
    """The path of a saved run."""
    path = tmp_path / name
    path.write_text(run.to_json())  # type: ignore[attr-defined]
    return str(path)


def test_a_saved_run_is_repeated(tmp_path, capsys):
    run = Run(data="iris", method="kmeans", seed=5)
    assert main(["run", saved(tmp_path, run)]) == 0
    assert capsys.readouterr().out == report(carried_out(run)) + "\n"


def test_a_run_on_an_uploaded_table_is_repeated(tmp_path, capsys):
    from mlcore.data.dataset import TableData
    from mlcore.data.upload import Upload, uploads

    csv = tmp_path / "mine.csv"
    csv.write_text("a,b\n" + "\n".join(f"{i}.5,{(i * 7) % 11}.25" for i in range(30)) + "\n")
    held = uploads([str(csv)])
    run = Run(data=TableData(source=Upload(digest=next(iter(held))), target=None), method="pca")
    path = saved(tmp_path, run)
    assert main(["run", path, "--data", str(csv)]) == 0
    assert capsys.readouterr().out == report(carried_out(run, held)) + "\n"
    assert main(["run", path]) == 1
    assert "Upload the same file again" in capsys.readouterr().err


def test_a_run_on_a_sheet_of_a_workbook_is_repeated(tmp_path, capsys):
    from mlcore.data.dataset import TableData
    from mlcore.data.importing import Decisions, read
    from mlcore.data.upload import Upload

    book = openpyxl.Workbook()
    for row in (["u", "v"], [1, 2.5], [2, 3.5]):
        book.worksheets[0].append(row)
    sheet = book.create_sheet("data")
    for row in (["x", "y"], *([i / 8, i % 5 + i / 4] for i in range(40))):
        sheet.append(row)
    path = tmp_path / "table.xlsx"
    book.save(path)
    table = read(path.read_bytes(), decisions=Decisions(sheet="data")).table
    run = Run(data=TableData(source=Upload(digest=table.digest()), target=None), method="pca")
    assert main(["run", saved(tmp_path, run), "--data", str(path)]) == 0
    assert capsys.readouterr().out == report(carried_out(run, {table.digest(): table})) + "\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nonsense", "This is not a saved run: it cannot be read as JSON."),
        ('{"use": "run", "methud": 1}', "Did you mean 'method'?"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(tmp_path, capsys, text, sentence):
    path = tmp_path / "bad.json"
    path.write_text(text)
    assert main(["run", str(path)]) == 1
    assert sentence in capsys.readouterr().err


def test_a_missing_file_is_a_sentence(tmp_path, capsys):
    assert main(["run", str(tmp_path / "none.json")]) == 1
    assert "none.json cannot be read: No such file or directory." in capsys.readouterr().err


def test_a_saved_tuning_is_repeated_and_so_is_its_script(tmp_path, capsys):
    search = GridSearch(over={"method.alpha": "1,10"})
    run = Tuning(data="diabetes", method="ridge", search=search)
    said = carry_tuning.report(carry_tuning.carried_out(run)) + "\n"
    assert main(["run", saved(tmp_path, run)]) == 0
    assert capsys.readouterr().out == said
    exec(script(run), {})
    assert capsys.readouterr().out == said


def test_the_catalogue_is_json(capsys):
    assert main(["catalogue"]) == 0
    records = json.loads(capsys.readouterr().out)
    found = {(r["kind"], r["name"]): r for r in records}
    assert found["method", "kmeans"]["has_steps"] is True
    assert "cs1:pca_gram" in found["method", "pca"]["sources"]
    assert found["method", "standard_scaler"]["means"] == "standardise"
    assert found["function", "Minkowski"]["means"] == "minkowski"
    assert found["method", "standardise"]["means"] == ""


def test_methods_are_found_by_any_of_their_words(capsys):
    assert main(["methods", "lloyd"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("clustering.kmeans  k-means: ")
    assert main(["methods"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 50
    assert main(["methods", "unheard", "of"]) == 1
    assert capsys.readouterr().err == "No method is told by unheard of.\n"
