"""How many clusters: a method with several numbers of them, and criteria side by side."""
