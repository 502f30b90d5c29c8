"""The steps inside whole runs: carried out fold by fold, and written for scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.interop.experiment import experiment
from mlcore.preparation.discretizer import Discretizer
from mlcore.preparation.gaussian_imputer import GaussianImputer
from mlcore.preparation.impute import Impute
from mlcore.preparation.normalizer import Normalizer
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.outlier_clipper import OutlierClipper
from mlcore.preparation.quantile import QuantileTransformer
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from tests.contract.test_experiment import agree, printed

CHAINS = [
    (GaussianImputer(), OneHot(), OutlierClipper(), Standardise()),
    (GaussianImputer(), OneHot(), QuantileTransformer(output="normal")),
    (Impute(), Discretizer(encode="onehot"), OneHot(), Normalizer()),
]


@pytest.mark.parametrize("chain", CHAINS, ids=["clipped", "quantiles", "bins"])
def test_each_fold_of_a_mixed_table_with_missing_values_is_prepared_and_scored(chain):
    scores = carried_out(Run(data="penguins", method="lda", preparation=chain)).values("accuracy")
    assert len(scores) == 5
    assert np.mean(scores) > 0.9


@pytest.mark.parametrize("step", [QuantileTransformer(n_quantiles=50), Normalizer()], ids=repr)
def test_the_program_for_the_peer_gives_our_scores(step, tmp_path):
    run = Run(data="penguins", method="lda", preparation=(Impute(), OneHot(), Standardise(), step))
    found = printed(experiment(run, {"lda": run}, run.data.dataset()), tmp_path)
    agree(found["lda"], carried_out(run), 1e-9)
