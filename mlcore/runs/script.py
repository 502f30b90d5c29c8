"""A run as a program."""

from __future__ import annotations

from mlcore.runs.kinds import kind_of
from mlcore.runs.run import AnyRun
from mlcore.spine import codec
from mlcore.spine.component import Component
from mlcore.spine.pool import threads


def script(run: AnyRun) -> str:
    """A program that repeats the run without the dashboard and prints its scores."""
    alias = aliases(codec.classes(run))
    lines = [
        '"""Repeats a saved run; needs the mlcore package and nothing of the dashboard."""',
        "",
        "import os",
        "",
        "from mlcore.spine.threads import thread_settings",
        "",
        "# The last bits depend on the number of threads, fixed before numpy is imported below.",
        f"os.environ |= thread_settings({threads()})",
        "",
    ]
    lines += sorted(
        f"from {cls.__module__} import {cls.__name__}"
        + (f" as {name}" if name != cls.__name__ else "")
        for cls, name in alias.items()
    )
    lines += [f"from {kind_of(run).module} import carried_out, report", ""]
    lines += [f"run = {codec.python(run, alias)}", ""]
    argument = ", uploads(sys.argv[1:])" if _uploads(run) else ""
    if argument:
        lines.insert(3, "import sys")
        lines.insert(
            -4, "from mlcore.data.upload import uploads  # give the file as first argument"
        )
    lines += [f"print(report(carried_out(run{argument})))"]
    return "\n".join(lines) + "\n"


def _uploads(component: Component) -> bool:
    return component.card.name == "upload" or any(_uploads(inner) for inner in component.parts())


def aliases(used: list[type[Component]]) -> dict[type, str]:
    """A name for each class; where two share one, the family comes first."""
    counts: dict[str, int] = {}
    for cls in used:
        counts[cls.__name__] = counts.get(cls.__name__, 0) + 1
    return {cls: cls.__name__ if counts[cls.__name__] == 1 else _family_name(cls) for cls in used}


def _family_name(cls: type[Component]) -> str:
    return cls.card.family.title().replace("_", "") + cls.__name__
