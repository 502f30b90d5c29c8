"""Kernels: choose a method and a kernel, see its street, its Gram matrix and its solver."""

from ui.method_page import Page, method_page

PICTURES = (
    "margin_lines", "alpha_bars", "decision_regions", "gram_heatmap", "gram_spectrum",
    "confusion_heatmap", "objective_trace",
)  # fmt: skip

method_page(Page("kernels", "Kernels", "kernel_methods", "svc", PICTURES))
