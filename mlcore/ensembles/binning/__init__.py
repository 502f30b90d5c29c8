"""Values put into the bins of their columns."""
