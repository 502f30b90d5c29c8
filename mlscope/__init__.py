"""The command `mlscope`; in a wheel this package holds the dashboard too."""
