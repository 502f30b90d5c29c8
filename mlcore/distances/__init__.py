"""How far apart rows are: metrics, dissimilarities, the nearest rows, and graphs of them."""

ENTRIES: dict[str, dict[str, str]] = {
    "metric": {
        "euclidean": "mlcore.distances.metrics:Euclidean",
        "manhattan": "mlcore.distances.metrics:Manhattan",
        "chebyshev": "mlcore.distances.metrics:Chebyshev",
        "minkowski": "mlcore.distances.metrics:Minkowski",
        "cosine": "mlcore.distances.metrics:Cosine",
        "hamming": "mlcore.distances.metrics:Hamming",
        "mahalanobis": "mlcore.distances.mahalanobis:Mahalanobis",
        "blurred_euclidean": "mlcore.distances.mapped_metrics:BlurredEuclidean",
        "kernel_distance": "mlcore.distances.mapped_metrics:KernelDistance",
        "precomputed": "mlcore.distances.given:Precomputed",
    },
    "neighbour_graph": {
        "knn_graph": "mlcore.distances.graphs:KNNGraph",
        "epsilon_graph": "mlcore.distances.graphs:EpsilonGraph",
        "gaussian_graph": "mlcore.distances.graphs:GaussianGraph",
    },
}

FUNCTION_MODULES = (
    "mlcore.distances.blurred",
    "mlcore.distances.dissimilarity",
    "mlcore.distances.neighbourhoods",
    "mlcore.distances.pairwise",
    "mlcore.distances.sequences",
)
