"""Machine-learning methods that can be watched, compared and repeated; on numpy, scipy and numba.

A run is data: `mlcore.runs.run` says what is done, `mlcore.runs.carry` does it. Methods are found
through `mlcore.spine.registry`; importing this package imports none of them.
"""

__version__ = "0.1.0"
