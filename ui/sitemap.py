"""The pages: their groups, titles, and the words by which a search finds them."""

from __future__ import annotations

from mlcore.spine.records import Record


def _page(name: str, title: str, summary: str, *synonyms: str) -> Record:
    return Record("page", name, title, "page", summary=summary, page=name, synonyms=synonyms)


GROUPS = {
    "": (
        _page("start", "Start", "Bring data, see a first fit, open a lesson.", "home", "lessons"),
        _page(
            "data", "Data", "Choose or bring a table; its columns, findings and pictures.",
            "upload", "import", "csv", "exploratory data analysis", "EDA", "data sets",
            "data quality", "missing data",
        ),
        _page(
            "preprocessing", "Preprocessing", "Steps that are fitted inside the training rows.",
            "data preparation", "feature engineering", "transformers", "pipeline", "cleaning",
        ),
        _page("methods", "All methods", "The index of everything.", "index", "catalogue", "search"),
        _page("shared", "Shared run", "A run that somebody shared by a link."),
    ),
    "Learn": (
        _page(
            "dimensionality_reduction", "Dimensionality reduction",
            "Few coordinates that keep what matters of many columns.",
            "projection", "embedding", "manifold learning", "feature extraction", "decomposition",
        ),
        _page(
            "clustering", "Clustering", "Groups of rows that are alike, without labels.",
            "cluster analysis", "unsupervised learning", "segmentation",
        ),
        _page(
            "classification", "Classification", "Predict a class.",
            "supervised learning", "classifier", "pattern recognition", "discriminant analysis",
        ),
        _page(
            "regression", "Regression", "Predict a quantity.",
            "supervised learning", "curve fitting", "regressor", "prediction of quantities",
        ),
        _page(
            "kernels", "Kernels", "Support vector machines and the kernels they see by.",
            "kernel methods", "kernel trick", "support vector machine", "SVM", "Gram matrix",
        ),
        _page(
            "neural_networks", "Neural networks", "Layers of units that learn before your eyes.",
            "deep learning", "perceptron", "connectionism", "layers", "neurons",
        ),
        _page(
            "sequences", "Sequences", "What follows what, and which hidden state is behind it.",
            "Markov models", "time series segmentation", "state space", "temporal data",
        ),
    ),
    "Decide": (
        _page(
            "sequential_decision_making", "Sequential decision making",
            "Bandits, planning and reinforcement learning.",
            "reinforcement learning", "RL", "multi-armed bandit", "Markov decision process", "MDP",
            "dynamic programming", "Gymnasium",
        ),
    ),
    "Judge": (
        _page(
            "compare", "Compare", "Several methods on the same folds, and which is better.",
            "model comparison", "model selection", "benchmark", "significance test",
            "statistical test",
        ),
        _page(
            "runs", "Runs", "The runs of this session: settings, scores, what came from what.",
            "history", "experiment tracking", "experiments", "results", "notes", "lineage",
        ),
    ),
}  # fmt: skip


def pages() -> tuple[Record, ...]:
    """Every page."""
    return tuple(page for group in GROUPS.values() for page in group)
