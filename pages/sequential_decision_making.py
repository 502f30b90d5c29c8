"""Sequential decision making: bandits, grid worlds, planning and learning side by side."""

from mlcore.runs.presets import trial_presets
from ui.trial.page import trial_page

trial_page(
    "sequential_decision_making",
    "Sequential decision making",
    "decisions",
    greeting=lambda: trial_presets("decisions")[0].run(),
)
