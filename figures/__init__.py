"""Pictures: results in, Plotly figures out. Nothing here knows Streamlit."""

# Plotly takes pandas as it finds it, and finds it half imported where two first visitors come at
# once: from here on it is whole.
import pandas  # noqa: F401
