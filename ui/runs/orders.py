"""What a page can ask for: a run of any kind, how it is carried out, and what that will cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mlcore.data.dataset import Dataset
from mlcore.runs import carry, carry_comparison, carry_lab, carry_trial, carry_tuning, cost
from mlcore.runs.run import AnyRun, Comparison, LabRun, Run, Trial
from mlcore.runs.tuning.cost import Preview
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.wording import count, seconds
from service.limits import memory
from service.tasks import Task, task


@dataclass(frozen=True)
class Order:
    """A run of any kind: how it is carried out, and what that will cost."""

    run: AnyRun
    asked: Task
    so_far: Callable[[Any, Sequence[Any]], Any]  # the outcome of a run and its events
    seconds: float
    size: float  # bytes
    said: str  # of what it consists
    unit: str = ""  # in which its progress is counted
    what: str = "run"  # tells several orders of one run apart
    by_hand: bool = False  # waits for a person, however short it is
    is_of_calls: bool = True  # its parts may be shared out, and it can go on where it was stopped

    @property
    def name(self) -> str:
        """By which a session knows its job."""
        return f"{self.run.digest()} {self.what}"

    @property
    def cost(self) -> str:
        """What it will take: 6 fits, about 12 s, 300 MB."""
        held = memory(max(self.size / 2**20, 1))
        return f"{self.said}, about {seconds(self.seconds)}, {held}"

    def only(self, parts: Sequence[str], held: Mapping[str, Any]) -> Order:
        """The order for these parts of the run alone, named as by `mlcore.runs.repeat`."""
        asked = task("mlcore.runs.repeat:carry_out", self.run, parts, held)
        what = f"parts {'; '.join(sorted(parts))}"
        return replace(self, asked=asked, what=what, is_of_calls=False)

    def again(self, who: str) -> Order:
        """The order for `who` alone: a result that is known to others is not taken for it."""
        return replace(self, what=f"{self.what} for {who}")


def of_run(run: Run, dataset: Dataset, held: Mapping[str, Any]) -> Order:
    """The order for a single run; DataError where its folds do not fit the rows."""
    took, size = cost.estimate(run, dataset)
    said = ", each after ".join(
        [
            count(len(carry.splits_of(run, dataset)) + 1, "fit"),
            *cost.announced(run.preparation, dataset),
        ]
    )
    asked = task("mlcore.runs.carry:carry_out", run, held)
    return Order(run, asked, carry.so_far, took, size, said, "folds")


def of_comparison(run: Comparison, datasets: Sequence[Dataset], held: Mapping[str, Any]) -> Order:
    """The order for a comparison; DataError where its folds do not fit the rows."""
    took, size = carry_comparison.estimate(run, datasets[0], datasets[1:])
    said = count(carry_comparison.planned(run, datasets[0], datasets[1:]), "fit")
    asked = task("mlcore.runs.carry_comparison:carry_out", run, held)
    return Order(run, asked, carry_comparison.so_far, took, size, said, "fits")


def of_tuning(
    run: Tuning, preview: Preview, held: Mapping[str, Any], tables: Mapping[str, Any]
) -> Order:
    """The order for a tuning, which waits for a person."""
    asked = task("mlcore.runs.carry_tuning:carry_out", run, held)
    so_far, said = partial(carry_tuning.so_far, held=tables), preview.over()
    return Order(
        run, asked, so_far, preview.seconds, preview.size, said, "candidates", by_hand=True
    )


def of_trial(run: Trial) -> Order:
    """The order for a trial."""
    took, size = carry_trial.estimate(run)
    said = count(carry_trial.planned(run), "attempt")
    asked = task("mlcore.runs.carry_trial:carry_out", run)
    return Order(run, asked, carry_trial.so_far, took, size, said, "attempts")


def of_lab(run: LabRun) -> Order:
    """The order for a lab, which is one call."""
    took, size = carry_lab.estimate(run)
    asked = task("mlcore.runs.carry_lab:carried_out", run)
    return Order(run, asked, carry_lab.so_far, took, size, "One lab", is_of_calls=False)


def title_of(run: Any) -> str:
    """A run in a few words: what is fitted or tried."""
    if isinstance(run, Trial):
        return ", ".join(dict.fromkeys(method.label for method in run.methods))
    if isinstance(run, Comparison):
        return count(len(run.methods), "method")
    if isinstance(run, Tuning):
        return f"{run.method.title()}, tuning"
    return run.lab.title() if isinstance(run, LabRun) else run.method.title()
