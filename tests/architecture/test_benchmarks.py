"""The harness of the benchmarks, in a process of its own: it sets the number of threads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.intelex import Processes

ROOT = Path(__file__).parents[2]
MEASURE = """
import json, os, time
from dataclasses import asdict
from benchmarks.pairs import Alone, Pair, measured, measured_alone

def quick():
    kept = bytearray(1_000_000)
    time.sleep(0.01)
    return 3.0

def slow():
    kept = bytearray(4_000_000)
    time.sleep(0.3)
    return 5.0

pair = Pair("naps", "longer naps", "1", quick, slow, lambda a, b: a - b)
alone = asdict(measured_alone(Alone("nap", "1", slow, 2.0)))
more = {"threads": os.environ["OMP_NUM_THREADS"], "alone": alone}
print(json.dumps(asdict(measured(pair, rounds=3)) | more))
"""


TURNS = """
import json
from benchmarks.pairs import ROUNDS, trials

class Clock:
    def __init__(self, *seconds):
        self.seconds = seconds
        self.asked = []

    def timed(self, repeats):
        self.asked.append(repeats)
        return repeats * self.seconds[min(len(self.asked), len(self.seconds)) - 1]

def asked(before, ours, theirs):
    of = trials(ours, theirs, ROUNDS, before)
    return [len(of), ours.asked]

print(json.dumps({
    "short": asked((0.3, 0.2), Clock(0.001), Clock(0.002)),
    "cold": asked((0.9, 0.2), Clock(0.1), Clock(0.2)),
    "warm": asked((0.1, 0.2), Clock(0.1), Clock(0.2)),
    "slow": asked((1.0, 1.0), Clock(1.0), Clock(1.0)),
    "long": asked((6.0, 3.0), Clock(6.0), Clock(3.0)),
    "long, cold": asked((9.0, 3.0), Clock(6.0), Clock(3.0)),
    "long, unsure": asked((6.0, 3.0), Clock(6.0, 6.0), Clock(3.4)),
    "long, unlike": asked((9.0, 3.0), Clock(6.0, 8.0), Clock(3.0)),
}))
"""


def test_long_work_has_fewer_turns_and_no_run_is_for_nothing():
    found = json.loads(subprocess.check_output([sys.executable, "-c", TURNS], cwd=ROOT, text=True))
    assert found == {
        "short": [7, [1] + 7 * [50]],
        "cold": [7, 7 * [1]],
        "warm": [7, 6 * [1]],
        "slow": [3, 2 * [1]],
        "long": [2, [1]],
        "long, cold": [2, 2 * [1]],
        "long, unsure": [2, 2 * [1]],
        "long, unlike": [3, 3 * [1]],
    }


def test_a_pair_is_measured():
    said = subprocess.check_output([sys.executable, "-c", MEASURE], cwd=ROOT, text=True)
    found = json.loads(said)
    assert found["threads"] == "2"
    assert found["objective_gap"] == -2.0
    # A nap is never shorter than asked for; a busy machine makes both longer, the short one more.
    assert 0 < found["ratio"] < 0.9
    assert 0.2 < found["memory_ratio"] < 0.3
    assert found["seconds"] >= 0.01
    alone = found["alone"]
    assert alone["peer"] == "at most 2 s"
    assert alone["ratio"] == alone["seconds"] / 2
    assert alone["objective_gap"] is alone["memory_ratio"] is None


# One process, which needs ten seconds to import all that the rows are measured with.
EVERYTHING = """
import contextlib, importlib, io, json, sys
modules = [importlib.import_module(name).__name__ for name in sys.argv[1:]]
from benchmarks.__main__ import main
from benchmarks.every import every
said = io.StringIO()
with contextlib.redirect_stderr(said):
    status = main(["no such method"])
keys = [row.key for row in every()]
print(json.dumps({"modules": modules, "keys": keys, "status": status, "said": said.getvalue()}))
"""


def own_modules() -> list[str]:
    """What only its own command runs: no other test imports it."""
    files = [*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "hosting").glob("*.py")]
    pages = {"trivial_page", "__main__", "__init__"}  # a script of Streamlit, a command, no module
    return sorted(
        ".".join(f.relative_to(ROOT).with_suffix("").parts) for f in files if f.stem not in pages
    )


@pytest.fixture(scope="module")
def everything() -> dict[str, Any]:
    """The modules that could be imported, the keys of all rows, what is said to a wrong word."""
    run = [sys.executable, "-c", EVERYTHING, *own_modules()]
    ended = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-500:]
    return json.loads(ended.stdout)


@pytest.mark.slow
def test_a_word_that_no_name_has_is_said(everything):
    assert everything["status"] == 1
    assert everything["said"] == "No benchmark has a name with no such method in it.\n"


@pytest.mark.slow
def test_what_only_its_own_command_runs_still_imports_what_it_names(everything):
    """No other test, and no type check, would notice a name that was moved away from these."""
    assert everything["modules"] == own_modules()


@pytest.mark.slow
def test_every_row_has_a_result_or_is_listed_as_new(everything):
    rows = [tuple(key) for key in everything["keys"]]
    assert len(set(rows)) == len(rows)
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    measured = [(row["name"], row["peer"], row["size"]) for row in results["rows"]]
    known = [*measured, *map(tuple, results["new"])]
    assert sorted(known) == sorted(rows), "python -m benchmarks.every brings the two into line"


WRITE = "from benchmarks import results, document; print(document.document(results.load()), end='')"


def test_the_page_is_made_of_the_results():
    made = subprocess.check_output([sys.executable, "-c", WRITE], cwd=ROOT, encoding="utf-8")
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert page == made, "python -m benchmarks.every writes the page anew"


MERGE = """
import json, sys
from pathlib import Path
from benchmarks import results
from benchmarks.pairs import Result

