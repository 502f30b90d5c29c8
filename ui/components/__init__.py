"""What Streamlit has no widget for: the picture."""
