"""All methods: the entries and what is derived of them, facets, orders, rows, the address."""
