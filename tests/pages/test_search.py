"""Search finds a thing by the terms of other libraries and courses, best matches first."""

from __future__ import annotations

import pytest

from figures.catalogue import catalogue
from ui import sitemap
from ui.search import nearest, search

# query -> kind and name of the entries of which each must be among the first three
WANTED = {
    "overfitting": "lab:polynomial_complexity lab:knn_complexity",
    "clustering": "page:clustering",
    "SMOTE": "method:balancer",
    "feature selection": "method:subset_selector method:embedded_selector",
    "roc": "view:roc",
    "AUC": "view:roc",
    "z-score": "method:standardise",
    "StandardScaler": "method:standardise",
    "standard scaler": "method:standardise",
    "standardization": "method:standardise",
    "normalization": "method:min_max",
    "OLS": "method:linear_regression",
    "least squares": "method:linear_regression",
    "kNN": "method:knn",
    "k nearest neighbors": "method:knn",
    "one-hot": "method:one_hot",
    "one hot encoding": "method:one_hot",
    "dummy variables": "method:one_hot",
    "get_dummies": "method:one_hot",
    "imputation": "method:impute",
    "missing values": "method:impute view:missing_map",
    "SimpleImputer": "method:impute",
    "k-means++": "method:kmeans part:plus_plus",
    "Lloyd": "method:kmeans",
    "KMeans": "method:kmeans",
    "elbow": "lab:choose_k",
    "silhouette": "view:silhouette_bars",
    "PCA": "method:pca",
    "principal component": "method:pca",
    "principal component analysis": "method:pca",
    "SVD": "method:pca",
    "scree": "view:scree",
    "multi-armed bandit": "page:sequential_decision_making method:thompson_sampling",
    "epsilon greedy": "method:action_value_bandit",
    "Q-learning": "method:td_control",
    "SARSA": "method:td_control",
    "reinforcement learning": "page:sequential_decision_making",
    "value iteration": "method:value_iteration",
    "ridge": "method:ridge",
    "Tikhonov": "method:ridge",
    "L2": "method:ridge part:l2",
    "lasso": "method:elastic_net",
    "elastic net": "method:elastic_net",
    "regularization": "guide:penalties",
    "SVM": "method:svc",
    "support vector machine": "method:svc",
    "SVC": "method:svc",
    "cost-sensitive learning": "method:decision_rule",
    "GPC": "method:gp_classification",
    "GaussianProcessClassifier": "method:gp_classification",
    "nu-SVM": "method:nu_svc",
    "nu-SVR": "method:nu_svr",
    "CART": "method:decision_tree",
    "decision tree": "method:decision_tree",
    "cross validation": "part:k_fold",
    "train_test_split": "part:hold_out",
    "bootstrap": "part:bootstrap_split",
    "confusion matrix": "view:confusion_heatmap",
    "learning curve": "view:learning_curve_view",
    "grid search": "part:grid_search",
    "hyperparameter": "part:grid_search",
    "logistic regression": "method:logistic",
    "softmax regression": "method:logistic",
    "LDA": "method:lda",
    "naive bayes": "method:naive_bayes",
    "anomaly detection": "method:membership",
    "tf-idf": "method:count_vectorizer",
    "data leakage": "lab:leak_switch",
    "curse of dimensionality": "lab:far_and_near",
    "gradient descent": "part:gradient_descent",
    "significance test": "page:compare",
    "one-vs-rest": "method:multiclass part:one_vs_rest",
}


@pytest.fixture(scope="module")
def entries():
    pages = [page.as_dict() for page in sitemap.pages()]
    return [*pages, *(entry for entry in catalogue() if not entry["means"])]


@pytest.mark.parametrize(("query", "wanted"), WANTED.items())
def test_what_people_call_it_is_among_the_first_three(entries, query, wanted):
    first = [f"{hit.entry['kind']}:{hit.entry['name']}" for hit in search(entries, query)[:3]]
    assert set(wanted.split()) <= set(first), first


def test_every_word_counts_and_no_letters_inside_a_word_do(entries):
    assert search(entries, "ridge zebra") == []
    assert all(hit.entry["name"] != "value_iteration" for hit in search(entries, "ration"))


def test_nothing_asked_finds_everything(entries):
    assert len(search(entries, " ")) == len(entries)


def test_a_match_that_the_title_does_not_show_has_its_reason(entries):
    hits = {hit.entry["name"]: hit.reason for hit in search(entries, "z-score")}
    assert hits["standardise"] == "also called: z-score"
    assert search(entries, "PCA")[0].reason == ""


def test_names_of_pages_and_of_the_catalogue_are_no_synonyms_of_themselves(entries):
    for entry in entries:
        plain = [name.lower() for name in entry["synonyms"]]
        assert entry["title"].lower() not in plain, entry["title"]
        assert len(set(plain)) == len(plain), entry["title"]


def test_what_was_asked_is_not_what_is_meant_instead(entries):
    assert "overestimation" not in nearest(entries, "overestimation")
    first, *others = nearest(entries, "perceptrn")
    assert first == "perceptron"
    assert {"voted perceptron", "smooth perceptron"} <= set(others)
    assert all("perceptron" in other for other in others)  # whatever joins the catalogue
    assert nearest(entries, "word2vec") == []  # it is not here, and nothing is spelled like it
    assert "overestimation" in nearest(entries, "overestimatoin")


def test_the_page_finds_and_says_why(opened):
    at = opened("methods")
    assert not at.exception
    at.text_input(key="search").set_value("Tikhonov").run()
    assert not at.exception
    assert "Ridge regression" in rows(at)
    assert "also called: <mark>Tikhonov</mark>" in rows(at)


def rows(at) -> str:
    """The rows of the index, which are HTML."""
    return "".join(part.proto.body for part in at.main if part.type == "html")
