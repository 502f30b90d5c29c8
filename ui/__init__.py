"""Streamlit lives here and in `pages`, nowhere else."""

from service.limits import hold_threads

# Before numpy is imported by anything below, or the bits of a result depend on who computes it.
hold_threads()
