"""Bridges to other libraries; imported only by those who have them installed."""
