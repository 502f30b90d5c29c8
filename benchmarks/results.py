"""What was measured, when and on which machine: `results.json`, and the page made from it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.document import document
from benchmarks.pairs import Key, Result

FILE = Path(__file__).with_name("results.json")
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
LIBRARIES = (
    "numpy", "scipy", "numba", "streamlit", "scikit-learn", "statsmodels", "mlxtend",
)  # fmt: skip
EMPTY: dict[str, Any] = {"machines": [], "rows": [], "new": [], "pages": None, "sessions": None}


def load() -> dict[str, Any]:
    """All results: `machines`, `rows`, `new` (keys of rows without a result), `pages`, `sessions`.

    Each row, and the last two, have a `date` and the number of their `machine`.
    """
    return EMPTY | (json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {})


def key(row: dict[str, Any]) -> Key:
    """What tells a stored row from all others."""
    return row["name"], row["peer"], row["size"]


def measured_rows() -> set[Key]:
    """The keys of the rows that have a result."""
    return {key(row) for row in load()["rows"]}


def keep_row(area: str, result: Result, order: list[Key]) -> None:
    """Take in one row in place of its former result; `order` has the keys of all rows."""
    results = load()
    row = {"area": area, **_rounded(asdict(result)), **_stamp(results)}
    rest = [other for other in results["rows"] if key(other) != key(row)]
    results["rows"] = [*rest, row]
    save(in_order(results, order))


def keep_part(part: str, figures: dict[str, Any]) -> None:
    """Take in the figures of `pages` or `sessions` in place of the former ones."""
    results = load()
    results[part] = {**_rounded(figures), **_stamp(results)}
    save(results)


def in_order(results: dict[str, Any], order: list[Key]) -> dict[str, Any]:
    """The rows in order, without what is no row any more, and `new` as those without a result."""
    by_key = {key(row): row for row in results["rows"]}
    rows = [by_key[one] for one in order if one in by_key]
    return results | {"rows": rows, "new": [list(one) for one in order if one not in by_key]}


def save(results: dict[str, Any]) -> None:
    """Write the file and the page."""
    results = _with_used_machines(results)
    _replace(FILE, "{\n" + ",\n".join(_parts(results)) + "\n}\n")
    _replace(PAGE, document(results))


def _replace(file: Path, text: str) -> None:
    """Write all of it or nothing: who interrupts must not lose what was measured before."""
    new = file.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(file)


@cache
def machine() -> dict[str, Any]:
    """What the times depend on; nothing that names the machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": f"{memory / 2**30:.0f} GiB",
        "system": platform.system(),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _stamp(results: dict[str, Any]) -> dict[str, Any]:
    """Today and the number of this machine, which joins the others where it is new."""
    if (here := machine()) not in results["machines"]:
        results["machines"] = [*results["machines"], here]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": results["machines"].index(here),
    }


def _with_used_machines(results: dict[str, Any]) -> dict[str, Any]:
    """Numbered anew without those of which no result is left."""
    parts = [part for part in (results["pages"], results["sessions"]) if part]
    used = sorted({one["machine"] for one in [*results["rows"], *parts]})
    new = {old: number for number, old in enumerate(used)}
    out = results | {"machines": [results["machines"][old] for old in used]}
    out["rows"] = [row | {"machine": new[row["machine"]]} for row in results["rows"]]
    for part in ("pages", "sessions"):
        if old := results[part]:
            out[part] = old | {"machine": new[old["machine"]]}
    return out


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    """Four digits: the others are of the moment."""
    return {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in figures.items()
    }


def _parts(results: dict[str, Any]) -> Iterator[str]:
    """Each part as JSON; of a list each entry on a line, so that changes are read line by line."""
    for name, part in results.items():
        if isinstance(part, list) and part:
            yield f'"{name}": [\n ' + ",\n ".join(map(json.dumps, part)) + "\n]"
        else:
            yield f'"{name}": {json.dumps(part)}'
