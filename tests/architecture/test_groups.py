"""Tests that share what they prepare are run by one process; see tests/conftest.py."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests import asynchronous
from tests.architecture.reading import source
from tests.conftest import group_of

ROOT = Path(__file__).parents[2]
FILES = ("tests/service/test_pace.py", "tests/service/test_queue.py")


@pytest.mark.slow
def test_two_processes_take_whole_groups():
    """A release of pytest under which they took single tests made the browser's take twice as
    long, and said nothing."""
    options = ("-n", "2", "--dist", "loadscope", "--no-loadscope-reorder", "-vv")
    run = [sys.executable, "-m", "pytest", *options, *FILES]
    ended = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-500:]
    by_file, tests = defaultdict(set), 0
    for process, file in re.findall(r"^\[(gw\d)\].* PASSED (\S+?)::", ended.stdout, re.MULTILINE):
        by_file[file].add(process)
        tests += 1
    assert tests > 5
    assert sorted(map(sorted, by_file.values())) == [["gw0"], ["gw1"]]


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/browser/test_app.py::test_a[x]", "browser"),
        ("tests/pages/test_search.py::test_b", "tests/pages/test_search.py"),
        ("tests/contract/test_methods.py::test_d[it holds:classification.svc]", "contract/svc"),
        ("tests/contract/test_verbs.py::test_e[svc]", "contract/svc"),
        ("tests/contract/test_verbs.py::test_f", "tests/contract/test_verbs.py::test_f"),
        ("tests/figures/test_every_view.py::test_h[roc]", "tests/figures/test_every_view.py"),
        ("tests/figures/test_labels.py::test_i[x]", "tests/figures/test_labels.py::test_i[x]"),
        ("tests/data/test_cells.py::test_g", "tests/data/test_cells.py::test_g"),
    ],
)  # fmt: skip
def test_who_belongs_together(nodeid, group):
    assert group_of(nodeid) == group


def test_a_page_with_a_set_stands_alone():
    nodeid = "tests/pages/test_every_page.py::test_c[a-b]"
    assert group_of(nodeid) == nodeid


def test_a_coroutine_is_tried_beside_a_loop():
    """The process that has taken the browser's tests has one, and any test may come to it."""

    async def inner() -> int:
        return 1

    async def outer() -> int:
        return asynchronous.run(inner()) + 1

    assert asynchronous.run(outer()) == 2
    ours = (ROOT / "tests").rglob("test_*.py")
    assert [file.name for file in ours if re.search(r"asyncio\.run\(", source(file))] == []
