"""The harness of the benchmarks, in a process of its own: it sets the number of threads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.slow
def test_a_word_that_no_name_has_is_said():
    run = [sys.executable, "-m", "benchmarks", "no such method"]
    done = subprocess.run(run, cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "No benchmark has a name with no such method in it.\n"


IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


@pytest.mark.slow
def test_what_only_its_own_command_runs_still_imports_what_it_names():
    """No other test, and no type check, would notice a name that was moved away from these."""
    files = [*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "hosting").glob("*.py")]
    pages = {"trivial_page", "__main__", "__init__"}  # a script of Streamlit, a command, no module
    names = [
        ".".join(f.relative_to(ROOT).with_suffix("").parts) for f in files if f.stem not in pages
    ]
    ended = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *sorted(names)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-500:]
