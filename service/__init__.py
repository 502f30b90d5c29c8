"""Carrying runs out safely for many people: workers, jobs, limits, results. No Streamlit here."""
