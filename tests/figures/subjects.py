"""Runs that between them have every view: a table and a method each."""

from __future__ import annotations

from mlcore.data.generators.classes.blobs import Blobs
from mlcore.data.generators.classes.partly_labelled import PartlyLabelled
from mlcore.data.generators.densities.mixed_sources import MixedSources
from mlcore.data.generators.pictures.glyphs import Glyphs
from mlcore.data.generators.quantities.counts import Counts
from mlcore.data.generators.quantities.curve import Curve
from mlcore.data.generators.sequences.hidden_chain import HiddenChain
from mlcore.spine.registry import lookup
from tests.figures.standins import LETTERS, NearestMeans

SUBJECTS = {
    "classes": lambda: (Blobs(n_samples=60, seed=1), NearestMeans()),
    "clusters": lambda: ("penguins", lookup("clustering", "kmeans")(n_init=1)),
    "merges": lambda: ("penguins", lookup("clustering", "agglomerative")()),
    "modes": lambda: ("penguins", lookup("clustering", "mean_shift")()),
    "cuts": lambda: ("penguins", lookup("clustering", "spectral_clustering")()),
    "dense": lambda: ("penguins", lookup("clustering", "dbscan")(eps=0.9)),
    "densities": lambda: ("penguins", lookup("clustering", "hdbscan")(min_cluster_size=10)),
    "units": lambda: (Glyphs(n_samples=40, height=8, width=7), lookup("clustering", "som")()),
    "moved": lambda: ("penguins", lookup("clustering", "online_kmeans")(n_epochs=2)),
    "hills": lambda: ("penguins", lookup("clustering", "kernel_density")()),
    "isolated": lambda: ("penguins", lookup("novelty", "isolation_forest")(n_trees=6)),
    "region": lambda: (Blobs(n_samples=60, seed=1), lookup("svm", "one_class_svm")()),
    "usual": lambda: ("penguins", lookup("novelty", "novelty_detector")()),
    "mixture": lambda: ("penguins", lookup("clustering", "gaussian_mixture")(n_init=1)),
    "places": lambda: ("iris", lookup("reduction", "mds")(kind="metric")),
    "axes of classes": lambda: ("wine", lookup("reduction", "fisher")()),
    "paths": lambda: ("iris", lookup("reduction", "isomap")()),
    "pairs": lambda: ("iris", lookup("reduction", "cca")()),
    "map": lambda: ("wine", lookup("reduction", "pca")()),
    "factors": lambda: ("iris", lookup("reduction", "probabilistic_pca")()),
    "unmixed": lambda: (MixedSources(n_samples=60), lookup("reduction", "fast_ica")()),
    "parts": lambda: (Glyphs(n_samples=30, height=8, width=7), lookup("reduction", "nmf")()),
    "gaussians": lambda: ("iris", lookup("classification", "qda")()),
    "prototypes": lambda: ("penguins", lookup("classification", "nearest_mean")()),
    "nu": lambda: ("penguins", lookup("svm", "nu_svc")(nu=0.2)),
    "newton": lambda: ("penguins", lookup("classification", "logistic")()),
    "costs": lambda: (
        Blobs(n_samples=60, centers=2, seed=1),
        lookup("classification", "decision_rule")(costs="per_class", reject_cost=0.1),
    ),
    "latent functions": lambda: (
        Blobs(n_samples=60, seed=1),
        lookup("classification", "gp_classification")(max_iter=5),
    ),
    "street": lambda: ("penguins", lookup("svm", "svc")()),
    "band": lambda: ("longley", lookup("regression", "gp_regression")()),
    "planes": lambda: ("longley", lookup("regression", "bayesian_linear")()),
    "bumps": lambda: ("longley", lookup("regression", "kernel_ridge")(alpha_rule="loo")),
    "quantiles": lambda: ("longley", lookup("regression", "quantile_regression")()),
    "windows": lambda: (Curve(n_samples=30), lookup("regression", "local_regression")()),
    "nu tube": lambda: ("longley", lookup("regression", "nu_svr")(nu=0.3)),
    "tube": lambda: ("longley", lookup("regression", "svr")(C=100.0)),
    "rules": lambda: ("iris", lookup("classification", "multiclass")(code="one_vs_one")),
    "asking": lambda: ("penguins", lookup("classification", "active_learning")(budget=4)),
    "spreading": lambda: (PartlyLabelled(), lookup("classification", "label_propagation")()),
    "mistakes": lambda: (
        Blobs(n_samples=60, seed=1),
        lookup("classification", "perceptron")(max_iter=5),
    ),
    "tree": lambda: ("penguins", lookup("classification", "decision_tree")()),
    "weighted": lambda: ("wine", lookup("classification", "adaboost")(n_estimators=6)),
    "boosted": lambda: (
        "penguins",
        lookup("classification", "gradient_boosting")(n_estimators=12, stopping="held_out_rows"),
    ),
    "layers": lambda: (
        "penguins",
        lookup("neural", "mlp_classifier")(hidden_layer_sizes=(12, 3), max_epochs=8),
    ),
    "few directions": lambda: ("diabetes", lookup("regression", "pcr")()),
    "latent": lambda: ("diabetes", lookup("regression", "pls_regression")()),
    "mistrust": lambda: ("diabetes", lookup("regression", "robust_regression")(loss="tukey")),
    "counted": lambda: (
        Counts(n_samples=40, n_features=2),
        lookup("regression", "generalised_linear")(family="poisson"),
    ),
    "curves": lambda: (
        Counts(n_samples=60, n_features=2),
        lookup("regression", "generalised_additive")(
            family="poisson", n_splines=8, surfaces=("x1", "x2")
        ),
    ),
    "odds": lambda: (
        "penguins",
        lookup("classification", "additive_logistic")(
            n_splines=6, surfaces=("bill_length_mm", "body_mass_g")
        ),
    ),
    "steps": lambda: ("diabetes", lookup("regression", "regression_tree")(max_leaf_nodes=40)),
    "bag": lambda: ("diabetes", lookup("regression", "bagging_regression")(n_estimators=4)),
    "several": lambda: ("penguins", lookup("classification", "stacking")()),
    "joined": lambda: ("diabetes", lookup("regression", "stacking_regression")()),
    "forest": lambda: (
        "penguins",
        lookup("classification", "random_forest")(n_estimators=8, permutation=True),
    ),
    "quantity": lambda: ("diabetes", lookup("regression", "ridge")()),
    "texts": lambda: ("documents", lookup("classification", "naive_bayes")()),
    "outputs": lambda: ("linnerud", lookup("regression", "multi_output_regressor")()),
    "pixels": lambda: (Glyphs(n_samples=40, height=8, width=7), lookup("clustering", "kmeans")()),
    "filters": lambda: (LETTERS, lookup("neural", "mlp_classifier")(max_epochs=3)),
    "states": lambda: (
        HiddenChain(n_samples=160, n_sequences=5, pattern="regimes"),
        lookup("sequences", "hmm")(n_init=2, max_iter=10),
    ),
    "dice": lambda: (
        HiddenChain(n_samples=160, n_sequences=5, pattern="casino"),
        lookup("sequences", "hmm")(n_states=2, n_init=1, max_iter=10),
    ),
    "chain": lambda: (
        HiddenChain(n_samples=160, n_sequences=5, pattern="regimes"),
        lookup("sequences", "markov_chain")(bins=2),
    ),
    "draws": lambda: (
        Blobs(n_samples=60, seed=1),
        lookup("classification", "gp_classification")(
            learn="none", inference="mcmc", n_draws=20, burn_in=0
        ),
    ),
    "curve": lambda: (
        Curve(n_samples=30),
        lookup("regression", "gradient_boosting_regression")(n_estimators=4),
    ),
}
