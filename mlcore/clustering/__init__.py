"""Groups in rows."""

ENTRIES: dict[str, dict[str, str]] = {
    "clustering": {
        "kmeans": "mlcore.clustering.kmeans:KMeans",
        "soft_kmeans": "mlcore.clustering.soft_kmeans:SoftKMeans",
        "kernel_kmeans": "mlcore.clustering.kernel_kmeans:KernelKMeans",
        "online_kmeans": "mlcore.clustering.online_kmeans:OnlineKMeans",
        "som": "mlcore.clustering.som:SelfOrganisingMap",
        "mean_shift": "mlcore.clustering.mean_shift:MeanShift",
        "spectral_clustering": "mlcore.clustering.spectral_clustering:SpectralClustering",
        "dbscan": "mlcore.clustering.dbscan:DBSCAN",
        "hdbscan": "mlcore.clustering.hdbscan:HDBSCAN",
        "gaussian_mixture": "mlcore.clustering.gaussian_mixture:GaussianMixture",
        "agglomerative": "mlcore.clustering.agglomerative:Agglomerative",
        "kernel_density": "mlcore.clustering.kernel_density:KernelDensity",
    },
    "reduction": {
        "som": "mlcore.clustering.som:SelfOrganisingMap",
    },
    "scorer": {
        "kernel_density": "mlcore.clustering.kernel_density:KernelDensity",
        "gaussian_mixture": "mlcore.clustering.gaussian_mixture:GaussianMixture",
    },
    "bandwidth": {
        "leave_one_out": "mlcore.clustering.density.bandwidths:LeaveOneOut",
        "cross_validated": "mlcore.clustering.density.bandwidths:CrossValidated",
        "scott": "mlcore.clustering.density.bandwidths:Scott",
        "silverman": "mlcore.clustering.density.bandwidths:Silverman",
        "fixed_width": "mlcore.clustering.density.bandwidths:FixedWidth",
    },
    "affinity": {
        "neighbour_affinity": "mlcore.clustering.spectral.affinities:NeighbourAffinity",
        "kernel_affinity": "mlcore.clustering.spectral.affinities:KernelAffinity",
    },
    "spectral_labels": {
        "kmeans_labels": "mlcore.clustering.spectral.assignments:KMeansLabels",
        "rotated_labels": "mlcore.clustering.spectral.assignments:RotatedLabels",
    },
    "reach": {
        "quantile_reach": "mlcore.clustering.density.reaches:QuantileReach",
        "held_out_reach": "mlcore.clustering.density.reaches:HeldOutReach",
        "given_reach": "mlcore.clustering.density.reaches:GivenReach",
    },
    "linkage": {
        "ward": "mlcore.clustering.hierarchy.linkages:Ward",
        "single": "mlcore.clustering.hierarchy.linkages:Single",
        "complete": "mlcore.clustering.hierarchy.linkages:Complete",
        "average": "mlcore.clustering.hierarchy.linkages:Average",
        "weighted": "mlcore.clustering.hierarchy.linkages:Weighted",
        "centroid": "mlcore.clustering.hierarchy.linkages:Centroid",
        "median": "mlcore.clustering.hierarchy.linkages:Median",
        "cost": "mlcore.clustering.hierarchy.linkages:Cost",
    },
    "merge_start": {
        "rows": "mlcore.clustering.hierarchy.merge_starts:SingleRows",
        "kmeans": "mlcore.clustering.hierarchy.merge_starts:KMeansGroups",
        "column": "mlcore.clustering.hierarchy.merge_starts:ColumnGroups",
    },
    "tree_cut": {
        "number": "mlcore.clustering.hierarchy.cuts:AtNumber",
        "height": "mlcore.clustering.hierarchy.cuts:AtHeight",
    },
    "centers": {
        "plus_plus": "mlcore.clustering.starts:PlusPlus",
        "random": "mlcore.clustering.starts:RandomRows",
        "box": "mlcore.clustering.starts:Box",
        "partition": "mlcore.clustering.starts:Partition",
        "farthest": "mlcore.clustering.starts:Farthest",
        "splitting": "mlcore.clustering.starts:Splitting",
        "pca": "mlcore.clustering.starts:PrincipalAxes",
        "given": "mlcore.clustering.starts:GivenPoints",
    },
    "membership": {
        "gibbs": "mlcore.clustering.memberships:Gibbs",
        "fuzzy": "mlcore.clustering.memberships:Fuzzy",
        "harmonic": "mlcore.clustering.memberships:Harmonic",
        "hard": "mlcore.clustering.memberships:Hard",
    },
    "lattice": {
        "grid": "mlcore.clustering.quantisation.lattices:Grid",
        "hexagonal_grid": "mlcore.clustering.quantisation.lattices:HexagonalGrid",
        "chain": "mlcore.clustering.quantisation.lattices:Chain",
        "ring": "mlcore.clustering.quantisation.lattices:Ring",
    },
    "neighbourhood": {
        "gaussian_neighbourhood": "mlcore.clustering.quantisation.neighbourhoods:Gaussian",
        "triangular_neighbourhood": "mlcore.clustering.quantisation.neighbourhoods:Triangular",
        "inverse_neighbourhood": "mlcore.clustering.quantisation.neighbourhoods:Inverse",
        "indicator_neighbourhood": "mlcore.clustering.quantisation.neighbourhoods:Indicator",
    },
    "map_radius": {
        "shrinking_radius": "mlcore.clustering.quantisation.radii:ShrinkingRadius",
        "staged_radius": "mlcore.clustering.quantisation.radii:StagedRadius",
    },
    "map_learning": {
        "online_learning": "mlcore.clustering.quantisation.learning:OnlineLearning",
        "batch_learning": "mlcore.clustering.quantisation.learning:BatchLearning",
    },
    "mixture_start": {
        "kmeans": "mlcore.clustering.mixture_starts:KMeansGroups",
        "points": "mlcore.clustering.mixture_starts:Points",
        "mean_noise": "mlcore.clustering.mixture_starts:MeanNoise",
        "random_shares": "mlcore.clustering.mixture_starts:RandomShares",
        "given": "mlcore.clustering.mixture_starts:GivenParameters",
    },
}
