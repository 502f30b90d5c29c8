"""The memory of the server's process, looked at in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Threads that hold memory at once take it from as many places as there may be.
TAKEN = """
import ctypes, sys, threading
import pyarrow as pa
from service import memory
memory.keep_together()
held = threading.Barrier(33)
def hold():
    mine = ctypes.create_string_buffer(1 << 16)
    held.wait()
threads = [threading.Thread(target=hold) for _ in range(32)]
for thread in threads: thread.start()
held.wait()
for thread in threads: thread.join()
assert pa.default_memory_pool().backend_name == "system"
library = ctypes.CDLL(None)
library.malloc_info(0, ctypes.c_void_p.in_dll(library, "stdout"))
library.fflush(None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of Linux tells its places")
def test_many_threads_take_memory_from_few_places():
    told = subprocess.run([sys.executable, "-c", TAKEN], capture_output=True, check=True, text=True)
    assert 1 <= told.stdout.count("<heap nr=") <= 2
