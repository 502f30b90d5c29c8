"""One module an area, each with `PAIRS`: a list of what is measured.

A module may name in `INTELEX` the rows that are measured beside scikit-learn-intelex as well.
"""
