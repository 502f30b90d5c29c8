"""What the tests cost in processor seconds: by kind, by entry, and with a larger catalogue.

`python -m pytest -p tests.costs ...` prints the table below its run. A test pays for itself, for
what it prepares for others, and for processes that it waited for; servers and browsers outlive the
tests, so what they cost is only in the time of the whole run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from mlcore.spine.threads import thread_settings

# Before numpy is imported, which this does before `conftest` can: threads that wait for each other
# would be paid for.
os.environ.update(thread_settings(1))
from figures.view import views
from mlcore.data import bundled
from mlcore.spine.registry import entries

PAGES = Path(__file__).parents[1] / "pages"
PAID = "processor seconds"
DEAREST = 15
# How many there may be one day.
ONE_DAY = {"method": 200, "lab": 150, "view": 170, "step": 50, "page with a set": 12 * 45}
# The first pattern that fits a test says what it is a test of; all others do not grow with entries.
KINDS = (
    ("tests/contract/*lab.*", "lab"),
    ("tests/contract/test_labs.py*", "lab"),
    ("tests/theory/labs/*", "lab"),
    ("tests/pages/test_labs.py*", "lab"),
    ("tests/figures/test_lab_pictures.py*", "lab"),
    ("tests/contract/*preparation.*", "step"),
    ("tests/preparation/*", "step"),
    ("tests/pages/preprocessing/*", "step"),
    ("tests/figures/preparation/*", "step"),
    ("tests/pages/test_every_page.py*", "page with a set"),
    ("tests/contract/*", "method"),
    ("tests/parity/*", "method"),
    ("tests/theory/*", "method"),
    ("tests/pages/method/*", "method"),
    ("tests/figures/*", "view"),
)


def now() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def kind_of(nodeid: str) -> str:
    """What makes tests like this one more; else their folder."""
    plain = nodeid.replace("[", " ")
    found = (kind for pattern, kind in KINDS if fnmatch(plain, pattern))
    return next(found, "/".join(nodeid.split("/")[:2]))


def counted() -> dict[str, int]:
    """How many entries there are of each kind."""
    return {
        "method": len(entries("method")),
        "lab": len(entries("lab")),
        "view": len(views()),
        "step": len(entries("preparation")),
        "page with a set": len(list(PAGES.glob("*.py"))) * len(bundled.names()),
    }


class Costs:
    """What each test has cost, and in all how long tests were collected."""

    def __init__(self) -> None:
        """Nothing was paid yet."""
        self.began = now()
        self.paid: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        """What is paid from here on is paid for this test."""
        self.began = now()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """The last report of a test says what it has cost."""
        report: Any = yield
        if report.when == "teardown":
            report.user_properties = [*report.user_properties, (PAID, now() - self.began)]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Told to the process that prints, also by workers."""
        if report.when == "teardown":
            self.paid[report.nodeid] = float(str(dict(report.user_properties)[PAID]))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The table, and the dearest tests."""
        for line in lines(self.paid, counted()):
            terminalreporter.write_line(line)


def lines(paid: dict[str, float], there_are: dict[str, int]) -> list[str]:
    """By kind: seconds, entries, seconds an entry, and the seconds of as many as one day."""
    by_kind: Counter[str] = Counter()
    for nodeid, seconds in paid.items():
        by_kind[kind_of(nodeid)] += seconds
    found, one_day = [f"{'':20} seconds  entries     each  one day"], 0.0
    for kind, seconds in by_kind.most_common():
        n = there_are.get(kind)
        grown = seconds * ONE_DAY[kind] / n if n else seconds
        each = f"{n:9}{seconds / n:9.2f}" if n else " " * 18
        found.append(f"{kind:20}{seconds:8.1f}{each}{grown:9.0f}")
        one_day += grown
    found.append(f"{'in all':20}{sum(paid.values()):8.1f}{len(paid):9} tests  {one_day:10.0f}")
    dearest = sorted(paid.items(), key=lambda pair: -pair[1])[:DEAREST]
    return [*found, "", *(f"{seconds:8.1f}  {nodeid}" for nodeid, seconds in dearest)]


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count, in each process."""
    config.pluginmanager.register(Costs(), "costs of tests")
