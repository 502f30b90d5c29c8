"""Trees of merges: how far apart two clusters are, and where a tree is cut."""
