"""Is one method better than another, or is it luck? Tests on folds, on rows, and over tables."""
