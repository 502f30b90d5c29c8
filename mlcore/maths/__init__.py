"""Mathematics that any family may use: arrays in, arrays out, nothing of the catalogue."""
