"""Where the bundled tables lie."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
NAME = "sample_data"
# In the wheel they lie within mlcore, in the repository beside it.
FOLDER = PACKAGE / NAME if (PACKAGE / NAME).is_dir() else PACKAGE.parent / NAME
