"""What a page can ask for: a run of any kind, how it is carried out, and what that will cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mlcore.data.dataset import Dataset
from mlcore.runs.kinds import kind_of
from mlcore.runs.run import AnyRun
from mlcore.spine.wording import estimated
from service.limits import memory
from service.pace import pace
from service.tasks import Task, task
from service.work import Job


@dataclass(frozen=True)
class Order:
    """A run of any kind: how it is carried out, and what that will cost."""

    run: AnyRun
    asked: Task
    so_far: Callable[[Any, Sequence[Any]], Any]  # the outcome of a run and its events
    seconds: float
    size: float  # bytes
    contents: str  # of what it consists
    unit: str = ""  # in which its progress is counted
    kept: float = 0.0  # bytes that its outcome takes in this process
    what: str = "run"  # tells several orders of one run apart
    pace_of: str = ""  # by which the times of such runs are remembered
    by_hand: bool = False  # waits for a person, however short it is
    is_of_calls: bool = True  # its parts may be shared out, and it can go on where it was stopped

    @property
    def name(self) -> str:
        """By which a session knows its job."""
        return f"{self.run.digest()} {self.what}"

    @property
    def cost(self) -> str:
        """What it will take: 6 fits, 5 s to 30 s, 300 MB."""
        return f"{self.contents}, {self.time}, {self.room}"

    @property
    def room(self) -> str:
        """The memory that it will take: 300 MB."""
        return memory(max(self.size / 2**20, 1))

    @property
    def time(self) -> str:
        """The seconds that it will likely take, as such runs did on this machine: 5 s to 30 s."""
        low, high = map(estimated, pace().range(self.pace_of, self.seconds))
        return f"{low} to {high}" if low != high else f"about {low}"

    def learn(self, job: Job) -> None:
        """Remember what it took, if it was carried out whole."""
        if job.work.state == "done" and not job.work.resumed:
            pace().learn(self.pace_of, self.seconds, job.work.seconds())

    def only(self, parts: Sequence[str], tables: Mapping[str, Any]) -> Order:
        """The order for these parts of the run alone, named as by `mlcore.runs.repeat`."""
        asked = task("mlcore.runs.repeat:carry_out", self.run, parts, tables)
        what = f"parts {'; '.join(sorted(parts))}"
        return replace(self, asked=asked, what=what, is_of_calls=False)

    def again(self, who: str) -> Order:
        """The order for `who` alone: a result that is known to others is not taken for it."""
        return replace(self, what=f"{self.what} for {who}")


def order_of(
    run: AnyRun, datasets: Sequence[Dataset], uploads: Mapping[str, Any], tables: Mapping[str, Any]
) -> Order:
    """The order for a run on these data sets; DataError where its folds do not fit the rows.

    The uploads that it needs are `held` as workers get them, `tables` has those of this session.
    """
    kind = kind_of(run)
    took, size, contents, kept = kind.cost(run, datasets)
    asked, so_far = task(kind.carry_out, run, uploads), partial(_so_far, tables)
    return Order(
        run, asked, so_far, took, size, contents, kind.unit, kept=kept, is_of_calls=kind.in_parts,
        pace_of=f"{kind.name} {kind.title(run)}",
    )  # fmt: skip


def _so_far(tables: Mapping[str, Any], run: AnyRun, events: Sequence[Any]) -> Any:
    return kind_of(run).so_far(run, events, tables)
