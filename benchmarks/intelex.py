"""scikit-learn-intelex as a peer: the same rows, its methods in place of scikit-learn's own.

It changes scikit-learn for the whole process that it is in, so theirs has a process of its own, one
for each module of rows, in an environment of its own, which sees this one's packages. Here ours is
timed, there theirs, in turns. A module of `rows` names in `INTELEX` the rows that this peer does in
its own way.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module

from benchmarks import THREADS
from benchmarks.apart import ROOT, place
from benchmarks.pairs import Here, Key, Pair, Result, alternated, warm_up

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


class Processes:
    """The process of the module whose rows are measured; the next module, or an error, ends it."""

    def __init__(self) -> None:
        self._module = ""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Wait for no answer any more."""
        process, self._module, self._process = self._process, "", None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError):  # a question that it did not live to read
                process.__exit__(None, None, None)  # closes its pipes and waits

    def of(self, module: str) -> subprocess.Popen[str]:
        """The process of one module, which begins when it is asked for."""
        if self._process is None or module != self._module:
            self.end()
            self._module, self._process = module, subprocess.Popen(
                [str(place(PLACE) / "bin" / "python"), "-m", "benchmarks.intelex", module],
                cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                start_new_session=True,  # Ctrl-C is for the one who asks
            )  # fmt: skip
        return self._process

    def measured(self, row: Elsewhere) -> Result:
        """Time ours here and theirs there, in turns; the gap is taken there."""
        theirs = _There(row, self.of(row.module))
        try:
            gap = theirs.asked("gap")
            row.pair.ours()  # the warm-up
            return alternated(replace(row.pair, peer=row.peer), theirs, gap)
        except BaseException:  # Ctrl-C too: the next row would take an answer under way for its own
            self.end()
            raise


@dataclass(frozen=True)
class _There:
    """Work in another process, which answers each line with a number."""

    row: Elsewhere
    process: subprocess.Popen[str]

    def asked(self, question: str, repeats: int = 1) -> float:
        """The answer."""
        asks, answers = self.process.stdin, self.process.stdout
        assert asks  # it was asked for as a pipe
        assert answers  # and so was this
        asks.write(json.dumps([*_key(self.row.pair), question, repeats]) + "\n")
        asks.flush()
        if not (answer := answers.readline()):
            raise RuntimeError(f"The process of {self.row.peer}, {self.row.size}, has ended.")
        return float(answer)

    def timed(self, repeats: int) -> float:
        """Seconds of so many runs."""
        return self.asked("timed", repeats)

    def peak(self) -> int:
        """The most bytes held at once in a run, beyond what was there before."""
        return int(self.asked("peak"))


def _key(pair: Pair) -> Key:
    return pair.name, pair.peer, pair.size


def _answer(module: str) -> None:
    """Answer what `_There` asks about the rows of a module until there is nothing more."""
    import_module("sklearnex").patch_sklearn(verbose=False)  # before the row imports scikit-learn
    import_module("daal4py").daalinit(THREADS)
    warnings.simplefilter("ignore")  # peers warn about limits that a row sets on purpose
    pairs = {_key(pair): pair for pair in import_module(module).PAIRS}
    gc.freeze()  # as in the process that asks
    for line in sys.stdin:
        *key, question, repeats = json.loads(line)
        print(_number(pairs[tuple(key)], question, repeats), flush=True)


def _number(pair: Pair, question: str, repeats: int) -> float:
    if question == "gap":
        return warm_up(pair)[0]
    theirs = Here(pair.theirs)
    return theirs.peak() if question == "peak" else theirs.timed(repeats)


if __name__ == "__main__":
    _answer(sys.argv[1])
