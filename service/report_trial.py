"""The report of a trial: scores of every replicate, pictures of what was learned, the world."""

from __future__ import annotations

from typing import Any

from figures.standalone import Html, document, table, tag
from figures.view import Entry, views, views_on
from mlcore.evaluation.summary import summary
from mlcore.runs.carry_trial import TrialOutcome
from service.report import heading, method_card, picture, repeating


def of_trial(outcome: TrialOutcome, link: str = "") -> str:
    """The report of a trial, as HTML; `link` leads back to it."""
    run, entries = outcome.run, views()
    title = f"{', '.join(row.label for row in outcome.results)} in {outcome.world.name}"
    return document(
        title,
        *heading(title, run, link),
        picture(entries["trial_scores"], trial=outcome),
        tag("h2", "Scores"),
        _scores(outcome),
        tag("h2", "Pictures"),
        *(
            card
            for name in views_on(*outcome.world.places)
            for card in _cards(outcome, entries[name])
        ),
        tag("h2", "World"),
        *method_card(run.problem),
        tag("h2", "Methods"),
        *(part for row in outcome.results for part in method_card(row.method, row.label)),
        *repeating(run, outcome.versions),
        mark=run.digest(),
    )


def _cards(outcome: TrialOutcome, entry: Entry) -> list[Html]:
    """One picture of all methods, or a map of each that has what it asks for."""
    able = [k for k, row in enumerate(outcome.results) if row.can(*entry.asks)]
    each = able if entry.takes("which") else able[:1]
    return [picture(entry, trial=outcome, which=k) for k in each]


def _scores(outcome: TrialOutcome) -> Html:
    """A line a method: mean and standard deviation over the replicates, failures."""
    rows = outcome.rows
    columns: dict[str, list[Any]] = {
        "method": [row.label for row in rows],
        f"{outcome.metric.title.lower()}, mean": [summary(row.scores).mean for row in rows],
        "sd": [summary(row.scores).sd for row in rows],
        "replicates": [len(row.scores) for row in rows],
    }
    if any(row.failures for row in rows):
        columns["failures"] = ["; ".join(dict.fromkeys(row.failures)) for row in rows]
    return table(columns)
