"""Maps to fewer dimensions."""

ENTRIES: dict[str, dict[str, str]] = {
    "reduction": {
        "pca": "mlcore.reduction.pca:PCA",
        "mds": "mlcore.reduction.mds:MDS",
        "kernel_pca": "mlcore.reduction.kernel_pca:KernelPCA",
        "tsne": "mlcore.reduction.tsne:TSNE",
        "umap": "mlcore.reduction.fuzzy.umap:UMAP",
        "supervised_umap": "mlcore.reduction.fuzzy.supervised:SupervisedUMAP",
        "isomap": "mlcore.reduction.isomap:Isomap",
        "lle": "mlcore.reduction.lle:LLE",
        "laplacian_eigenmaps": "mlcore.reduction.laplacian_eigenmaps:LaplacianEigenmaps",
        "metric_learning": "mlcore.reduction.metric_learning:MetricLearning",
        "cca": "mlcore.reduction.cca:CCA",
        "fisher": "mlcore.classification.fisher:Fisher",  # shares the scatter of lda
        "random_projection": "mlcore.reduction.random_projection:RandomProjection",
        "nmf": "mlcore.reduction.nmf:NMF",
        "fast_ica": "mlcore.reduction.fast_ica:FastICA",
        "probabilistic_pca": "mlcore.reduction.probabilistic_pca:ProbabilisticPCA",
        "lda": "mlcore.classification.lda:LDA",  # its axes are a map as well
    },
    "scorer": {
        "probabilistic_pca": "mlcore.reduction.probabilistic_pca:ProbabilisticPCA",
    },
    "contrast": {
        "log_cosh": "mlcore.reduction.contrasts:LogCosh",
        "gauss": "mlcore.reduction.contrasts:Gauss",
        "kurtosis": "mlcore.reduction.contrasts:Kurtosis",
    },
    "mds_kind": {
        "classical": "mlcore.reduction.mds_kinds:Classical",
        "metric": "mlcore.reduction.mds_kinds:Metric",
        "sammon": "mlcore.reduction.mds_kinds:Sammon",
        "nonmetric": "mlcore.reduction.mds_nonmetric:Nonmetric",
    },
    "tsne_forces": {
        "auto": "mlcore.reduction.tsne_forces:Auto",
        "exact": "mlcore.reduction.tsne_forces:Exact",
        "barnes_hut": "mlcore.reduction.tsne_forces:BarnesHut",
        "fft": "mlcore.reduction.tsne_forces:Interpolated",
    },
    "pair_constraint": {
        "similar": "mlcore.reduction.metric_learning:Similar",
        "orthonormal": "mlcore.reduction.metric_learning:Orthonormal",
    },
    "pca_solver": {
        "auto": "mlcore.reduction.solvers:Auto",
        "eigh": "mlcore.reduction.solvers:Covariance",
        "svd": "mlcore.reduction.solvers:SingularValues",
        "gram": "mlcore.reduction.solvers:Gram",
        "arpack": "mlcore.reduction.solvers:Lanczos",
        "power": "mlcore.reduction.solvers:Power",
    },
}
