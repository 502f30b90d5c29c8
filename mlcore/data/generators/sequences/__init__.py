"""Rows in an order, texts, molecules and relations."""
