"""What is done to a table before anything is learned from it: steps in a list, each declared.

No step learns from the data: what it does to a row is said by its settings, so it may come before
the split. `group_rows` changes what a row is, and says so.
"""

from mlcore.data.steps.applying import Applied, applied
from mlcore.data.steps.new_rows import AS_THEY_COME, NewRows, new_rows
from mlcore.data.steps.step import Rows, TableStep

__all__ = ["AS_THEY_COME", "Applied", "NewRows", "Rows", "TableStep", "applied", "new_rows"]
