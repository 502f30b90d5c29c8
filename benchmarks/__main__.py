"""`python -m benchmarks [WORD ...]`: every pair, or those whose name contains one of the words.

A ratio is our time over the peer's: below 1 we are faster. A gap is our objective or error less
the peer's: zero or negative is as good or better. Without a peer the ratio is that to the time that
the work may take.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from benchmarks import THREADS, rows
from benchmarks.pairs import Alone, Pair, Result, measured, measured_alone

RESULTS = Path(__file__).with_name("results.json")
HEAD = f"{'method':20} {'peer':36} {'size':28} {'ratio':>7} {'gap':>9} {'memory':>7} {'ours':>11}"


def pairs(words: list[str]) -> list[Pair | Alone]:
    """The pairs of every module in `rows` whose name contains one of `words` (none: all)."""
    modules = [import_module(info.name) for info in iter_modules(rows.__path__, "benchmarks.rows.")]
    every = [pair for module in modules for pair in module.PAIRS]
    return [p for p in every if not words or any(word in p.name for word in words)]


def line(r: Result) -> str:
    """One row of the printed table."""
    return (
        f"{r.name:20} {r.peer:36} {r.size:28} {r.ratio:7.2f} {_or_dash(r.objective_gap, '9.1e')} "
        f"{_or_dash(r.memory_ratio, '7.2f')} {r.seconds * 1000:8.1f} ms"
    )


def _or_dash(value: float | None, form: str) -> str:
    return format("-", f">{form.split('.')[0]}") if value is None else format(value, form)


def main(words: list[str]) -> int:
    """Measure and print; what is measured of the complete list is written to results.json."""
    chosen = pairs(words)
    if not chosen:
        print(f"No benchmark has a name with {' or '.join(words)} in it.", file=sys.stderr)
        return 1
    warnings.simplefilter("ignore")  # peers warn about limits that a row sets on purpose
    print(f"{THREADS} threads each.\n{HEAD}", flush=True)
    results = []
    for pair in chosen:
        results.append(measured(pair) if isinstance(pair, Pair) else measured_alone(pair))
        print(line(results[-1]), flush=True)
        if not words:  # at once: it takes a quarter of an hour, and may be interrupted
            RESULTS.write_text(json.dumps([asdict(r) for r in results], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("words", nargs="*", help="part of a name; none measures everything")
    sys.exit(main(parser.parse_args().words))
