"""The runs of a browser: what its tabs changed, together, and again after a new start."""

from __future__ import annotations

import pytest

from mlcore.runs.project_lines import Line, Score
from mlcore.runs.run import Run
from service import kept_work
from service.kept_work import Computing, KeptWork
from service.vault import Vault
from tests.service.stores import Clock

ANNA, BERT = "a" * 64, "b" * 64
UNDER_WAY = Computing("d" * 64, "run", "clustering", "run", "k-means")


@pytest.fixture
def disk(tmp_path) -> Vault:
    return Vault(tmp_path, 2**22, 3600.0)


def line(at: int, **values) -> Line:
    return Line(**{"id": f"{at:032x}", "run": Run(seed=at), "page": "clustering", "at": float(at),
                   **values})  # fmt: skip


def test_all_of_a_run_comes_back_after_a_new_start(disk):
    score = Score("Accuracy", 0.5, float("nan"), "LDA")
    told = line(
        3, view={"x": "a"}, status="stopped", scores=(score,), name="mine", note="look again"
    )
    KeptWork(60.0, disk).change(ANNA, "tab", [told], [], [UNDER_WAY])
    (back,), computing = KeptWork(60.0, disk).of(ANNA)
    assert str(back) == str(told)  # a spread that is no number is not equal to itself
    assert computing == (UNDER_WAY,)
    assert KeptWork(60.0, disk).of(BERT) == KeptWork(60.0, disk).of("") == ((), ())


def test_without_a_disk_what_is_looked_at_is_kept_as_long_again():
    clock = Clock()
    kept = KeptWork(60.0, None, clock)
    kept.change(ANNA, "tab", [line(1)], [], [])
    for _ in range(3):
        clock.now += 50
        assert kept.of(ANNA).lines
    clock.now += 70
    assert not kept.of(ANNA).lines


def test_the_browser_that_was_away_for_longest_is_let_go_first(monkeypatch):
    kept = KeptWork(60.0, None)
    for who in (ANNA, BERT):
        kept.change(who, "tab", [line(1)], [], [])
    monkeypatch.setattr(kept_work, "MOST_IN_MEMORY", 2 * len(kept._documents[ANNA][0]))
    assert kept.of(ANNA).lines
    kept.change("c" * 64, "tab", [line(1)], [], [])
    assert kept.of(ANNA).lines and not kept.of(BERT).lines


def test_tabs_change_what_they_have_changed_and_nothing_else(disk):
    kept = KeptWork(60.0, disk)
    kept.change(ANNA, "one", [line(1), line(2)], [], [])
    kept.change(ANNA, "two", [line(3)], [], [])
    kept.change(ANNA, "one", [line(2, name="mine")], [line(1).id], [])
    assert [(each.at, each.name) for each in kept.of(ANNA).lines] == [(3.0, ""), (2.0, "mine")]


def test_what_is_done_is_no_longer_under_way_in_any_tab(disk):
    kept = KeptWork(60.0, disk)
    kept.change(ANNA, "one", [], [], [UNDER_WAY])
    kept.change(ANNA, "two", [], [], [], ["another"])
    assert kept.of(ANNA).computing == (UNDER_WAY,)
    kept.change(ANNA, "two", [], [], [], [UNDER_WAY.digest])
    assert kept.of(ANNA).computing == ()


def test_a_run_that_is_done_is_not_told_to_be_under_way(disk):
    kept = KeptWork(60.0, disk)
    kept.change(ANNA, "one", [line(1)], [], [UNDER_WAY._replace(digest=Run(seed=1).digest())])
    assert kept.of(ANNA).computing == ()


def test_the_oldest_runs_without_a_name_go_first(disk, monkeypatch):
    monkeypatch.setattr(kept_work, "MOST", 3)
    kept = KeptWork(60.0, disk)
    kept.change(ANNA, "one", [line(1, name="first"), *map(line, (2, 3, 4))], [], [])
    assert [each.at for each in kept.of(ANNA).lines] == [4.0, 3.0, 1.0]
    monkeypatch.setattr(kept_work, "MOST_BYTES", 2000)
    kept.change(ANNA, "one", [line(5)], [], [])
    assert len(kept.of(ANNA).lines) < 3


def test_without_a_disk_the_runs_stay_in_memory_for_their_time():
    now = [0.0]
    kept = KeptWork(60.0, None, lambda: now[0])
    kept.change(ANNA, "one", [line(1)], [], [])
    assert len(kept.of(ANNA).lines) == 1
    now[0] = 61.0
    assert kept.of(ANNA).lines == ()


def test_memory_has_bounds(monkeypatch):
    monkeypatch.setattr(kept_work, "MOST_IN_MEMORY", 3000)
    kept = KeptWork(60.0)
    for who in "abcdefgh":
        kept.change(who, "one", [line(1)], [], [])
    assert kept.of("a").lines == () and len(kept.of("h").lines) == 1


def test_a_run_that_this_release_cannot_read_is_left_out(disk):
    kept = KeptWork(60.0, disk)
    kept.change(ANNA, "one", [line(1), line(2)], [], [])
    document = disk.get(ANNA, "runs") or b""
    disk.put(ANNA, "runs", document.replace(b'"use": "kmeans"', b'"use": "of_tomorrow"', 1))
    assert len(KeptWork(60.0, disk).of(ANNA).lines) == 1
