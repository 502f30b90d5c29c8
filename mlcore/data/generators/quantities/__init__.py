"""Rows with a quantity to predict, or a dependence to find."""
