"""`python -m benchmarks [WORD ...]`: every row, or those whose name contains one of the words.

A ratio is our time over the peer's: below 1 we are faster. A gap is our objective or error less
the peer's: zero or negative is as good or better. Without a peer the ratio is that to the time that
the work may take. What is measured goes into results.json and docs/benchmarks.md at once, in place
of what was measured of the same rows before: a row that fails, or Ctrl-C, loses no other. The last
lines name the rows above 1 and those that took longest.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import traceback
import warnings
from dataclasses import dataclass, field, replace
from importlib.util import find_spec

from benchmarks import THREADS, apart, intelex, results
from benchmarks.every import Row, every
from benchmarks.intelex import Elsewhere, Processes
from benchmarks.pairs import Alone, Key, Pair, Result, measured, measured_alone

HEAD = (
    f"{'method':20} {'peer':36} {'size':28} {'ratio':>7} {'gap':>9} {'memory':>7} {'ours':>11} "
    f"{'took':>8}"
)
LONGEST = 10  # rows that the end names because they took longest


def chosen(rows: list[Row], words: list[str], *, only_new: bool) -> list[Row]:
    """The rows whose name contains one of `words` (none: all), perhaps only those without a
    result."""
    known = results.measured_rows() if only_new else set()
    some = [row for row in rows if not words or any(word in row.name for word in words)]
    return [row for row in some if row.key not in known]


def line(r: Result) -> str:
    """One row of the printed table."""
    return (
        f"{r.name:20} {r.peer:36} {r.size:28} {r.ratio:7.2f} {_or_dash(r.objective_gap, '9.1e')} "
        f"{_or_dash(r.memory_ratio, '7.2f')} {r.seconds * 1000:8.1f} ms {r.took:6.1f} s"
    )


def _or_dash(value: float | None, form: str) -> str:
    return format("-", f">{form.split('.')[0]}") if value is None else format(value, form)


def main(words: list[str], *, only_new: bool = False) -> int:
    """Measure, print and keep."""
    all_rows = every()
    rows = chosen(all_rows, words, only_new=only_new)
    if not rows and words:
        print(f"No benchmark has a name with {' or '.join(words)} in it.", file=sys.stderr)
        return 1
    rows = with_peers(rows)
    warnings.simplefilter("ignore")  # peers warn about limits that a row sets on purpose
    print(f"{THREADS} threads each.\n{HEAD}", flush=True)
    run = Run([row.key for row in all_rows])
    run.measure(rows)
    print(run.summary(len(rows)), flush=True)
    return 0 if len(run.results) == len(rows) else 1


@dataclass
class Run:
    """What is measured in one go."""

    order: list[Key]  # of all rows there are
    results: list[Result] = field(default_factory=list)
    failed: list[Key] = field(default_factory=list)

    def measure(self, rows: list[Row]) -> None:
        """Measure rows and keep each at once, until all are done or Ctrl-C is pressed."""
        gc.collect()
        gc.freeze()  # each turn collects: what was imported must not be looked through each time
        try:
            with Processes() as processes:
                for row in rows:
                    self._one(row, processes)
        except KeyboardInterrupt:
            print("\nInterrupted.", file=sys.stderr)
            results.save(results.load())  # the page may have been about to be written

    def _one(self, row: Row, processes: Processes) -> None:
        began = time.perf_counter()
        try:
            result = _measured(row, processes)
        except Exception:  # noqa: BLE001 - whatever it is, the other rows have nothing to do with it
            traceback.print_exc()
            self.failed.append(row.key)
            return
        result = replace(result, took=time.perf_counter() - began)
        print(line(result), flush=True)
        results.keep_row(row.area, result, self.order)
        self.results.append(result)

    def summary(self, asked: int) -> str:
        """How many of the rows asked for were measured, which failed, are slow, took longest."""
        minutes = sum(r.took for r in self.results) / 60
        parts = [f"\n{len(self.results)} of {asked} rows measured in {minutes:.1f} minutes."]
        for key in self.failed:
            parts.append("Failed, its former result is left: " + ", ".join(key))
        above = [r for r in self.results if r.ratio > 1]
        parts.append(f"{len(above)} above 1{':' if above else '.'}")
        parts += map(line, sorted(above, key=lambda r: -r.ratio))
        longest = sorted(self.results, key=lambda r: -r.took)[:LONGEST]
        return "\n".join([*parts, "The longest:", *map(line, longest)])


def with_peers(rows: list[Row]) -> list[Row]:
    """The rows whose peers are here, once what can be had of the others was installed."""
    elsewhere = [row for row in rows if isinstance(row.work, Elsewhere)]
    if elsewhere and not apart.stands(intelex.PLACE):
        rows = [row for row in rows if row not in elsewhere]
    if any(_is_absent(row) for row in rows) and apart.stands("peers"):
        apart.look_into("peers")
    return [row for row in rows if not _lacks_its_peer(row)]


def _is_absent(row: Row) -> bool:
    package = row.work.package if isinstance(row.work, Pair) else ""
    return bool(package) and find_spec(package) is None


def _lacks_its_peer(row: Row) -> bool:
    is_absent = _is_absent(row)
    if is_absent:
        print(f"{row.name}: {row.work.peer} is not installed, so it is left out.", file=sys.stderr)
    return is_absent


def _measured(row: Row, processes: Processes) -> Result:
    if isinstance(row.work, Alone):
        return measured_alone(row.work)
    return processes.measured(row.work) if isinstance(row.work, Elsewhere) else measured(row.work)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("words", nargs="*", help="part of a name; none measures everything")
    parser.add_argument("--new", action="store_true", help="only what has no result yet")
    given = parser.parse_args()
    sys.exit(main(given.words, only_new=given.new))
