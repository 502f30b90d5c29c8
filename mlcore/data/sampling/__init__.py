"""Random samples: of rows, from a density, from a generator."""
