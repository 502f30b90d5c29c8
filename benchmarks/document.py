"""The page of the results, made from them alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

HEAD = """# Times beside the peers

Made from `benchmarks/results.json` by `make bench`, `make bench-pages` and `make bench-sessions`;
not to be edited by hand.

Ours and the peer do the same work with the same data and 2 threads, in turns after a warm-up. The
ratio is our time over the peer's, the median over the turns: below 1 ours is faster. The gap is our
objective or error less the peer's: zero or negative is as good or better. Memory is the peak of
Python objects and arrays, ours over theirs. `sklearnex` is scikit-learn-intelex, which runs in a
process of its own. Where no peer does the work, the ratio is to the time that it may take.
"""

COLUMNS = """| method | size | peer | ratio | gap | memory | ours | peer's | measured |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"""


def document(results: dict[str, Any]) -> str:
    """The page, in Markdown."""
    parts = [HEAD, *_machines(results["machines"])]
    for area, rows in groupby(results["rows"], key=lambda row: row["area"]):
        title = area.replace("_", " ").capitalize()
        parts.append("\n".join([f"## {title}\n", COLUMNS, *map(_row, rows)]) + "\n")
    if results["pages"]:
        parts.append(_pages(results["pages"]))
    if results["sessions"]:
        parts.append(_sessions(results["sessions"]))
    if results["new"]:
        lines = [f"- {name}, {size}, beside {peer}" for name, peer, size in results["new"]]
        parts.append("\n".join(["## Not measured yet\n", *lines]) + "\n")
    return "\n".join(parts)


def time_text(seconds: float) -> str:
    """Three digits, with the unit that fits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def _machines(machines: list[dict[str, Any]]) -> Iterator[str]:
    for number, one in enumerate(machines, start=1):
        libraries = ", ".join(f"{name} {version}" for name, version in one["libraries"].items())
        name = "Machine" if len(machines) == 1 else f"Machine {number}"
        yield (
            f"{name}: {one['processor']}, {one['cores']} cores, {one['memory']}, {one['system']}, "
            f"Python {one['python']}, {libraries}.\n"
        )


def _row(row: dict[str, Any]) -> str:
    cells = (
        row["name"], row["size"], row["peer"], f"{row['ratio']:.2f}",
        _or_dash(row["objective_gap"], ".1e"), _or_dash(row["memory_ratio"], ".2f"),
        time_text(row["seconds"]), time_text(row["peer_seconds"]), _when(row),
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _or_dash(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _when(part: dict[str, Any]) -> str:
    """The date, and the machine where it is another than the first."""
    return part["date"] + (f", machine {part['machine'] + 1}" if part["machine"] else "")


def _pages(pages: dict[str, Any]) -> str:
    lines = [
        f"| {row['what']} | {row['ours']:.0f} ms | {row['trivial']:.0f} ms "
        f"| {row['ours'] / row['trivial']:.2f} | {row['times']} |"
        for row in pages["compared"]
    ]
    head = "| in Chromium | ours | trivial page | ratio | times |", "| --- |" + " ---: |" * 4
    text = (
        "Beside a page with one Streamlit chart, medians, in milliseconds, measured "
        f"{_when(pages)}. The first visit after the start of the server takes "
        f"{pages['first_visit']:.0f} ms.\n"
    )
    return "\n".join(["## Pages\n", text, *head, *lines]) + "\n"


def _sessions(of: dict[str, Any]) -> str:
    return (
        "## Sessions\n\n"
        f"{of['sessions']} people at once, in two waves, measured {_when(of)}: "
        f"{of['results']} results, {of['wrong']} wrong or missing; seconds to a result: "
        f"median {of['median']:.1f}, of the first page {of['first']:.1f}, of later ones "
        f"{of['later']:.1f}, longest {of['longest']:.1f}. Memory of the server and its workers: "
        f"{of['fresh']} after one visitor, {of['before']} after the first wave, "
        f"{of['during']} with the second, {of['after']} after it left.\n"
    )
