"""Tests that share what they prepare are run by one process; see tests/conftest.py."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest

from mlscope.contract import subjects, verbs
from tests import asynchronous
from tests.architecture.reading import source
from tests.conftest import AHEAD, Groups, Places, group_of

ROOT = Path(__file__).parents[2]
FILES = ("tests/service/test_pace.py", "tests/service/test_limits.py")  # they start nothing


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


class Process:
    """A process of the tests, as xdist speaks to it: it notes what it is to run."""

    shutting_down = False

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.asked: list[int] = []

    def send_runtest_some(self, places: list[int]) -> None:
        self.asked += places

    def shutdown(self) -> None:
        self.shutting_down = True


def handing_out(names: list[str]) -> tuple[Groups, list[Process]]:
    """Two processes that have both gathered these tests, before the first is handed out."""
    option = SimpleNamespace(tx=["2*popen"], px=[], loadscopereorder=False)
    config = SimpleNamespace(option=option, getvalue=lambda name: getattr(option, name))
    groups, processes = Groups(config, None), [Process("gw0"), Process("gw1")]
    for process in processes:
        groups.add_node(process)
        groups.add_node_collection(process, list(names))
    return groups, processes


def test_tests_are_handed_out_without_a_look_at_all_that_are_over():
    """What was over stayed in the list that is counted after each test: of order n² for n tests."""
    names = [f"tests/pages/test_{k % 7}.py::test_{k}" for k in range(50)]
    groups, processes = handing_out(names)
    groups.schedule()
    over = []
    while waiting := [process for process in processes if process.asked]:
        place = waiting[0].asked.pop(0)
        groups.mark_test_complete(waiting[0], place)
        over.append(names[place])
        assert all(not all(tests.values()) for tests in groups.assigned_work[waiting[0]].values())
    assert sorted(over) == sorted(names)
    assert groups.assigned_work == {process: {} for process in processes}


def test_small_groups_are_handed_out_by_the_dozen_and_fewer_at_the_end():
    """With the next two alone, a process waited after each test for what comes then."""
    names = [f"tests/figures/test_x.py::test_{k}" for k in range(400)]
    groups, processes = handing_out(names)
    groups.schedule()
    assert [len(process.asked) for process in processes] == [AHEAD, AHEAD]
    ahead = []
    while groups.workqueue:
        first = max(processes, key=lambda process: len(process.asked))
        groups.mark_test_complete(first, first.asked.pop(0))
        ahead.append(len(first.asked))
    assert max(ahead[AHEAD:]) == AHEAD, "it was given more before it had none"
    assert max(len(process.asked) for process in processes) <= 3, "one has many, others have none"


def test_where_a_test_stands_is_looked_up():
    names = ["b", "a", "c"]
    assert [Places(names).index(name) for name in names] == [0, 1, 2]
    assert Places(names) == names
    groups, processes = handing_out(names)
    for process in processes:
        assert type(groups.registered_collections[process]) is Places


def test_cases_of_the_contract_are_gathered_without_a_fit(monkeypatch):
    """Each process gathers all of them, also those that another one tries."""
    fitted = []
    monkeypatch.setattr(subjects, "fitted", fitted.append)
    assert len(subjects.cases(verbs.CHECKS, subjects.methods(), {})) > 500
    assert fitted == []


def test_no_run_is_carried_out_where_tests_are_gathered():
    """The same holds of what a file makes when it is imported."""
    texts = {str(file): source(file) for file in (ROOT / "tests").rglob("*.py")}
    assert [name for name, text in texts.items() if _carries_out(text)] == []
    assert _carries_out("OUT = carried_out(RUN)") and _carries_out("A = [carry.carried_out(RUN)]")
    assert not _carries_out("MADE = {'a': lambda: carried_out(RUN)}")
    assert not _carries_out("def out():\n    return carried_out(RUN)")


def _carries_out(text: str) -> bool:
    waiting: list[ast.AST] = [ast.parse(text)] if "carried_out(" in text else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("carried_out"):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return False


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
