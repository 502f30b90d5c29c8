"""Settings that all methods of trees have, each with the default that suits the method."""

from __future__ import annotations

from typing import Any

from mlcore.spine.params import integer, part


def max_depth_of(default: int, *, soft: tuple[int, int] = (0, 20)) -> Any:
    """The declared setting of the length of the longest walk; 0 is no limit."""
    return integer(
        default,
        low=0,
        soft=soft,
        label="Maximum depth",
        doc="Questions between the root of a tree and a leaf; 0 is no limit.",
    )


def max_leaf_nodes_of(
    default: int, *, soft: tuple[int, int] = (0, 64), advanced: bool = False
) -> Any:
    """The declared setting of the number of leaves; 0 is no limit, 1 is refused."""
    return integer(
        default,
        low=0,
        soft=soft,
        label="Maximum leaves",
        doc="Leaves at which a tree ends; the best splits are made first. 0 is no limit.",
        advanced=advanced,
    )


def min_samples_leaf_of(default: int, *, more: str = "") -> Any:
    """The declared setting of the rows on each side of a split; `more` ends its help."""
    return integer(
        default,
        low=1,
        soft=(1, 50),
        symbol=r"n_{\min}",
        label="Minimum rows in a leaf",
        doc=f"Each side of a split has so many rows{more}.",
    )


def max_features_of(default: str) -> Any:
    """The declared setting, a part of the slot `feature_draw`; by default the one of that name."""
    return part(
        default,
        slot="feature_draw",
        symbol="m",
        label="Features per split",
        doc="How many columns are drawn for each split; fewer make trees more different.",
    )


def too_few_leaves(title: str, max_leaf_nodes: int) -> str | None:
    """Why so few leaves are refused, as a sentence; None where they are enough."""
    if max_leaf_nodes == 1:
        return f"{title} needs max_leaf_nodes of at least 2, or 0 for no limit."
    return None
