"""The small drawing of an entry: one a family, with variants, from `glyphs.svg` beside this."""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path
from xml.etree import ElementTree

from mlcore.spine.registry import slots_of

_SVG = "{http://www.w3.org/2000/svg}"
# Of methods that differ to the eye from the others of their family.
_OF_NAME = {
    "logistic": "odds", "calibrated_classifier": "odds", "lda": "ellipses", "qda": "shapes",
    "naive_bayes": "bells",
    "knn": "neighbours", "knn_regression": "neighbours", "nearest_mean": "centers",
    "label_propagation": "spread", "active_learning": "spread", "membership": "outlier",
    "adaboost": "boosting", "gradient_boosting": "boosting",
    "gradient_boosting_regression": "boosting", "voting": "votes", "stacking": "votes",
    "multiclass": "votes", "regression_tree": "stairs", "robust_regression": "far",
    "local_regression": "curve", "generalised_additive": "curve",
    "additive_logistic": "curve", "generalised_linear": "counts",
    "ridge": "path", "elastic_net": "path", "lars": "path", "kernel_ridge": "curve",
    "bayesian_linear": "band", "pcr": "components", "pls_regression": "components",
    "fast_ica": "waves", "isomap": "surface", "lle": "surface", "laplacian_eigenmaps": "surface",
    "mds": "map", "tsne": "map", "umap": "map", "supervised_umap": "map", "nmf": "parts",
    "kernel_pca": "matrix",
    "metric_learning": "ellipses", "fisher": "ellipses", "gaussian_mixture": "overlap",
    "soft_kmeans": "overlap", "agglomerative": "merges", "dbscan": "dense", "hdbscan": "dense",
    "mean_shift": "climb", "kernel_density": "hill", "spectral_clustering": "spread",
    "isolation_forest": "cuts", "svr": "tube", "nu_svr": "tube", "one_class_svm": "outlier",
    "hmm": "hidden", "standardise": "scale", "min_max": "scale", "whitening": "scale",
    "normalizer": "scale", "quantile_transformer": "scale", "impute": "fill",
    "gaussian_imputer": "fill", "one_hot": "codes", "ordinal": "codes", "discretizer": "codes",
    "count_vectorizer": "words", "subset_selector": "choose", "univariate_filter": "choose",
    "embedded_selector": "choose", "variance_threshold": "choose", "outlier_remover": "outlier",
    "outlier_clipper": "outlier", "perceptron": "classes",
    **dict.fromkeys(("action_value_bandit", "ucb", "thompson_sampling", "exp3", "linucb"), "arms"),
}  # fmt: skip
# Of what an entry can do, where its name says nothing: the first that it has.
_OF_CAPABILITY = {"HasTree": "tree", "HasMembers": "forest", "HasTerms": "line"}
_OF_FAMILY = {
    "classification": "classes", "regression": "line", "reduction": "components",
    "clustering": "centers", "novelty": "outlier", "svm": "margin", "gaussian_process": "band",
    "neural": "layers", "sequences": "chain", "preparation": "column",
    **dict.fromkeys(slots_of("agent"), "world"),
}  # fmt: skip
_OF_KIND = {"lab": "lab", "view": "view", "function": "function", "data": "data", "part": "part",
            "guide": "guide", "page": "guide"}  # fmt: skip


def glyph_of(kind: str, family: str, name: str, capabilities: frozenset[str]) -> str:
    """The name of the drawing of an entry."""
    if kind in _OF_KIND:
        return _OF_KIND[kind]
    if name in _OF_NAME:
        return _OF_NAME[name]
    by_capability = (g for capability, g in _OF_CAPABILITY.items() if capability in capabilities)
    return next(by_capability, _OF_FAMILY.get(family, "part"))


def place(glyph: str) -> str:
    """Where a drawing is to be on a page; the finder fills it, as Streamlit lets no SVG through."""
    return f'<i class="glyph" data-glyph="{escape(glyph)}" aria-hidden="true"></i>'


@cache
def drawings() -> dict[str, str]:
    """Every drawing as SVG, by name; the colours come from the style of the page."""
    root = ElementTree.parse(Path(__file__).with_name("glyphs.svg")).getroot()
    return {
        group.attrib["id"]: f'<svg viewBox="0 0 34 24">{_inside(group)}</svg>'
        for group in root.iter(f"{_SVG}g")
    }


def _inside(group: ElementTree.Element) -> str:
    """The marks of a drawing, without the name space: on a page it is that of the SVG around."""
    for mark in group:
        mark.tag = mark.tag.removeprefix(_SVG)
    return "".join(ElementTree.tostring(mark, encoding="unicode").strip() for mark in group)
