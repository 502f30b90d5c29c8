"""A page with one of Streamlit's own charts, against which loading our pictures is measured."""

import plotly.graph_objects as go
import streamlit as st

st.plotly_chart(go.Figure(go.Scatter(y=[1, 3, 2])))
