"""The list of pages and the shared frame; nothing else."""

import streamlit as st

from ui.frame import framed

PAGES = {
    "": [
        st.Page("pages/start.py", title="Start", url_path="start", default=True),
        st.Page("pages/data.py", title="Data", url_path="data"),
        st.Page("pages/preprocessing.py", title="Preprocessing", url_path="preprocessing"),
        st.Page("pages/methods.py", title="All methods", url_path="methods"),
        st.Page("pages/shared.py", title="Shared run", url_path="shared", visibility="hidden"),
    ],
    "Learn": [
        st.Page(
            "pages/dimensionality_reduction.py",
            title="Dimensionality reduction",
            url_path="dimensionality_reduction",
        ),
        st.Page("pages/clustering.py", title="Clustering", url_path="clustering"),
        st.Page("pages/classification.py", title="Classification", url_path="classification"),
        st.Page("pages/regression.py", title="Regression", url_path="regression"),
        st.Page("pages/kernels.py", title="Kernels", url_path="kernels"),
    ],
    "Decide": [
        st.Page(
            "pages/sequential_decision_making.py",
            title="Sequential decision making",
            url_path="sequential_decision_making",
        ),
    ],
    "Judge": [
        st.Page("pages/compare.py", title="Compare", url_path="compare"),
    ],
}

framed(st.navigation(PAGES, position="top"))
