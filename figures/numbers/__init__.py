"""What is computed only to be drawn: planes, grids, bins, outlines."""
