"""`python -m mlcore warm`: what is compiled ahead, and the stamp by which it is known at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlcore import warm
from mlcore.__main__ import main
from mlcore.spine import compiled
from mlcore.spine.component import Component
from mlcore.spine.method import Method
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries
from mlcore.spine.threads import thread_settings
from tests.contract.subjects import is_sentence

ROOT = Path(__file__).resolve().parents[2]

# Carries out every method on tables of other sizes than those that were compiled for, then counts
# what numba compiled: nothing, or the first person to come would wait for it.
AFTER_WARMING = """
import numpy as np
from mlcore.data.dataset import TableData
from mlcore.data.generators.quantities.linear_features import LinearFeatures
from mlcore.runs.carry import carried_out
from mlcore.spine.registry import entries
from mlcore.runs.run import Run
from mlcore.warm import kernels

QUANTITY = TableData(source=LinearFeatures(n_samples=90))
DATA = {"classification": "iris", "regression": QUANTITY, "": "iris"}
for method in [cls() for cls in entries("method").values()]:
    carried_out(Run(data=DATA[method.card.task], method=method, evaluation="hold_out"))
    if hasattr(method, "steps"):
        X = np.asfortranarray(np.random.default_rng(0).normal(size=(70, 5)))
        y = None if not method.card.learns_from else (X[:, 0] > 0).astype(int)
        for step in method.steps(X, y):
            pass
compiled = {
    name: (len(kernel.signatures), sum(kernel.stats.cache_misses.values()))
    for name, kernel in kernels().items()
}
both = {"mlcore.optimisation._kernels.centred"}  # in single and in double precision
for name, (variants, misses) in compiled.items():
    assert misses == 0, f"{name} was compiled after warming"
    most = 2 if name in both else 1
    assert variants <= most, f"{name}: {variants} variants: an input was writable, or not C-ordered"
assert any(variants for variants, _ in compiled.values())
# What names two shapes in words is eight times a small loop, and in every loop that calls that one.
for name, kernel in kernels().items():
    for variant in kernel.overloads.values():
        words = "raise_with_shape_context" in str(variant.library._get_module_for_linking())
        assert not words, f"{name} copies by `a[:] = b` or `a[i] += b`, not by `np.positive(b, a)`"
"""

# The second time, nothing is imported that takes as long as a page.
AT_ONCE = """
import sys
from mlcore.__main__ import main
assert main(["warm"]) == 0
heavy = {"numpy", "scipy", "numba", "mlcore.catalogue", "mlcore.warm"} & sys.modules.keys()
assert not heavy, heavy
"""


@pytest.mark.slow
def test_nothing_is_compiled_after_warming_and_the_next_time_is_over_at_once():
    for command in (["-m", "mlcore", "warm"], ["-c", AFTER_WARMING], ["-c", AT_ONCE]):
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture
def stamped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small package whose loops are compiled and stamped."""
    for name in ("_kernels.py", "method.py", "_kernels.loop-1.py311.nbi"):
        (tmp_path / name).write_text(f"# {name}")
    monkeypatch.setattr(compiled, "PACKAGE", tmp_path)
    monkeypatch.setattr(compiled, "STAMP", tmp_path / "__pycache__" / "compiled.json")
    compiled.leave_stamp(tmp_path.glob("*.nbi"))
    assert compiled.is_compiled()
    return tmp_path


CHANGES: dict[str, Callable[[Path], object]] = {
    "a changed kernel": lambda at: (at / "_kernels.py").write_text("# _Kernels.py"),
    "a kernel that only looks changed": lambda at: os.utime(at / "_kernels.py", (1, 1)),
    "a changed method": lambda at: (at / "method.py").write_text("# Method.py"),
    "a new method": lambda at: (at / "another.py").write_text(""),
    "a cache that is gone": lambda at: (at / "_kernels.loop-1.py311.nbi").unlink(),
    "a cache of other code": lambda at: (at / "_kernels.loop-1.py311.nbi").write_text("other"),
    "no stamp": lambda at: compiled.STAMP.unlink(),
    "half a stamp": lambda at: compiled.STAMP.write_text(compiled.STAMP.read_text()[:40]),
    "a stamp of something else": lambda at: compiled.STAMP.write_text("[1]"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_compiled_again(stamped, change):
    CHANGES[change](stamped)
    assert not compiled.is_compiled()


@pytest.mark.parametrize(
    ("name", "said"),
    [("version", lambda name: "0"), ("_processor", lambda: ["another"])],
    ids=["compiler", "processor"],
)
def test_another_compiler_or_processor_compiles_again(stamped, monkeypatch, name, said):
    monkeypatch.setattr(compiled, name, said)
    assert not compiled.is_compiled()


def test_settings_of_numba_count_and_the_number_of_threads_does_not(stamped, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "7")
    assert compiled.is_compiled()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(stamped))
    assert not compiled.is_compiled()


def test_the_stamp_stands_where_numba_is_told_to_keep_what_it_compiles(tmp_path):
    ask = "from mlcore.spine.compiled import *; leave_stamp([]); print(STAMP, is_compiled())"
    folder = tmp_path / "not" / "yet"
    said = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=ROOT,
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
    )
    assert said.stdout.split() == [str(folder / "compiled.json"), "True"], said.stderr


