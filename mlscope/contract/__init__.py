"""What MLScope asks of every method, for packages that bring methods of their own.

    python -m pytest --mlscope-package nearest-medoid

runs all of it for what an installed package adds; `plugin` is the plugin that knows this option.
"""
