"""`python -m benchmarks [NAME ...]`: every pair, or those whose name contains one of the words."""

from __future__ import annotations

import os
import sys

THREADS = "2"
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

# Before numpy is imported: both sides of every pair get the same two threads.
os.environ.update(dict.fromkeys((*VARIABLES, "MLSCOPE_THREADS"), THREADS))

import json  # noqa: E402
import warnings  # noqa: E402
from dataclasses import asdict  # noqa: E402
from importlib import import_module  # noqa: E402
from pathlib import Path  # noqa: E402
from pkgutil import iter_modules  # noqa: E402

from benchmarks.pairs import Pair, Result, measured  # noqa: E402

HERE = Path(__file__).parent
HEAD = f"{'method':24} {'peer':34} {'size':24} {'ratio':>7} {'gap':>10} {'memory':>7} {'ours':>9}"


def pairs(words: list[str]) -> list[Pair]:
    """The pairs of every module in `rows` whose name contains one of `words`."""
    modules = [m.name for m in iter_modules([str(HERE / "rows")])]
    every = [pair for name in modules for pair in import_module(f"benchmarks.rows.{name}").PAIRS]
    return [p for p in every if not words or any(word in p.name for word in words)]


def line(r: Result) -> str:
    """One row of the printed table."""
    return (
        f"{r.name:24} {r.peer:34} {r.size:24} {r.ratio:7.2f} {r.objective_gap:10.1e} "
        f"{r.memory_ratio:7.2f} {r.seconds * 1000:7.1f}ms"
    )


def main(words: list[str]) -> None:
    """Measure, print, and write results.json (only when nothing was left out)."""
    warnings.simplefilter("ignore")  # peers warn about their iteration limits
    print(HEAD, flush=True)
    results = []
    for pair in pairs(words):
        results.append(measured(pair))
        print(line(results[-1]), flush=True)
    if not words:
        text = json.dumps([asdict(r) for r in results], indent=1)
        (HERE / "results.json").write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