def test_another_checkout_that_keeps_its_loops_in_the_same_folder_compiles_again(
    stamped, tmp_path, monkeypatch
):
    another = tmp_path / "another"
    for name in ("_kernels.py", "method.py"):
        another.mkdir(exist_ok=True)
        shutil.copy2(stamped / name, another / name)
    monkeypatch.setattr(compiled, "PACKAGE", another)
    assert not compiled.is_compiled()


def test_a_method_that_is_only_read_again_stays_compiled(stamped):
    os.utime(stamped / "method.py", (1, 1))
    assert compiled.is_compiled()


def test_where_nothing_can_be_written_it_is_said_and_done(stamped, monkeypatch, capsys):
    (stamped / "file").write_text("")
    monkeypatch.setattr(compiled, "STAMP", stamped / "file" / "compiled.json")
    monkeypatch.setattr(warm, "warm", list)
    assert main(["warm"]) == 0
    said = capsys.readouterr().err.strip()
    assert is_sentence(said) and "cannot be written" in said


def test_a_kernel_that_was_missed_leaves_no_stamp(stamped, monkeypatch, capsys):
    compiled.STAMP.unlink()
    monkeypatch.setattr(warm, "warm", lambda: ["mlcore.trees._kernels.grow"])
    assert main(["warm"]) == 1
    assert "No method uses mlcore.trees._kernels.grow" in capsys.readouterr().err
    assert not compiled.STAMP.exists()


@pytest.mark.parametrize("name", warm.ROUNDS)
def test_what_only_says_how_often_is_small_in_every_method_that_has_it(name):
    subjects = [cls for cls in entries("method").values() if name in params_of(cls)]
    assert subjects
    for cls in subjects:
        tried = warm._telling("method", warm._package(cls))
        method = next(method for method in tried if type(method) is cls)
        assert getattr(method, name) == warm.FEW, method


OUTER = [cls for cls in entries("method").values() if warm._holds_a_method(cls())]


@pytest.mark.parametrize("cls", OUTER, ids=lambda cls: cls.card.name)
def test_more_methods_inside_ask_nothing_new_of_one_outside(cls, monkeypatch):
    """Three times the catalogue, of which two thirds can do what the first third can."""
    before = len(list(warm.variants(cls)))

    def three_times(slot: str) -> dict[str, type[Component]]:
        held = entries(slot)
        holds_methods = any(issubclass(each, Method) for each in held.values())
        return {
            f"{name} {k}": held[name] for k in range(3 if holds_methods else 1) for name in held
        }

    monkeypatch.setattr(warm, "entries", three_times)
    assert len(list(warm.variants(cls))) == before


@pytest.mark.parametrize("slot", ["classification", "regression"])
def test_whatever_can_be_asked_of_a_method_inside_is_asked_of_one(slot):
    held = [cls() for cls in entries(slot).values()]
    asked = [warm._asked_of(method) for method in warm.representatives(slot)]
    assert sorted(asked) == sorted({warm._asked_of(method) for method in held})


@pytest.mark.parametrize(("threads", "way"), [(0, "spawn"), (1, "fork"), (2, "spawn")])
def test_only_a_process_with_one_thread_is_copied(threads, way, tmp_path, monkeypatch):
    for each in range(threads):
        (tmp_path / "task" / str(each)).mkdir(parents=True)
    monkeypatch.setattr(warm, "THREADS", tmp_path / "task")
    assert warm._context().get_start_method() == way


@pytest.mark.slow
def test_nothing_that_is_imported_before_the_copies_begins_a_thread():
    ask = "from mlcore import warm; warm._make_ready(); print(warm._context().get_start_method())"
    settings = os.environ | thread_settings(1)
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=ROOT, env=settings, capture_output=True, text=True
    )
    assert done.stdout.split() == ["fork"], done.stderr
