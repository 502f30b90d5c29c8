"""Every row of every area, in order.

`python -m benchmarks.every` brings results.json and docs/benchmarks.md into line with them, after
rows were added, renamed or taken away.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from benchmarks import results, rows
from benchmarks.intelex import Elsewhere
from benchmarks.pairs import Alone, Key, Pair


@dataclass(frozen=True)
class Row:
    """What is measured, and the area that it belongs to."""

    area: str  # the module in `rows`
    work: Pair | Alone | Elsewhere

    @property
    def name(self) -> str:
        """What of ours is measured."""
        return self.work.name

    @property
    def key(self) -> Key:
        """What tells this row from all others."""
        return self.work.name, self.work.peer, self.work.size


def every() -> list[Row]:
    """All rows, and after each that scikit-learn-intelex does in its own way that one too."""
    found = []
    for info in iter_modules(rows.__path__, "benchmarks.rows."):
        module, area = import_module(info.name), info.name.rpartition(".")[2]
        own_way = getattr(module, "INTELEX", ())
        for pair in module.PAIRS:
            found.append(Row(area, pair))
            if pair.name in own_way:
                found.append(Row(area, Elsewhere(pair, info.name)))
    return found


if __name__ == "__main__":
    results.save(results.in_order(results.load(), [row.key for row in every()]))
