"""Densities as sums of kernels: their shapes, and how wide they are."""
