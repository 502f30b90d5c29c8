"""Projects: all comes back, and any bytes give a project or a sentence, in little memory."""

from __future__ import annotations

import io
import json
import random
import zipfile
from typing import Any

import numpy as np
import pytest

from mlcore.data import stored
from mlcore.data.dataset import TableData
from mlcore.data.table import Table, coded, numeric
from mlcore.data.upload import Upload
from mlcore.runs import project
from mlcore.runs.project import MANIFEST, Project, read, written
from mlcore.runs.project_lines import Line, Score
from mlcore.runs.run import Comparison, Run, Trial
from mlcore.spine.errors import FileError, MlcoreError
from tests.contract.subjects import is_sentence
from tests.contract.test_hostile_models import ROUNDS, STRANGE, places

TABLE = Table.of(numeric("a", [1.5, np.nan, 3.0]), coded("kind", ["x", "y", ""]))
DIGEST = TABLE.digest()
OWN = TableData(source=Upload.of(DIGEST, "mine.csv"))
LINES = (
    Line(id="1" * 32, run=Run(data=OWN, method="lda"), page="classification", at=3.0,
         view={"x": "a", "tab": "how"}, scores=(Score("Accuracy", 0.9, 0.1),), name="best",
         note="with all columns"),
    Line(id="2" * 32, run=Comparison(data="iris"), page="compare", at=2.0, status="stopped"),
    Line(id="3" * 32, run=Trial(problem="grid_world"), at=1.0, status="running"),
)  # fmt: skip
SEED = written(LINES, {DIGEST: TABLE})


def problem(content: bytes) -> str:
    """Why it cannot be read; "" if it can."""
    try:
        found = read(content)
    except MlcoreError as error:
        return str(error)
    assert all(map(is_sentence, found.problems))
    return ""


def parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(held: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive:
        for name, content in held.items():
            archive.writestr(name, content)
    return out.getvalue()


def changed(**values: Any) -> bytes:
    """The seed with other values in its manifest."""
    held = parts(SEED)
    document = json.loads(held[MANIFEST]) | values
    return packed(held | {MANIFEST: json.dumps(document).encode()})


def with_run(**values: Any) -> Project:
    """The seed with its first run changed, read."""
    runs = json.loads(parts(SEED)[MANIFEST])["runs"]
    return read(changed(runs=[runs[0] | values, *runs[1:]]))


def test_all_of_a_project_comes_back():
    back = read(SEED)
    assert [line.plain() for line in back.lines] == [line.plain() for line in LINES]
    assert [line.run for line in back.lines] == [line.run for line in LINES]
    assert {digest: table.digest() for digest, table in back.tables.items()} == {DIGEST: DIGEST}
    assert back.problems == () and back.needed == {DIGEST: "mine.csv"}


def test_without_its_tables_it_says_which_it_needs():
    back = read(written(LINES, {}))
    assert back.tables == {} and back.needed == {DIGEST: "mine.csv"}


def test_the_json_of_a_run_opens_alone():
    for run in (LINES[0].run, LINES[1].run):
        (line,) = read(run.to_json(indent=1).encode()).lines
        assert line.run == run and line.page == ""
    assert "kind of run" in problem(b'{"use": "nothing"}')
    assert problem(b'{"use": "run", "data": "\xff"}')
    assert problem(b"{" * 10_000)


def test_a_run_of_another_release_is_told_and_the_others_open():
    run = json.loads(LINES[0].run.to_json())
    back = with_run(run=run | {"method": {"use": "of_tomorrow"}})
    assert [line.id[0] for line in back.lines] == ["2", "3"]
    assert back.problems[0].startswith("Run 1 is left out:")


@pytest.mark.parametrize(
    "values",
    [
        {"id": "../../etc/passwd"}, {"id": 1}, {"page": "../admin"}, {"page": "a" * 65},
        {"view": {"x": 1}}, {"view": {str(at): "" for at in range(501)}}, {"at": -1.0},
        {"at": 1e300}, {"at": True}, {"status": "hacked"}, {"scores": [[1, 2, 3, 4, 5]]},
        {"scores": [["a", "b", 0, "", "higher"]]}, {"scores": [["a", 0, 0, "", "up"]]},
        {"scores": 1}, {"parent": "x"}, {"scores": [["a", 0, 0, "", "lower"]] * 9},
        {"name": "x" * 61}, {"note": "x" * 501}, {"run": []},
        {"name": "\ud800"}, {"note": "a\udfff"}, {"view": {"x": "\ud800"}},
        {"view": {"\ud800": "x"}}, {"scores": [["\ud800", 0, 0, "", "lower"]]},
        {"scores": [["a", 10**400, 0, "", "lower"]]}, {"scores": [["a", 0, True, "", "lower"]]},
        {"run": None}, {"scores": [["a" * 201, 0.0, 0.0, "", "lower"]]},
    ],
)  # fmt: skip
def test_a_run_that_is_damaged_is_left_out(values):
    back = with_run(**values)
    assert len(back.lines) == 2 and len(back.problems) == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("seed",), 10**400), (("data", "source", "name"), "\ud800"),
        (("data", "target"), "\ud800"), (("data", "drop"), ["\ud800"]),
        (("preparation", 0, "fill_value"), 10**400), (("\ud800",), 1),
    ],
)  # fmt: skip
def test_a_run_that_no_page_could_show_is_left_out(path, value):
    run = json.loads(LINES[0].run.to_json())
    at = run
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    back = with_run(run=run)
    assert len(back.lines) == 2 and len(back.problems) == 1
    back.problems[0].encode()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"v": 2}, "later release"), ({"v": True}, "later release"), ({"v": "1"}, "later release"),
        ({"mlscope": "model"}, "describes none"), ({"runs": {}}, "no list"),
        ({"runs": [{}] * 1001}, "no list"), ({"tables": None}, "no list"),
        ({"tables": [{"digest": "../x"}]}, "digests"), ({"tables": [{"digest": [DIGEST]}]}, "dig"),
        ({"tables": [{"digest": "0" * 64}]}, "is not in it"),
    ],
)  # fmt: skip
def test_a_manifest_that_does_not_hold_is_refused(values, why):
    assert why in problem(changed(**values)) and is_sentence(problem(changed(**values)))


