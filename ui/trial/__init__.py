"""The page of trials: agents and planners in a world."""
