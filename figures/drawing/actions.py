"""Colours of the actions of a world: a hue for either side, grey for doing nothing between."""

from __future__ import annotations

from figures.theme import CLASS_COLORS, NO_CLASS

BLUE, ORANGE = CLASS_COLORS[0], CLASS_COLORS[1]
OF_ACTIONS = {2: (ORANGE, BLUE), 3: (ORANGE, NO_CLASS, BLUE)}  # by how many actions there are
