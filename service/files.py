"""The files that a person can take away from a result: names, groups, and who makes each."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from figures.options import Look
from mlcore.data import stored
from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.data.upload import ENDING, uploaded
from mlcore.interop.experiment import experiment, why_not
from mlcore.runs.carry import Outcome
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.run import AnyRun, Run, script
from mlcore.runs.saved import model_of, written
from mlcore.runs.stamp import stamp
from mlcore.runs.tuning.tuned import Tuned
from mlcore.spine.records import summary
from service import report, report_comparison, report_trial, tables

Held = Mapping[str, Table]
# The groups in which files are offered.
TABLES, KEEP, AGAIN = "Tables", "To read and to use", "To repeat it"


class File(NamedTuple):
    """One file on offer. `make` is called when somebody takes it."""

    group: str
    label: str
    name: str
    make: Callable[[], str | bytes]
    about: str  # what is in it or what it is for, in a sentence
    why_not: str = ""  # why it is not on offer, as a sentence


def of_run(
    outcome: Outcome,
    dataset: Dataset,
    link: str = "",
    held: Held | None = None,
    look: Look = report.NO_LOOK,
) -> list[File]:
    """Everything that leaves the browser of a run.

    `link` leads back to it, `held` has the tables of this session by digest, `look` says how the
    pictures of the report are looked at.
    """
    name = f"{outcome.run.method.card.name}-{outcome.run.short()}"
    found = [_table("Scores of each fold", f"{name}-scores", tables.scores, outcome)]
    for label, ending, is_there, make in _OF_ROWS:
        if is_there(outcome):
            found.append(_table(label, f"{name}-{ending}", make, outcome, dataset))
    if tables.chooses(outcome):
        found.append(_table("Chosen variables", f"{name}-variables", tables.chosen, outcome))
    peer = _peer(outcome.run, {outcome.run.method.title(): outcome.run}, dataset, name)
    page = _report(name, report.of_run, outcome, dataset, link, look)
    return [*found, page, _model(outcome, dataset, name), *_again(outcome.run, name, held), peer]


_OF_ROWS: tuple[tuple[str, str, Callable[..., bool], Callable[..., pd.DataFrame]], ...] = (
    ("Predictions on test rows", "predictions", tables.predicts, tables.predictions),
    ("Rows in new coordinates", "transformed", tables.has_coordinates, tables.transformed),
    ("Groups of the rows", "groups", tables.has_groups, tables.groups),
    ("Prepared rows", "prepared", lambda _: True, tables.prepared),
)


def of_comparison(
    outcome: ComparisonOutcome, dataset: Dataset, link: str = "", held: Held | None = None
) -> list[File]:
    """Everything that leaves the browser of a comparison; `dataset` is its first."""
    name = f"comparison-{outcome.run.short()}"
    found = [_table("Scores of every method and fold", f"{name}-scores", tables.compared_scores,
                    outcome)]  # fmt: skip
    if any(e.outcome is not None and tables.predicts(e.outcome) for e in outcome.entrants):
        found.append(_table("Predictions of all methods", f"{name}-predictions",
                            tables.compared_predictions, outcome, dataset))  # fmt: skip
    runs = outcome.run.runs()
    runs = {entrant.label: runs[entrant.which] for entrant in outcome.entrants if entrant.outcome}
    found += [_report(name, report_comparison.of_comparison, outcome, dataset, link)]
    if any(entrant.outcome for entrant in outcome.entrants):
        found.append(_models(outcome, dataset, name))
    peer = _peer(outcome.run, runs, dataset, name)
    return [*found, *_again(outcome.run, name, held), peer]


def of_trial(outcome: TrialOutcome, link: str = "") -> list[File]:
    """Everything that leaves the browser of a trial; `link` leads back to it."""
    name = f"trial-{outcome.run.short()}"
    table = _table("Scores of each replicate", f"{name}-scores", tables.replicates, outcome)
    page = _report(name, report_trial.of_trial, outcome, link)
    return [table, page, *_again(outcome.run, name)]


def of_tuning(tuned: Tuned, held: Held | None = None) -> list[File]:
    """Everything that leaves the browser of a tuning."""
    name = f"tuning-{tuned.run.method.card.name}-{tuned.run.short()}"
    return [
        _table("Scores of each outer fold", f"{name}-scores", tables.tuned_scores, tuned),
        _table("Every candidate", f"{name}-candidates", tables.candidates, tuned),
        *_again(tuned.run, name, held),
    ]


def of_lab(run: AnyRun) -> list[File]:
    """What repeats a lab."""
    return _again(run, f"lab-{run.short()}")


def _table(label: str, name: str, make: Callable[..., pd.DataFrame], *given: Any) -> File:
    """A table as CSV; what it is made of begins with the outcome that is stamped on it."""
    about = f"CSV. {summary(make)}"
    return File(TABLES, label, f"{name}.csv", lambda: tables.csv(make(*given), given[0]), about)


def _report(name: str, make: Callable[..., str], *given: Any) -> File:
    about = "Live pictures, data card, folds, versions and references; opens without a network."
    return File(KEEP, "Report, one HTML file", f"{name}.html", partial(make, *given), about)


def _model(outcome: Outcome, dataset: Dataset, name: str) -> File:
    about = "Fitted to all rows; python -m mlcore predict MODEL.zip DATA.csv applies it to others."
    return File(
        KEEP,
        "Fitted model",
        f"{name}-model.zip",
        lambda: written(model_of(outcome, dataset)),
        about,
    )


def _models(outcome: ComparisonOutcome, dataset: Dataset, name: str) -> File:
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
                archive.writestr(name, written(model_of(entrant.outcome, dataset)))
    return out.getvalue()


def _peer(whole: AnyRun, runs: dict[str, Run], dataset: Dataset, name: str) -> File:
    """The same experiment without MLScope."""
    missing = why_not(runs, dataset)
    make = partial(experiment, whole, runs, dataset)
    about = "A program with the rows and the same folds; it needs scikit-learn and pandas alone."
    return File(AGAIN, "Experiment for scikit-learn", f"{name}-sklearn.zip", make, about, missing)


def _again(run: AnyRun, name: str, held: Held | None = None) -> list[File]:
    """The run as data and as a program, and the tables that it needs and that nobody else has."""
    held = held or {}
    found = [
        File(AGAIN, f"{run.title()} as JSON", f"{name}.json", partial(_json, run),
             "Every setting; python -m mlcore run FILE.json carries it out again."),
        File(AGAIN, "Python script", f"{name}.py", partial(_script, run),
             "The same numbers to the last bit, with the mlcore package alone."),
    ]  # fmt: skip
    return found + [
        File(AGAIN, "Table as read, for the script", f"table-{digest[:12]}{ENDING}",
             partial(stored.to_bytes, held[digest]),
             "In place of the file itself, where you decided how the file is read.")
        for digest in uploaded(run)
        if digest in held
    ]  # fmt: skip


def _json(run: AnyRun) -> str:
    document = {"about": stamp(run), **json.loads(run.to_json())}
    return json.dumps(document, indent=1, allow_nan=False)


def _script(run: AnyRun) -> str:
    return f"# {stamp(run)}\n{script(run)}"
