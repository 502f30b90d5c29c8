"""Pictures: results in, Plotly figures out. Nothing here knows Streamlit."""
