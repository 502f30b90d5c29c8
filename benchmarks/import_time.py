"""How long `import mlcore` takes in a fresh process: `python -m benchmarks.import_time`."""

from __future__ import annotations

import subprocess
import sys
from statistics import median

CODE = (
    "import time; t = time.perf_counter(); import mlcore.runs.run; print(time.perf_counter() - t)"
)


def seconds(repeats: int = 5) -> float:
    """Median over fresh processes of importing mlcore with its spine."""
    outputs = [subprocess.check_output([sys.executable, "-c", CODE]) for _ in range(repeats)]
    return median(float(text) for text in outputs)


if __name__ == "__main__":
    print(f"import mlcore: {seconds() * 1000:.0f} ms")