def test_a_table_under_the_digest_of_another_is_refused():
    """Else a project could put its own rows in the place of somebody's table."""
    other = stored.to_bytes(Table.of(numeric("a", [9.0])))
    held = parts(SEED) | {f"tables/{DIGEST}.arrow": other}
    assert "is another one" in problem(packed(held))


@pytest.mark.parametrize("column", [numeric("\ud800", [1.0]), coded("a", ["\udfff"])])
def test_a_table_that_no_page_could_show_is_refused(column):
    """The page would fail with it, and every later one: a table is found again for days."""
    table = Table.of(column)
    sentence = problem(written([], {table.digest(): table}))
    assert "half of a letter" in sentence and is_sentence(sentence)


def test_names_of_parts_lead_nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    held = parts(SEED) | {"../outside": b"x", "/tmp-of-nobody": b"x", "tables/": b"", "a\\b": b"x"}
    assert len(read(packed(held)).lines) == 3
    assert list(tmp_path.iterdir()) == [] and not (tmp_path.parent / "outside").exists()


def test_archives_that_unpack_to_much_are_refused_before_they_are_unpacked():
    bomb = packed({MANIFEST: b" " * (project.MAX_MANIFEST + 1)})
    assert len(bomb) < 20_000 and "at most 8 MB" in problem(bomb)
    held = parts(SEED) | {"x": b"\0" * 2**20}
    with pytest.raises(FileError, match="unpacks to more than"):
        read(packed(held), most=2**20)
    many = {f"part {at}": b"" for at in range(project.MOST_TABLES + 1)}
    assert "more than 200" in problem(packed(parts(SEED) | many))


def test_a_part_that_lies_about_its_size_gives_no_more_than_it_says():
    honest = packed(parts(SEED) | {"x": b"\0" * 2**22})
    lie = honest.replace((2**22).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lie != honest and "damaged" in problem(lie)


def test_a_table_that_packs_well_is_counted_by_what_it_takes():
    table = Table.of(numeric("a", np.zeros(400_000)))
    content = written([], {table.digest(): table})
    assert len(content) < 400_000
    with pytest.raises(FileError, match="too much"):
        read(content, most=2**20)
    with pytest.raises(FileError, match="400,000 rows"):
        read(content, rows=1000)


def test_two_parts_of_one_name_are_refused():
    twice = packed({MANIFEST: b"{}", "project.jsox": parts(SEED)[MANIFEST]})
    twice = twice.replace(b"project.jsox", MANIFEST.encode())
    assert "two parts of one name" in problem(twice)


def test_what_takes_too_much_is_not_written(monkeypatch):
    monkeypatch.setattr(project, "MAX_MANIFEST", 2000)
    with pytest.raises(FileError, match="at most 1,000 runs"):
        written(LINES, {})


def test_any_other_bytes_are_a_sentence():
    for content in (b"", b"PK", b"PK\x03\x04" + b"\0" * 30, b"{}", b"{", b"[]", packed({})):
        assert is_sentence(problem(content)), content


def test_bytes_that_were_changed():
    rng = random.Random(1)
    for _ in range(4 * ROUNDS):
        spoilt = bytearray(SEED)
        for _ in range(rng.choice((1, 4, 30))):
            spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
        cut = bytes(spoilt[: rng.choice((len(spoilt), rng.randrange(len(spoilt))))])
        sentence = problem(cut)
        assert not sentence or is_sentence(sentence), sentence


def test_manifests_that_were_changed():
    rng = random.Random(2)
    held = parts(SEED)
    for _ in range(10 * ROUNDS):
        plain = json.loads(held[MANIFEST])
        container, key = rng.choice(list(places(plain)))
        if rng.random() < 0.2 and isinstance(container, dict):
            container[str(rng.choice(STRANGE))] = container.pop(key)
        else:
            container[key] = rng.choice(STRANGE)
        sentence = problem(packed(held | {MANIFEST: json.dumps(plain).encode()}))
        assert not sentence or is_sentence(sentence), sentence
