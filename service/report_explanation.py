"""The report of an explanation: its pictures, the data, the method, and how to repeat it."""

from __future__ import annotations

from figures.options import Look
from figures.standalone import document, tag
from figures.view import views, views_on
from mlcore.data.dataset import Dataset
from mlcore.runs.carry_explanation import ExplanationOutcome
from service.report import NO_LOOK, data_card, heading, method_card, picture, repeating


def of_explanation(
    outcome: ExplanationOutcome, dataset: Dataset, link: str = "", look: Look = NO_LOOK
) -> str:
    """The report, as HTML; `link` leads back, `look` says how the pictures are looked at."""
    run, entries = outcome.run, views()
    title = f"{run.method.title()} on {dataset.name}, {run.question.about()}"
    offered = {"explanation": outcome, "dataset": dataset}
    return document(
        title,
        *heading(title, run, link),
        tag("p", f"By {len(outcome.answered)} of {outcome.planned} models.", class_="quiet"),
        *(picture(entries[n], look.options.get(n), **offered) for n in pictures_of(outcome)),
        *data_card(dataset, run),
        tag("h2", "Question"),
        *method_card(run.question),
        tag("h2", "Method"),
        *method_card(run.method),
        *repeating(run, outcome.versions),
        mark=run.digest(),
    )


def pictures_of(outcome: ExplanationOutcome) -> tuple[str, ...]:
    """The pictures of what was asked, that of a pair only where there is one."""
    if outcome.joined is None:
        return ()
    about = outcome.run.question.card.name
    has_pair = about == "effect" and outcome.joined.pair is not None
    names = views_on(about)
    return tuple(name for name in names if name != "effect_pair" or has_pair)
