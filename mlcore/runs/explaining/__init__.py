"""Questions about what a run predicts, each answered fold by fold on the rows left out."""
