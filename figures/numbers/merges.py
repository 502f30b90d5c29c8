"""A tree of merges laid out: the last merges, their feet side by side in the order of the tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

MOST_MERGES = 200  # that are drawn: more feet than pixels would stand side by side


class Layout(NamedTuple):
    """The last m merges of n rows, with a foot for each of the m + 1 clusters below them."""

    first: int  # number of the first merge that is drawn
    x: np.ndarray  # (m,) middle of each
    feet: np.ndarray  # (m, 2) where its two legs stand
    low: np.ndarray  # (m, 2) heights at which they end
    heights: np.ndarray  # (m,)
    foot_sizes: np.ndarray  # (m + 1,) rows of each foot, from left to right
    foot_nodes: np.ndarray  # (m + 1,) its number in the tree


def laid_out(fit: Any, most: int = MOST_MERGES) -> Layout:
    """The places of the last merges of a tree."""
    n, m = len(fit.heights) + 1, min(fit.n_groups - 1, most)
    first = n - 1 - m
    nodes = _in_order(fit.children, n, first)
    sizes = np.concatenate([np.ones(n, dtype=np.int64), fit.sizes])
    every = np.concatenate([np.zeros(n), fit.heights])
    place = np.full(2 * n - 1, np.nan)
    place[nodes] = np.arange(len(nodes))
    feet = np.empty((m, 2))
    for k, pair in enumerate(fit.children[first:]):
        feet[k] = np.sort(place[pair])
        place[n + first + k] = feet[k].mean()
    children = fit.children[first:]
    left_first = place[children[:, 0]] <= place[children[:, 1]]
    low = np.where(left_first[:, None], every[children], every[children[:, ::-1]])
    return Layout(
        first, feet.mean(axis=1), feet, low, fit.heights[first:].copy(), sizes[nodes], nodes
    )


def _in_order(children: np.ndarray, n: int, first: int) -> np.ndarray:
    """The clusters below merge `first` on, from left to right, the earlier made part first."""
    pending, feet = [2 * n - 2], []
    while pending:
        node = pending.pop()
        if node < n + first:
            feet.append(node)
        else:
            a, b = children[node - n]
            pending += [int(b), int(a)]
    return np.array(feet)


def members(children: np.ndarray, nodes: np.ndarray) -> list[np.ndarray]:
    """The rows of each of these clusters."""
    n = len(children) + 1
    rows = []
    for node in nodes:
        pending, own = [int(node)], []
        while pending:
            at = pending.pop()
            if at < n:
                own.append(at)
            else:
                pending += children[at - n].tolist()
        rows.append(np.array(sorted(own)))
    return rows


def spans(heights: np.ndarray, most: int) -> np.ndarray:
    """Between which heights a cut leaves k clusters, k = 1 .. `most`, shape (most, 2).

    Cuts go by the order of merges, so a merge lower than one before it leaves an empty span.
    """
    n = len(heights) + 1
    highest = np.maximum.accumulate(heights)
    top = float(highest[-1]) if n > 1 else 0.0
    bounds = np.concatenate([[min(0.0, *heights[:1])], highest, [1.05 * top or 1.0]])
    k = np.arange(1, min(most, n) + 1)
    return np.column_stack([bounds[n - k], bounds[n - k + 1]])
