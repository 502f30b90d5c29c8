"""Measures of how good predictions are: functions of arrays, nothing is fitted here.

A measure that the rows leave undefined (a class without rows, a constant target) is NaN.
"""
