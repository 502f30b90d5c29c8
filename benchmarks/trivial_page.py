"""The least that a Streamlit page with a slider and a chart can be: what our pages are held to."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

k = st.sidebar.slider("Number", 1, 100, 1)
x, y = np.random.default_rng(k).normal(size=(2, 150))
st.title("A page")
st.plotly_chart(go.Figure(go.Scatter(x=x, y=y, mode="markers")))
