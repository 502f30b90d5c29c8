"""Intervals and label sets with a promised coverage around any method: of arrays, fits nothing.

Rows that were left out say how far a model may miss others. If rows come alike (are exchangeable),
a new one lies among them at any rank with the same probability; nothing else is assumed.
"""
