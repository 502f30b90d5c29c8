"""Shared by all tests: the environment in which numbers are compared."""

from __future__ import annotations

import os

# Before numpy is imported: one thread, as the app and its workers have by default.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ.setdefault("MLSCOPE_THREADS", "1")
