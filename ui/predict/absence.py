"""What it costs that new rows lack a column: what permutation importance said of it, if asked."""

from __future__ import annotations

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.explaining.importance import TOGETHER, Importances
from mlcore.runs.run import Run
from mlcore.spine.wording import count, in_sentence, rough
from ui.runs import running


def costs_of(run: Run, dataset: Dataset) -> dict[str, str]:
    """By variable, a sentence; of none before importance was computed on all folds of this run.

    Nothing is asked here: it would cost as much as the run itself.
    """
    outcome = running.last_of("explain.importance")
    if outcome is None or outcome.run.run() != run or len(outcome.answered) < outcome.planned:
        return {}
    importances: Importances | None = outcome.joined
    if importances is None or importances.way == TOGETHER:  # of several variables at once
        return {}
    return {
        dataset.columns[j].name: _cost(importances, at)
        for at, members in enumerate(importances.members)
        for j in members
    }


def _cost(importances: Importances, at: int) -> str:
    mean, sd = float(importances.mean[at]), float(importances.sd[at])
    title, where = (
        in_sentence(importances.metric.title),
        f"on {count(importances.n_rows, 'row')} left out",
    )
    if mean <= 0:
        return f"the model uses it; shuffled, {title} is no worse {where}"
    spread = f" ± {rough(sd)}" if np.isfinite(sd) else ""
    return f"the model uses it; shuffled, {title} is {rough(mean, sd)}{spread} worse {where}"
