"""A shared run: opened by its link, repeated, compared with what was stored; or deleted."""

from ui.runs.shared import shared_page

shared_page()
