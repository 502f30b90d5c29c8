"""What came from what: the runs of a session as a tree, with what was changed at each step.

No Streamlit here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from mlcore.runs.differences import settings
from mlcore.runs.differing import named
from mlcore.spine.wording import number, shortened
from ui.runs.listed import Entry
from ui.runs.table_lines import data_of

LONGEST = 60  # letters of a value
FEW = 3  # changes that a step is told with


@dataclass
class Node:
    """One run, and those that were changed from it, the oldest first."""

    entry: Entry
    changes: tuple[str, ...]  # against the run it came from
    children: list[Node] = field(default_factory=list)


def tree(entries: Sequence[Entry]) -> list[Node]:
    """The runs that began afresh, the oldest first, each with what came from it.

    A run whose parent is listed no longer, or that knows none, began afresh.
    """
    roots: list[Node] = []
    nodes: dict[str, Node] = {}
    for entry in sorted(entries, key=lambda entry: entry.number):
        parent = nodes.get(entry.parent) if entry.parent else None
        node = Node(entry, changes(parent.entry, entry) if parent else ())
        (parent.children if parent else roots).append(node)
        nodes.setdefault(entry.digest, node)
        nodes[entry.digest] = _nearest(nodes[entry.digest], node)
    return roots


def _nearest(former: Node, node: Node) -> Node:
    """Of two entries of the same run, that which a later one on the page came from: the newer."""
    return node if node.entry.page == former.entry.page else former


def changes(parent: Entry, entry: Entry) -> tuple[str, ...]:
    """What was changed from one run to the next, a clause a setting."""
    clauses = []
    for change in settings(parent.run, entry.run):
        before, after = shortened((change.before, change.after), LONGEST)
        clauses.append(f"{named(parent.run, change.path)} {before} → {after}")
    return tuple(clauses)


def drawn(roots: Sequence[Node]) -> str:
    """The tree as HTML: lists within lists, so that it is read aloud as it is seen.

    A run with a single successor is followed by it on the same level: only where two were changed
    from one does a branch begin, or forty moves of a slider would stand forty levels deep.
    """
    return f'<ul class="descent">{"".join(map(_chain, roots))}</ul>'


def _chain(node: Node) -> str:
    """A run and what follows it one by one; behind a fork, a list of its own for each branch."""
    lines = [_line(node)]
    while len(node.children) == 1:
        node = node.children[0]
        lines.append(_line(node))
    steps = "".join(f"<li>{line}</li>" for line in lines)
    forks = "".join(map(_chain, node.children))
    inner = f"<ul>{forks}</ul>" if forks else ""
    return f"<li><ol>{steps}</ol>{inner}</li>"


def _line(node: Node) -> str:
    entry = node.entry
    score = f"{entry.score.title} {number(entry.score.mean)}" if entry.score else entry.status
    told = "; ".join(node.changes[:FEW]) or data_of(entry)  # of one that began afresh
    if len(node.changes) > FEW:
        told += f"; and {len(node.changes) - FEW} more"
    why = f"<small>{escape(told)}</small>" if told else ""
    title = f"<b>{entry.number}</b> {escape(entry.label)} <em>{escape(score)}</em>"
    return f"<span>{title}</span>{why}"
