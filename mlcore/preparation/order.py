"""In which order preparation steps stand, and what is lost where they stand in another."""

from __future__ import annotations

from mlcore.component import Component
from mlcore.listing import function

# What each step does; steps that are not named here may stand anywhere.
KINDS = {
    "impute": "fill", "gaussian_imputer": "fill",
    "one_hot": "encode", "ordinal": "encode", "count_vectorizer": "encode",
    "outlier_clipper": "clip",
    "standardise": "scale", "min_max": "scale", "quantile_transformer": "scale",
    "whitening": "project", "reduce": "project",
    "univariate_filter": "select", "embedded_selector": "select", "subset_selector": "select",
    "balancer": "resample", "outlier_remover": "resample", "augmenter": "resample",
}  # fmt: skip
# What had better stand first, what behind it, and why.
RULES = (
    ("fill", "select", "variables are then judged by the rows that happen to have a value"),
    ("fill", "resample", "what fills the gaps is then learned from rows that were resampled"),
    ("fill", "project", "directions need rows without gaps"),
    ("encode", "select", "columns of names are then judged by codes, whose order means nothing"),
    ("encode", "project", "directions then mix codes of names with quantities"),
    ("clip", "scale", "the remote values have stretched the scale by then"),
    ("scale", "project", "the directions are then ruled by the column with the largest unit"),
    ("scale", "resample", "centers and spreads are then those of resampled rows"),
    ("select", "resample", "variables are then chosen by rows that were resampled"),
)


@function("order_remarks", title="Order of preparation steps", sources=("cs1:scale_pipeline",))
def order_remarks(steps: tuple[Component, ...]) -> tuple[str, ...]:
    """A sentence for every two steps that had better stand the other way round.

    The usual order is: fill in, encode, clip, scale, project, select, resample. Steps may stand in
    any order; what is questionable about theirs is said.
    """
    found = []
    for at, later in enumerate(steps):
        for earlier in steps[:at]:
            pair = KINDS.get(later.card.name), KINDS.get(earlier.card.name)
            why = [why for first, behind, why in RULES if pair == (first, behind)]
            found += [
                f"{later.title()} stands behind {earlier.title().lower()}: {reason}. "
                "Move it forward, unless that is meant."
                for reason in why
            ]
    return tuple(found)
