"""The lab of balanced classes: its central numbers, by hand."""

import numpy as np
import pytest

from mlcore.labs.preparation.balancing import Balancing


def test_one_per_cent_of_false_alarms_leaves_few_true_ones():
    a = Balancing().compute()
    assert a.precision == pytest.approx([0.990099, 0.0910], abs=5e-5)
    assert a.corrected == pytest.approx(a.precision[1], rel=1e-12)
    assert a.accuracy == pytest.approx([0.99001, 0.999])
    np.testing.assert_allclose(a.counts[1], [[98901, 999], [0, 100]])
    np.testing.assert_allclose(a.counts[0], [[49500, 500], [0, 50000]])


def test_without_balancing_the_rows_judged_on_are_reality():
    a = Balancing(is_balanced=False, sensitivity=0.7).compute()
    np.testing.assert_array_equal(a.counts[0], a.counts[1])
    assert a.precision[0] == a.precision[1] == pytest.approx(0.0007 / (0.0007 + 0.00999))


def test_every_second_alarm_is_true_where_both_kinds_are_as_many():
    a = Balancing(base_rate=0.01 / 1.01).compute()
    assert a.precision[1] == pytest.approx(0.5)
