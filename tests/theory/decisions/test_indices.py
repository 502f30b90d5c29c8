"""Indices of UCB: of KL-UCB and of MOSS."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import rel_entr

from mlcore.decisions.bandit import BanditArms, GaussianRewards
from mlcore.decisions.ucb import UCB
from mlcore.spine.errors import DataError

ARMS = BanditArms().world()


@pytest.mark.parametrize("pulls", [1, 7, 1000])
def test_kl_ucb_takes_the_largest_chance_that_the_rewards_allow(pulls):
    """Its divergence from the mean is exactly what is allowed; 0 and 1 have closed forms."""
    means = np.array([0.0, 1e-9, 0.3, 0.6, 1.0])
    counts = np.full(5, pulls)
    upper = UCB(index="divergence", alpha=1.0).upper(counts, means, 99, 200)
    most = np.log(100) / pulls
    assert upper[0] == pytest.approx(1 - np.exp(-most))
    assert upper[-1] == 1.0
    assert ((upper >= means) & (upper <= 1.0)).all()
    q = upper[2:4]
    far = rel_entr(means[2:4], q) + rel_entr(1 - means[2:4], 1 - q)
    np.testing.assert_allclose(far, most, rtol=1e-6)


def test_moss_is_sure_of_an_arm_that_had_its_share():
    """ln(400 / (4 * 25)) / 25 is 0.055452; a hundred of four hundred pulls are a fourth."""
    upper = UCB(index="moss").upper(np.array([25, 100, 150, 125]), np.zeros(4), 399, 400)
    np.testing.assert_allclose(upper, [np.sqrt(0.0554518), 0, 0, 0], atol=1e-6)


@pytest.mark.parametrize("index", ["divergence", "moss"])
def test_indices_for_rewards_from_0_to_1_refuse_others_and_promise_no_bound(index):
    world = BanditArms(reward_distribution=GaussianRewards(sd=0.5)).world()
    with pytest.raises(DataError, match="needs rewards between 0 and 1"):
        UCB(index=index).fit(world, 100)
    assert UCB(index=index).regret_bound(ARMS, np.array([1e4])) is None
