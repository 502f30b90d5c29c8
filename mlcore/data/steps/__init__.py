"""What is done to a table before anything is learned from it: steps in a list, each declared.

No step learns from the data: what it does to a row is said by its settings, so it may come before
the split. `group_rows` changes what a row is, and says so.
"""

from mlcore.data.steps.applying import Applied, applied, taken_by_new_rows
from mlcore.data.steps.step import Rows, TableStep

__all__ = ["Applied", "Rows", "TableStep", "applied", "taken_by_new_rows"]
