"""How loops are compiled: the ways into them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mlcore.spine.loops import njit

ROOT = Path(__file__).resolve().parents[2]


@njit()
def _doubled(x):
    return 2.0 * x


@njit(no_cpython_wrapper=False)
def _halved(x):
    return 0.5 * x


@njit()
def raised(x):
    """One more than twice the half of x."""
    return _doubled(_halved(x)) + 1.0


def test_loops_call_each_other_by_any_name():
    assert raised(3.0) == 4.0
    assert raised.__doc__ == "One more than twice the half of x."


def test_a_loop_without_a_way_in_from_python_says_so_compiled_or_not():
    for _ in range(2):
        with pytest.raises(
            TypeError, match=r"Only compiled loops may call _doubled; .*wrapper=False"
        ):
            _doubled(3.0)
        raised(3.0)


def test_who_says_so_has_one():
    assert _halved(3.0) == 1.5


def test_no_loop_has_a_way_in_that_nobody_goes():
    raised(3.0)
    written = [next(iter(loop.overloads.values())).library.get_llvm_str() for loop in
               (_doubled, _halved, raised)]  # fmt: skip
    for text, from_python in zip(written, (False, True, True), strict=True):
        defined = [line for line in text.splitlines() if line.startswith("define")]
        assert not any("@cfunc." in line for line in defined)
        assert any("@_ZN7cpython" in line for line in defined) == from_python


def test_without_compiling_every_loop_is_the_function_itself():
    ask = "from mlcore.trees._kernels import _xlogx; print(_xlogx(1.0))"
    done = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=ROOT, env={"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == ["0.0"], done.stderr
