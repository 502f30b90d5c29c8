"""Classification: choose a method, move its knobs, see its pictures and scores, step through it."""

from ui.method_page import Page, method_page

PICTURES = (
    "label_flow", "query_order", "accuracy_vs_labels",
    "decision_regions", "confusion_heatmap", "pairwise_boundaries", "code_matrix", "tree_diagram",
    "roc", "pr", "coefficients", "importances", "embedding_scatter", "objective_trace",
)  # fmt: skip

method_page(Page("classification", "Classification", "classification", "logistic", PICTURES))
