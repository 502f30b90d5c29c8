"""Measures, splits, intervals and tests: of arrays, knowing nothing of runs."""

ENTRIES = {
    "splits": {
        "k_fold": "mlcore.evaluation.splits:KFold",
        "leave_one_out": "mlcore.evaluation.splits:LeaveOneOut",
        "hold_out": "mlcore.evaluation.splits:HoldOut",
        "shuffle_split": "mlcore.evaluation.splits:ShuffleSplit",
        "bootstrap_split": "mlcore.evaluation.bootstrap_split:BootstrapSplit",
        "time_series_split": "mlcore.evaluation.time_series_split:TimeSeriesSplit",
    },
    "scoring": {
        "classification_scores": "mlcore.evaluation.scoring:ClassificationScores",
        "regression_scores": "mlcore.evaluation.scoring:RegressionScores",
        "distortion": "mlcore.evaluation.scoring:Distortion",
        "stress": "mlcore.evaluation.map_scores:Stress",
        "map_neighbours": "mlcore.evaluation.map_neighbours:MapNeighbours",
        "log_likelihood": "mlcore.evaluation.scoring:LogLikelihood",
        "reconstruction": "mlcore.evaluation.scoring:Reconstruction",
        "negentropy": "mlcore.evaluation.map_scores:Negentropy",
        "predictive_scores": "mlcore.evaluation.predictive_scores:PredictiveScores",
        "output_scores": "mlcore.evaluation.output_scores:OutputScores",
        "neighbour_scores": "mlcore.evaluation.neighbour_scores:NeighbourScores",
        "stability": "mlcore.evaluation.group_scores:Stability",
        "silhouette": "mlcore.evaluation.group_scores:Silhouette",
        "noise_share": "mlcore.evaluation.group_scores:NoiseShare",
        "novelty_scores": "mlcore.evaluation.novelty_scores:NoveltyScores",
    },
    "baseline": {
        "mean_row": "mlcore.evaluation.baselines:MeanRow",
        "first_columns": "mlcore.evaluation.baselines:FirstColumns",
        "same_rows": "mlcore.evaluation.baselines:SameRows",
        "groups_by_chance": "mlcore.evaluation.baselines:GroupsByChance",
        "mean_distance": "mlcore.evaluation.baselines:MeanDistance",
    },
}

FUNCTION_MODULES = (
    "mlcore.evaluation.comparing.bayes",
    "mlcore.evaluation.comparing.five_by_two",
    "mlcore.evaluation.comparing.friedman",
    "mlcore.evaluation.comparing.holm",
    "mlcore.evaluation.comparing.mcnemar",
    "mlcore.evaluation.comparing.nemenyi",
    "mlcore.evaluation.comparing.paired",
    "mlcore.evaluation.comparing.wilcoxon",
    "mlcore.evaluation.intervals",
    "mlcore.evaluation.metrics.by_class",
    "mlcore.evaluation.metrics.classes",
    "mlcore.evaluation.metrics.groups",
    "mlcore.evaluation.metrics.numbers",
    "mlcore.evaluation.metrics.ranking",
    "mlcore.evaluation.parts",
)
