"""What is taken away from a run on a table of one's own says and does what it should."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mlcore.data.importing import read
from mlcore.runs import saved
from tests.browser import dashboard, test_compare
from tests.browser.conftest import ROOT
from tests.browser.test_upload import bring

pytestmark = pytest.mark.browser

LEVELS = ("=SUM(A1)", "<img src=x onerror=alert(1)>", "plain")
HEAD = ("length", "<b>width</b>", "-colour", "kind")


def content() -> bytes:
    """Ninety rows of three kinds, with names that a spreadsheet or a browser might execute."""
    rng = np.random.default_rng(5)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEAD)
    for i in range(90):
        x, y = rng.normal(i % 3, 0.6), rng.normal(-(i % 3), 0.6)
        writer.writerow([f"{x:.3f}", f"{y:.3f}", LEVELS[(i // 2) % 3], "abc"[i % 3]])
    return out.getvalue().encode()


def with_table(page: Page, url: str) -> Page:
    """The Data page with that table."""
    dashboard.visited(page, f"{url}/data")
    bring(page, {"name": "mine.csv", "mimeType": "text/csv", "buffer": content()})
    page.locator(".st-key-read-as").wait_for()
    return dashboard.settled(page)


@pytest.fixture(scope="module")
def classified(lasting_page: Page, serve: Callable[[str], str]) -> Page:
    """The Classification page with that table."""
    page = with_table(lasting_page, serve("app.py"))
    dashboard.go_to(page, "Classification")
    expect(page.locator(".score")).to_contain_text("n = 90")
    return page


@pytest.fixture
def brought(classified: Page, tmp_path: Path) -> Page:
    """That page with its files in sight, and the table beside what is taken away."""
    (tmp_path / "mine.csv").write_bytes(content())
    return tab(classified, "Take it away")


def tab(page: Page, title: str) -> Page:
    """The page with this tab open."""
    page.get_by_role("tab", name=title).click()
    return dashboard.settled(page)


def taken(page: Page, label: str, folder: Path) -> Path:
    """The file behind a button, under its own name."""
    with page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=label).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def alone(folder: Path, *arguments: object, **environment: str) -> str:
    """What a program says in a process of its own, with the one thread of the server."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder, env=os.environ | {"MLSCOPE_THREADS": "1"} | environment,
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))


def test_tables_script_and_experiment_give_the_numbers_of_the_page(brought, tmp_path):
    shown = [float(v) for v in next(iter(dashboard.dots(brought).values()))]
    scores = rows_of(taken(brought, "Scores of each fold", tmp_path))
    assert [float(line["accuracy"]) for line in scores] == shown
    predicted = rows_of(taken(brought, "Predictions on test rows", tmp_path))
    right = sum(line["predicted"] == line["true kind"] for line in predicted)
    prepared = rows_of(taken(brought, "Prepared rows", tmp_path))
    assert {"length", "<b>width</b>", "'-colour==SUM(A1)"} <= prepared[0].keys()

    script = taken(brought, "Python script", tmp_path)
    said = alone(tmp_path, script, tmp_path / "mine.csv", PYTHONPATH=str(ROOT))
    for k, score in enumerate(shown, 1):
        assert f"  fold {k}: {score!r}\n" in said

    experiment = taken(brought, "Experiment for scikit-learn", tmp_path)
    with zipfile.ZipFile(experiment) as archive:
        archive.extractall(tmp_path)
    said = alone(tmp_path, "-I", tmp_path / "experiment.py")
    theirs = said.partition("accuracy: ")[2].partition("balanced_accuracy")[0]
    found = [float(value) for value in re.findall(r"fold \d+: (\S+)", theirs)]
    assert found == pytest.approx(shown, abs=1e-12)
    dashboard.says(tab(brought, "Pictures"), f"{right} of 90 rows are predicted right")


