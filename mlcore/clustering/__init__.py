"""Groups in rows."""

ENTRIES: dict[str, dict[str, str]] = {
    "clustering": {
        "kmeans": "mlcore.clustering.kmeans:KMeans",
        "dbscan": "mlcore.clustering.dbscan:DBSCAN",
    },
    "centers": {
        "plus_plus": "mlcore.clustering.starts:PlusPlus",
        "random": "mlcore.clustering.starts:RandomRows",
        "box": "mlcore.clustering.starts:Box",
        "partition": "mlcore.clustering.starts:Partition",
        "farthest": "mlcore.clustering.starts:Farthest",
        "pca": "mlcore.clustering.starts:PrincipalAxes",
        "given": "mlcore.clustering.starts:GivenPoints",
    },
}
