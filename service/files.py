"""Files that a person can take away: names, groups, and who makes each.

Which of them there are for a result is in `service.kinds`.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from mlcore.data import stored
from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.data.upload import ENDING, uploaded
from mlcore.interop.experiment import experiment, why_not
from mlcore.runs.carry import Outcome
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.run import AnyRun, Run
from mlcore.runs.saved import model_of, scores_of, written
from mlcore.runs.script import script
from mlcore.runs.stamp import stamp
from mlcore.spine.errors import DataError
from mlcore.spine.records import summary
from service import jobs, limits, tables
from service.fair_queue import Person
from service.pool import AT_ONCE
from service.tasks import JobError, task

Tables = Mapping[str, Table]
# The groups in which files are offered.
ORIGIN = "origin.json"  # beside the tables of a run
WRITING = "writing"
TABLES, KEEP, AGAIN = "Tables", "To read and to use", "To repeat it"


class File(NamedTuple):
    """One file on offer. `make` is called when somebody takes it."""

    group: str
    label: str
    name: str
    make: Callable[[], str | bytes]
    about: str  # what is in it or what it is for, in a sentence
    why_not: str = ""  # why it is not on offer, as a sentence
    is_long: bool = True  # whether making it takes longer the larger a table or a result is


def made(file: File, *, owner: str = "", person: Person | None = None) -> str | bytes:
    """What is in a file: by a worker, within the limits of a run, unless it is short.

    Raises DataError where that takes more than a run may.
    """
    if not file.is_long:
        return file.make()
    job = jobs.pool().submit(
        task(_made, file.make), owner=owner, person=person, replaces=f"{WRITING} {file.name}",
        priority=AT_ONCE, limits=limits.current_limits(),
    )  # fmt: skip
    try:
        return job.result()
    except JobError as error:
        raise DataError(error.failed.sentence) from error


def _made(make: Callable[[], str | bytes]) -> str | bytes:
    return make()


def table(label: str, name: str, make: Callable[..., pd.DataFrame], *given: Any) -> File:
    """A table as CSV; its name says of which run it is."""
    about = f"CSV. {summary(make)}"
    return File(TABLES, label, f"{name}.csv", partial(_csv, make, given), about)


def _csv(make: Callable[..., pd.DataFrame], given: tuple) -> str:
    return tables.csv(make(*given))


def together(outcome: Any, offered: Sequence[File], name: str) -> File:
    """All tables of a run, and beside them what they come from, which no table has room for."""
    about = f"Every CSV above, and {ORIGIN}: the run with every setting, its seed and versions."
    make = partial(_together, outcome, tuple(offered))
    return File(TABLES, "All tables with their origin", f"{name}-tables.zip", make, about)


def _together(outcome: Any, offered: Sequence[File]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in offered:
            archive.writestr(file.name, file.make())
        archive.writestr(ORIGIN, _json(outcome.run, outcome.versions))
    return out.getvalue()


def report(name: str, make: Callable[..., str], *given: Any) -> File:
    about = "Live pictures, data card, folds, versions and references; opens without a network."
    return File(KEEP, "Report, one HTML file", f"{name}.html", partial(make, *given), about)


def model(outcome: Outcome, dataset: Dataset, name: str) -> File:
    about = "Fitted to all rows; python -m mlcore predict MODEL.zip DATA.csv applies it to others."
    return File(
        KEEP,
        "Fitted model",
        f"{name}-model.zip",
        partial(_model, outcome, dataset),
        about,
    )


def _model(outcome: Outcome, dataset: Dataset) -> bytes:
    return written(model_of(outcome, dataset), scores_of(outcome))


def models(outcome: ComparisonOutcome, dataset: Dataset, name: str) -> File:
    """Every fitted model of a comparison, one .zip in another."""
    about = "One .zip a method, fitted to all rows; python -m mlcore predict applies each."
    make = partial(_models_of, outcome, dataset)
    return File(KEEP, "Fitted models", f"{name}-models.zip", make, about)


def _models_of(outcome: ComparisonOutcome, dataset: Dataset) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for entrant in outcome.entrants:
            if entrant.outcome is not None:
                name = f"{entrant.which + 1}-{entrant.outcome.run.method.card.name}-model.zip"
                archive.writestr(name, _model(entrant.outcome, dataset))
    return out.getvalue()


def peer(whole: AnyRun, runs: dict[str, Run], dataset: Dataset, name: str) -> File:
    """The same experiment without MLScope."""
    missing = why_not(runs, dataset)
    make = partial(experiment, whole, runs, dataset)
    about = "A program with the rows and the same folds; it needs scikit-learn and pandas alone."
    return File(AGAIN, "Experiment for scikit-learn", f"{name}-sklearn.zip", make, about, missing)


def again(run: AnyRun, name: str, uploads: Tables | None = None) -> list[File]:
    """The run as data and as a program, and the tables that it needs and that nobody else has."""
    uploads = uploads or {}
    files = [
        File(AGAIN, f"{run.title()} as JSON", f"{name}.json", partial(_json, run),
             "Every setting; python -m mlcore run FILE.json carries it out again.", is_long=False),
        File(AGAIN, "Python script", f"{name}.py", partial(_script, run),
             "The same numbers to the last bit, with the mlcore package alone.", is_long=False),
    ]  # fmt: skip
    return files + [
        File(AGAIN, "Table as read, for the script", f"table-{digest[:12]}{ENDING}",
             partial(stored.to_bytes, uploads[digest]),
             "In place of the file itself, where you decided how the file is read.")
        for digest in uploaded(run)
        if digest in uploads
    ]  # fmt: skip


def _json(run: AnyRun, made_with: Iterable[tuple[str, str]] = ()) -> str:
    document = {"about": stamp(run, made_with), **json.loads(run.to_json())}
    return json.dumps(document, indent=1, allow_nan=False)


def _script(run: AnyRun) -> str:
    return f"# {stamp(run)}\n{script(run)}"