def test_a_comparison_is_taken_away_and_repeated_by_its_programs(warm_page, serve, tmp_path):
    (tmp_path / "mine.csv").write_bytes(content())
    page = with_table(warm_page, serve("app.py"))
    page.get_by_role("button", name="Judge").click()
    page.get_by_test_id("stTopNavPopover").get_by_text("Compare", exact=True).click()
    page.wait_for_url("**/compare*")
    test_compare.verdict(page).wait_for()
    dashboard.settled(page)
    test_compare.tab(page, "Take it away")
    table = rows_of(taken(page, "Scores of every method and fold", tmp_path))
    shown: dict[str, list[float]] = {}
    for line in table:
        if line["metric"] == "accuracy":
            shown.setdefault(line["method"], []).append(float(line["score"]))
    assert {len(values) for values in shown.values()} == {5}
    assert set(test_compare.names(page)) >= shown.keys()

    script = taken(page, "Python script", tmp_path)
    said = alone(tmp_path, script, tmp_path / "mine.csv", PYTHONPATH=str(ROOT))
    for values in shown.values():
        assert all(repr(value) in said for value in values)

    with zipfile.ZipFile(taken(page, "Experiment for scikit-learn", tmp_path)) as archive:
        archive.extractall(tmp_path)
    theirs = alone(tmp_path, "-I", tmp_path / "experiment.py")
    for label in ("Linear discriminant analysis", "Logistic regression", "Naive Bayes"):
        part = theirs.partition(f"{label}\n")[2].partition("balanced_accuracy")[0]
        found = [float(value) for value in re.findall(r"fold \d+: (\S+)", part)]
        assert found == pytest.approx(shown[label], abs=1e-12)

    with zipfile.ZipFile(taken(page, "Fitted models", tmp_path)) as archive:
        models = [saved.read(archive.read(name)) for name in archive.namelist()]
    rows = read(content(), "mine.csv").table
    assert len(models) == len(shown)
    assert all(len(model.predict(model.rows_of(rows))) == 90 for model in models)
    report = taken(page, "Report, one HTML file", tmp_path).read_text("utf-8")
    assert all(label in report for label in shown)


def test_the_model_predicts_the_rows_of_a_file(brought, tmp_path):
    path = taken(brought, "Fitted model", tmp_path)
    model = saved.read(path.read_bytes())
    assert model.run.short() in path.name
    table = read(content(), "mine.csv").table
    said = alone(tmp_path, "-m", "mlcore", "predict", path, tmp_path / "mine.csv",
                 PYTHONPATH=str(ROOT))  # fmt: skip
    lines = list(csv.DictReader(io.StringIO(said)))
    names = [model.classes[int(code)] for code in model.predict(model.rows_of(table))]
    assert [line["predicted kind"] for line in lines] == names


PHONE = {"width": 390, "height": 844}


def all_drawn(report: Page) -> None:
    """Wait until every picture of a report is drawn."""
    pictures = report.locator(".picture").count()
    assert pictures >= 5
    expect(report.locator(".picture .main-svg:first-child")).to_have_count(pictures)


def test_the_report_opens_alone_and_runs_nothing_foreign(brought, new_page, tmp_path):
    path = taken(brought, "Report, one HTML file", tmp_path)
    score = brought.locator(".score b").inner_text()
    for options in ({"color_scheme": "light"}, {"color_scheme": "dark", "viewport": PHONE}):
        alone = new_page(offline=True, **options)
        alone.on("dialog", lambda dialog: pytest.fail(f"the report ran {dialog.message}"))
        # As a page of no origin: opening a file asks for its own address, which is no server.
        alone.set_content(path.read_text("utf-8"), wait_until="load")
        all_drawn(alone)
        expect(alone.locator(".score")).to_contain_text(score)
        alone.get_by_role("cell", name="<b>width</b>", exact=True).first.wait_for()
        expect(alone.locator("img")).to_have_count(0)
        expect(alone.get_by_role("link", name="Open it in MLScope")).to_have_attribute(
            "href", re.compile(r"/classification\?data=")
        )
        assert alone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_picture_says_where_it_is_from_in_every_form(brought, tmp_path):
    run = json.loads(taken(brought, "Run as JSON", tmp_path).read_text())
    assert run["seed"] == 0
    # The first belongs to the dots of the score.
    foot = tab(brought, "Pictures").locator(".mlscope-foot").nth(1)
    foot.get_by_text("Numbers and files").click()
    for kind in ("SVG", "HTML", "CSV"):  # a spreadsheet would take a line of it for the names
        with brought.expect_download() as download:
            foot.get_by_role("button", name=kind, exact=True).click()
        assert re.search(r"-[0-9a-f]{12}\.", download.value.suggested_filename)
        text = Path(download.value.path()).read_text("utf-8")
        stamp = re.search(r"run [0-9a-f]{64}, seed 0, mlcore ", text)
        assert (stamp is not None) == (kind != "CSV"), kind
