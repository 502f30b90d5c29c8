"""All methods: the entries what is derived of them, facets, rows, and their orders."""
