"""Runs as pure data, how each kind is carried out, and what came of it."""

ENTRIES = {
    "run": {
        "run": "mlcore.runs.run:Run",
        "comparison": "mlcore.runs.run:Comparison",
        "trial": "mlcore.runs.run:Trial",
        "lab": "mlcore.runs.run:LabRun",
        "tuning": "mlcore.runs.tuning.tuning:Tuning",
        "cluster_count": "mlcore.runs.counting.cluster_count:ClusterCount",
        "map_stability": "mlcore.runs.redrawing.map_stability:MapStability",
        "prediction": "mlcore.runs.predicting.prediction:Prediction",
        "explanation": "mlcore.runs.explaining.explanation:Explanation",
    },
    "question": {
        "importance": "mlcore.runs.explaining.importance:Importance",
        "effect": "mlcore.runs.explaining.effect:Effect",
        "shapley": "mlcore.runs.explaining.contributions:Contributions",
        "shapley_rows": "mlcore.runs.explaining.contributions_of_rows:ContributionsOfMany",
        "what_if": "mlcore.runs.explaining.what_if:WhatIf",
        "slices": "mlcore.runs.explaining.slices:SlicesQuestion",
        "fairness": "mlcore.runs.explaining.fairness:FairnessQuestion",
    },
    "explained": {"explained": "mlcore.runs.explaining.explained:Explained"},
    "pipeline": {"pipeline": "mlcore.runs.run:Pipeline"},
    "search": {
        "grid_search": "mlcore.runs.tuning.search:GridSearch",
        "randomized_search": "mlcore.runs.tuning.search:RandomizedSearch",
    },
}

FUNCTION_MODULES = (
    "mlcore.runs.carry_count",
    "mlcore.runs.carry_redrawing",
    "mlcore.runs.comparing.one_split",
    "mlcore.runs.comparing.pairs",
    "mlcore.runs.curves",
    "mlcore.runs.tuning.tuning",
)
