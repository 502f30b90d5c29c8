"""The report of a stability of maps: whether the map comes again, how far rows move, the method."""

from __future__ import annotations

from figures.options import Look
from figures.standalone import document, tag
from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.runs.kinds import kind_of
from mlcore.runs.redrawing.redrawn import RESIDUAL, STAYING, Redrawn, verdict
from service.report import NO_LOOK, heading, method_card, picture, repeating, steps_list


def of_maps(redrawn: Redrawn, dataset: Dataset, link: str = "", look: Look = NO_LOOK) -> str:
    """The report, as HTML; `link` leads back to it, `look` says how its pictures are looked at."""
    run, entries = redrawn.run, views()
    title = f"Stability of {run.method.title()} on {kind_of(run).on(run)}"
    offered = {"redrawn": redrawn, "dataset": dataset}
    chosen = look.options.get("map_movement")
    return document(
        title,
        *heading(title, run, link),
        tag("div", tag("p", verdict(redrawn)), class_="score"),
        picture(entries["map_movement"], chosen, **offered),
        picture(entries["map_agreement"], **offered),
        *(tag("p", f"{each.title}: {each.note}") for each in (RESIDUAL, STAYING)),
        tag("h2", "Method"),
        *method_card(run.method),
        steps_list(run.preparation),
        *repeating(run, redrawn.versions),
        mark=run.digest(),
    )
