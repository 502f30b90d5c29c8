"""Our methods against their peers; `python -m benchmarks` measures them."""

import os

from mlcore.spine.threads import thread_settings

THREADS = 2
# Before numpy is imported: both sides of every pair have the same threads.
os.environ.update(thread_settings(THREADS))
