"""Graphs of rows for spectral clustering, and labels from their eigenvectors."""
