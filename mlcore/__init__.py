"""Machine-learning methods that can be watched, compared and repeated; on numpy, scipy and numba.

A run is data: `mlcore.run` says what is done, `mlcore.carry` does it. Methods are found through the
catalogue in `mlcore.component`; importing this package imports none of them.
"""

__version__ = "0.1.0"
