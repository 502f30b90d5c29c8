"""Preparation in the fold: encode, impute, scale, whiten, select variables, resample."""

ENTRIES = {
    "preparation": {
        "impute": "mlcore.preparation.impute:Impute",
        "gaussian_imputer": "mlcore.preparation.gaussian_imputer:GaussianImputer",
        "one_hot": "mlcore.preparation.one_hot:OneHot",
        "ordinal": "mlcore.preparation.ordinal:Ordinal",
        "standardise": "mlcore.preparation.standardise:Standardise",
        "min_max": "mlcore.preparation.min_max:MinMax",
        "quantile_transformer": "mlcore.preparation.quantile:QuantileTransformer",
        "discretizer": "mlcore.preparation.discretizer:Discretizer",
        "normalizer": "mlcore.preparation.normalizer:Normalizer",
        "outlier_clipper": "mlcore.preparation.outlier_clipper:OutlierClipper",
        "count_vectorizer": "mlcore.preparation.count_vectorizer:CountVectorizer",
        "image_vectorizer": "mlcore.preparation.image_vectorizer:ImageVectorizer",
        "basis_expansion": "mlcore.preparation.basis_expansion:BasisExpansion",
        "whitening": "mlcore.preparation.whitening:Whitening",
        "reduce": "mlcore.preparation.reduce:Reduce",
        "some_columns": "mlcore.preparation.some_columns:SomeColumns",
        "balancer": "mlcore.preparation.balancer:Balancer",
        "augmenter": "mlcore.preparation.augmenter:Augmenter",
        "outlier_remover": "mlcore.preparation.outlier_remover:OutlierRemover",
        "variance_threshold": "mlcore.preparation.selection.filters:VarianceThreshold",
        "univariate_filter": "mlcore.preparation.selection.filters:UnivariateFilter",
        "embedded_selector": "mlcore.preparation.selection.embedded:EmbeddedSelector",
        "subset_selector": "mlcore.preparation.selection.selector:SubsetSelector",
    },
    "discretiser": {
        "equal_frequency": "mlcore.preparation.discretizer:EqualFrequency",
        "equal_width": "mlcore.preparation.discretizer:EqualWidth",
        "entropy_mdl": "mlcore.preparation.entropy_mdl:EntropyMdl",
    },
    "relevance": {
        "correlation": "mlcore.preparation.selection.relevance:Correlation",
        "fisher_score": "mlcore.preparation.selection.relevance:FisherScore",
        "f_ratio": "mlcore.preparation.selection.relevance:FRatio",
        "mutual_information": "mlcore.preparation.selection.dependence:MutualInformation",
        "hsic": "mlcore.preparation.selection.dependence:HSIC",
        "relief": "mlcore.preparation.selection.relief:ReliefF",
        "gain_ratio": "mlcore.preparation.selection.counted:GainRatio",
        "chi_square": "mlcore.preparation.selection.counted:ChiSquare",
    },
    "information": {
        "information_by_neighbours": "mlcore.preparation.selection.dependence:ByNeighbours",
        "information_by_bins": "mlcore.preparation.selection.dependence:ByBins",
    },
    "subset_score": {
        "cfs": "mlcore.preparation.selection.cfs:CFS",
        "wrapper": "mlcore.preparation.selection.wrapper:Wrapper",
    },
    "subset_search": {
        "sfs": "mlcore.preparation.selection.searches:SFS",
        "sbs": "mlcore.preparation.selection.searches:SBS",
        "sffs": "mlcore.preparation.selection.floating:SFFS",
        "sfbs": "mlcore.preparation.selection.floating:SFBS",
        "adaptive_floating": "mlcore.preparation.selection.floating:AdaptiveFloating",
        "exhaustive": "mlcore.preparation.selection.searches:Exhaustive",
    },
}

FUNCTION_MODULES = ("mlcore.preparation.order", "mlcore.preparation.selection.stability")
