"""Kernels: choose a method and a kernel, see its margin, its Gram matrix and its solver."""

from ui.method.page import Page, method_page

method_page(Page("kernels", "Kernels", "kernel_methods", "svc"))
