"""Selection of variables: scores of subsets, searches, and the stability of the choice."""
