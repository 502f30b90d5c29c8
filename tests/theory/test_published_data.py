"""What the pages say of the bundled sets, and what the notes say of drawn ones, in numbers."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.describing.moments import distance_shares
from mlcore.labs.data.far_and_near import FarAndNearLab
from mlcore.neighbours.knn import KNNClassifier
from mlcore.preparation.impute import Impute
from mlcore.preparation.standardise import Standardise
from mlcore.regression.inference import vif
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run

MEASURED = TableData(
    source="penguins",
    roles=tuple((name, "ignore") for name in ("island", "sex", "year")),
    drop=("incomplete",),
)


def numbers(name: str, count: int) -> np.ndarray:
    """The first columns of a bundled set, by rows without missing values."""
    table = bundled.load(name)
    X = table.matrix(*table.names[:count])
    return X[~np.isnan(X).any(axis=1)]


def test_grams_hold_the_distance_of_penguins():
    data = MEASURED.dataset({})
    assert data.X.shape == (342, 4)
    assert [c.name for c in data.columns][distance_shares(data.X).argmax()] == "body_mass_g"
    assert distance_shares(data.X).max() == pytest.approx(0.9996, abs=5e-5)


@pytest.mark.parametrize(("steps", "wanted"), [((), 0.785), ((Standardise(),), 0.985)])
def test_neighbours_of_penguins_need_one_scale(steps, wanted):
    runs = [
        Run(data=MEASURED, preparation=steps, method=KNNClassifier(n_neighbors=5), seed=seed)
        for seed in range(3)
    ]
    found = np.mean([carried_out(run).mean("accuracy") for run in runs])
    assert found == pytest.approx(wanted, abs=0.02)  # one shuffle is off by as much


def test_one_column_holds_the_distance_of_wines():
    assert distance_shares(numbers("wine", 13)).max() == pytest.approx(0.9977, abs=5e-5)


def test_the_serum_columns_of_diabetes_repeat_each_other():
    table = bundled.load("diabetes")
    found = vif(table.matrix("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"))
    # Published to one decimal.
    np.testing.assert_allclose(found[[4, 5, 6, 8]], [59.2, 39.2, 15.4, 10.1], atol=0.05)


def test_the_contrast_of_five_hundred_rows_is_that_of_the_notes():
    each = [FarAndNearLab().compute(seed) for seed in range(5)]
    found = np.mean([lab.contrast for lab in each], axis=0)
    at = np.searchsorted(each[0].dimensions, [10, 100, 1000])
    # All hangs on the nearest of the rows, which varies the more, the fewer columns there are.
    np.testing.assert_allclose(found[at], [2.7, 0.41, 0.11], rtol=0.15)
    assert 25 < found[each[0].dimensions == 2][0] < 100


def test_a_mean_knows_nothing_of_the_other_column():
    y = [2.1, 3.9, 6.2, 7.8, *[np.nan] * 4]
    X = np.column_stack([np.arange(1.0, 9.0), y])
    assert Impute(strategy="mean").fit(X).transform(X)[4:, 1].tolist() == pytest.approx([5.0] * 4)
