"""The report of a count of clusters: who says what, the criteria, the method."""

from __future__ import annotations

from figures.numbers.consensus import known
from figures.standalone import Html, document, table, tag
from figures.view import views
from mlcore.runs.counting.counted import Counted, verdict
from mlcore.runs.kinds import kind_of
from service.report import heading, method_card, picture, repeating, steps_list


def of_count(counted: Counted, link: str = "") -> str:
    """The report of a count, as HTML; `link` leads back to it."""
    run = counted.run
    title = f"Number of clusters of {kind_of(run).on(run)} by {run.method.title()}"
    return document(
        title,
        *heading(title, run, link),
        tag("div", tag("p", verdict(counted)), class_="score"),
        picture(views()["number_of_clusters"], counted=counted),
        *_consensus(counted),
        tag("h2", "Criteria"),
        _criteria(counted),
        tag("h2", "Method"),
        *method_card(run.method),
        steps_list(run.preparation),
        *repeating(run, counted.versions),
        mark=run.digest(),
    )


def _consensus(counted: Counted) -> list[Html]:
    """How surely the resamples put rows together, where there are resamples."""
    names = ("consensus_map", "consensus_curves") if known(counted) else ()
    return [picture(views()[name], counted=counted) for name in names]


def _criteria(counted: Counted) -> Html:
    """A line a criterion: what it says, by which rule, and what it is."""
    each = [opinion.criterion for opinion in counted.opinions]
    answers = [", ".join(map(str, sorted(opinion.says))) for opinion in counted.opinions]
    columns = {
        "criterion": [criterion.title for criterion in each],
        "says": [text or "nothing" for text in answers],
        "rule": [criterion.rule for criterion in each],
        "what it is": [criterion.note for criterion in each],
    }
    return table(columns)
