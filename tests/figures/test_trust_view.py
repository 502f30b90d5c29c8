"""The picture of how much each row is trusted, by hand."""

import numpy as np

from figures.views.regression import trust
from mlcore.regression.robust_regression import RobustRegression
from tests.figures import made

FIVE, ELEVEN = np.arange(-2.0, 3)[:, None], np.arange(11.0)[:, None]
EXACT = np.array([-2.0, -1, 0, 1, 52])


def picture(X, y):
    data = made.dataset(X, y, rows=range(10, 10 + len(y)))
    return trust.numbers(data, made.whole(data, RobustRegression(loss="tukey")))


def test_rows_on_the_plane_are_counted_where_there_is_no_scale():
    found = picture(FIVE, EXACT)
    assert found.scale == 0
    assert trust.reading(found) == "4 rows of 5 lie on the plane."
    assert trust.draw(found).data[0].y.tolist() == [1, 1, 1, 1, 0]


def test_the_least_trusted_row_is_named():
    found = picture(ELEVEN, np.append(ELEVEN[:-1, 0] + 0.1 * (-1.0) ** np.arange(10), 60.0))
    assert found.trust.argmin() == 10
    said = trust.reading(found)
    assert "1 row of 11 counts by half or less, 1 of them for nothing; least row 21," in said
    assert "above its prediction." in said
    assert trust.table(found)[0].values[0] == 21
