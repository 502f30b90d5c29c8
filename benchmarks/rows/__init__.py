"""One module an area, each with `PAIRS`: a list of what is measured."""
