"""scikit-learn-intelex as a peer: the same rows, its methods in place of scikit-learn's own.

It changes scikit-learn for the whole process that it is in, so every row has a process of its own,
in an environment of its own, which sees this one's packages. Here ours is timed, there theirs, in
turns. A module of `rows` names in `INTELEX` the rows that this peer does in its own way.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

from benchmarks import THREADS
from benchmarks.apart import ROOT, place
from benchmarks.pairs import Here, Pair, Result, alternated, gap_of

PLACE = "intelex"


@dataclass(frozen=True)
class Elsewhere:
    """A pair whose peer runs in another process, with scikit-learn-intelex."""

    pair: Pair
    module: str  # of the row

    @property
    def name(self) -> str:
        """That of the row."""
        return self.pair.name

    @property
    def peer(self) -> str:
        """The same method, by the other package."""
        return self.pair.peer.replace("sklearn.", "sklearnex.", 1)

    @property
    def size(self) -> str:
        """That of the row."""
        return self.pair.size


def measured_elsewhere(row: Elsewhere) -> Result:
    """Time ours here and theirs there, in turns; the gap is taken there."""
    with subprocess.Popen(
        [
            str(place(PLACE) / "bin" / "python"), "-m", "benchmarks.intelex",
            row.module, row.name, row.pair.peer, row.size,
        ],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        theirs = _There(row, process)
        gap = theirs.asked("gap")
        row.pair.ours()  # the warm-up
        return alternated(replace(row.pair, peer=row.peer), theirs, gap)


@dataclass(frozen=True)
class _There:
    """Work in another process, which answers each line with a number."""

    row: Elsewhere
    process: subprocess.Popen[str]

    def asked(self, question: str) -> float:
        """The answer."""
        asks, answers = self.process.stdin, self.process.stdout
        assert asks  # it was asked for as a pipe
        assert answers  # and so was this
        asks.write(question + "\n")
        asks.flush()
        if not (answer := answers.readline()):
            raise RuntimeError(f"The process of {self.row.peer}, {self.row.size}, has ended.")
        return float(answer)

    def timed(self, repeats: int) -> float:
        """Seconds of so many runs."""
        return self.asked(f"timed {repeats}")

    def peak(self) -> int:
        """The most bytes held at once in a run, beyond what was there before."""
        return int(self.asked("peak"))


def _answer(module: str, name: str, peer: str, size: str) -> None:
    """Answer what `_There` asks about one row until there is nothing more."""
    import_module("sklearnex").patch_sklearn(verbose=False)  # before the row imports scikit-learn
    import_module("daal4py").daalinit(THREADS)
    warnings.simplefilter("ignore")  # peers warn about limits that a row sets on purpose
    pairs = import_module(module).PAIRS
    (pair,) = [p for p in pairs if (p.name, p.peer, p.size) == (name, peer, size)]
    theirs = Here(pair.theirs)
    answers: dict[str, Callable[..., float]] = {
        "gap": lambda: gap_of(pair),
        "timed": lambda repeats: theirs.timed(int(repeats)),
        "peak": theirs.peak,
    }
    for line in sys.stdin:
        what, *given = line.split()
        print(answers[what](*given), flush=True)


if __name__ == "__main__":
    _answer(*sys.argv[1:])
