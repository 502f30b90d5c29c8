"""What is usual, learned from rows without a target, and which new rows are not."""

ENTRIES: dict[str, dict[str, str]] = {
    "novelty": {
        "novelty_detector": "mlcore.novelty.novelty_detector:NoveltyDetector",
        "local_outlier_factor": "mlcore.novelty.local_outlier_factor:LocalOutlierFactor",
    },
    "scorer": {
        "neighbour_distance": "mlcore.novelty.neighbour_distance:NeighbourDistance",
    },
}
