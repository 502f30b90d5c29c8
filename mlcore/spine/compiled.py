"""Whether every loop is compiled already: known from a stamp, before numpy or numba is imported.

Loading all that is compiled takes as long as a page; the stamp takes the time to read our sources.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
# Beside what numba keeps: in a folder of its own where the sources may not be written to.
STAMP = Path(os.environ.get("NUMBA_CACHE_DIR") or PACKAGE / "__pycache__") / "compiled.json"
COMPILERS = ("numba", "llvmlite", "numpy")
# What Linux says of a processor and numba asks when it looks for code that was kept.
OF_A_PROCESSOR = ("vendor_id", "model name", "flags", "CPU implementer", "CPU part", "Features")


def is_compiled() -> bool:
    """Whether the stamp tells of these sources, compilers and processor, and no file is gone."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
        return stamp["of"] == digest() and stamp["files"] == _times_and_sizes(stamp["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return False  # there is no stamp, or no whole one, or it tells of files that are gone


def leave_stamp(files: Iterable[Path]) -> None:
    """Note that everything is compiled, in these files; OSError where nothing may be written."""
    stamp = json.dumps({"of": digest(), "files": _times_and_sizes(map(str, files))})
    STAMP.parent.mkdir(parents=True, exist_ok=True)
    own = STAMP.with_suffix(f".{os.getpid()}")  # two servers of a machine may compile at once
    own.write_text(stamp, encoding="utf-8")
    own.replace(STAMP)


def digest() -> str:
    """SHA-256 of all that decides what is compiled, and whether a cache of it is used again."""
    checksum = sha256(repr((sys.version, [version(name) for name in COMPILERS])).encode())
    # Several checkouts may keep what they compile in one folder.
    checksum.update(repr((_settings(), _processor(), str(PACKAGE))).encode())
    for file in sorted(PACKAGE.rglob("*.py")):
        checksum.update(f"{file.relative_to(PACKAGE).as_posix()}\n".encode())
        # Numba knows a source by its time and size; the others decide what it is called with.
        stamp = repr(_time_and_size(file)).encode() if file.name == "_kernels.py" else b""
        checksum.update(stamp + file.read_bytes())
    return checksum.hexdigest()


def _times_and_sizes(files: Iterable[str]) -> dict[str, list[int]]:
    """Each file with its size and time."""
    return {file: _time_and_size(Path(file)) for file in files}


def _time_and_size(file: Path) -> list[int]:
    status = file.stat()
    return [status.st_size, status.st_mtime_ns]


def _settings() -> list[tuple[str, str]]:
    """What the environment says to numba; the number of threads changes no code."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    settings.pop("NUMBA_NUM_THREADS", None)
    return sorted(settings.items())


def _processor() -> list[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    except OSError:  # no Linux
        return [platform.machine(), platform.processor()]
    return [line for line in lines if line.startswith(OF_A_PROCESSOR)]