results.FILE, results.PAGE = Path(sys.argv[1], "results.json"), Path(sys.argv[1], "page.md")
order = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "1")]

def keep(name, seconds):
    found = Result(name, "x", "1", seconds, None, None, seconds, 1.0)
    results.keep_row("area", found, order)

keep("b", 0.12345678)
results.save(results.load() | {"machines": [{**results.machine(), "cores": 999}]})
keep("a", 2.0)
keep("d", 3.0)
results.keep_part("sessions", {
    "sessions": 2, "results": 4, "wrong": 0, "median": 1.0, "first": 2.0, "later": 1.0,
    "longest": 2.0,
    "fresh": "1 MB", "before": "2 MB", "during": "3 MB", "after": "2 MB",
})
keep("a", 4.0)
found = results.load()
print(json.dumps([
    [row["name"], row["seconds"], row["machine"]] for row in found["rows"]
] + [found["new"], len(found["machines"]), results.PAGE.read_text()]))
"""


def test_rows_measured_in_part_take_the_place_of_their_former_results(tmp_path):
    command = [sys.executable, "-c", MERGE, str(tmp_path)]
    *rows, new, machines, page = json.loads(subprocess.check_output(command, cwd=ROOT))
    assert rows == [["a", 4.0, 1], ["b", 0.1235, 0]]  # in order, and no row that is none
    assert new == [["c", "x", "1"]]
    assert machines == 2
    assert "| a | 1 | x | 4.00 | – | – | 4 s | 1 s |" in page
    assert "124 ms" in page
    assert "machine 2" in page
    assert "2 people at once" in page


BROKEN = """
import json, sys, time
from pathlib import Path
from benchmarks import __main__ as command, results
from benchmarks.every import Row
from benchmarks.pairs import Pair

results.FILE, results.PAGE = Path(sys.argv[1], "results.json"), Path(sys.argv[1], "page.md")
calls = []

def work(name, seconds, error=None):
    def run():
        calls.append(name)
        time.sleep(seconds)
        if error:
            raise error
    return run

def row(name, ours, theirs=work("peer", 0.06)):
    return Row("area", Pair(name, "x", "1", ours, theirs, lambda a, b: 0.0))

rows = [
    row("fails", work("fails", 0.0, ValueError("no such row"))),
    row("slow", work("slow", 0.12)),
    row("stopped", work("stopped", 0.0, KeyboardInterrupt())),
    row("late", work("late", 0.0)),
]
command.every = lambda: rows
status = command.main([])
print(json.dumps([status, calls.count("slow"), "late" in calls, results.load()["rows"]]))
"""


def test_a_row_that_fails_and_an_interruption_lose_no_other(tmp_path):
    run = [sys.executable, "-c", BROKEN, str(tmp_path)]
    ended = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "ValueError: no such row" in ended.stderr
    assert "Interrupted." in ended.stderr
    *lines, last = ended.stdout.splitlines()
    status, runs, went_on, rows = json.loads(last)
    assert (status, went_on) == (1, False)
    assert [row["name"] for row in rows] == ["slow"]
    assert runs in {8, 9}  # the warm-up is one of seven turns, unless it took longer; the memory
    assert 1.0 < rows[0]["took"] < 50
    assert any(one.startswith("1 of 4 rows measured in") for one in lines)
    assert "Failed, its former result is left: fails, x, 1" in lines
    assert "1 above 1:" in lines
    assert lines[lines.index("1 above 1:") + 1].startswith("slow ")


def test_a_process_that_died_between_two_questions_is_forgotten():
    processes = Processes()
    child = subprocess.Popen(
        [sys.executable, "-c", ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    child.wait()
    processes._module, processes._process = "rows", child
    assert child.stdin
    with pytest.raises(BrokenPipeError):
        print("timed", file=child.stdin, flush=True)
    processes.end()
    assert (processes._module, processes._process) == ("", None)


def test_results_name_no_place():
    text = (ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8")
    assert not [word for word in ("/home", "/work", "/tmp", "/usr") if word in text]
