"""Vector quantisation by moving prototypes: rates, lattices, neighbourhoods and their loops."""
