"""Is the score of a group another than that of all other rows? A p-value for each of many."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, stdtr

from mlcore.spine.records import function

ROUNDING = 1e-7  # by which tables count as being as probable as the one seen


@function("fisher_exact", title="Fisher's exact test", synonyms=("hypergeometric test",))
def fisher_exact(successes: Any, n: Any, all_successes: int, total: int) -> np.ndarray:
    r"""Two-sided p-values of Fisher's exact test of groups against all other rows, shape (G,).

    Were the S successes of N rows spread by chance, a group of n rows would have k of them with
    probability $\binom{S}{k}\binom{N-S}{n-k} / \binom{N}{n}$; p is the sum over all k that are no
    more probable than what was seen. `successes` and `n`, shape (G,), are whole numbers. Exact in
    small groups too, where a normal approximation calls rare errors significant far too often.
    """
    successes, n = np.asarray(successes, dtype=np.int64), np.asarray(n, dtype=np.int64)
    logs = gammaln(np.arange(total + 1) + 1.0)

    def choose(a: Any, b: np.ndarray) -> np.ndarray:
        return logs[a] - logs[b] - logs[a - b]

    p = np.empty(len(n))
    for g, (seen, size) in enumerate(zip(successes, n, strict=True)):
        first = max(0, size - (total - all_successes))
        k = np.arange(first, min(size, all_successes) + 1)
        chance = choose(all_successes, k) + choose(total - all_successes, size - k)
        chance = np.exp(chance - logs[total] + logs[size] + logs[total - size])
        p[g] = chance[chance <= chance[seen - first] * (1 + ROUNDING)].sum()
    return np.minimum(p, 1.0)


@function("welch_p", title="Welch's t-test", synonyms=("unequal variances t-test",))
def welch_p(mean: Any, variance: Any, n: Any, others: Any) -> np.ndarray:
    r"""Two-sided p-values of Welch's t-test (1947), shape (G,); NaN where nothing varies.

    $t = (m_1 - m_2) / \sqrt{s_1^2/n_1 + s_2^2/n_2}$ with the degrees of freedom of Satterthwaite.
    `mean`, `variance` (divisor n - 1) and `n`, shape (G,), are of the groups, `others` is the same
    three of what each is compared with.
    """
    m1, v1, n1 = (np.asarray(a, dtype=np.float64) for a in (mean, variance, n))
    m2, v2, n2 = (np.asarray(a, dtype=np.float64) for a in others)
    ok = (n1 > 1) & (n2 > 1)
    a, b = (
        np.divide(v, c, out=np.full(ok.shape, np.nan), where=ok) for v, c in ((v1, n1), (v2, n2))
    )
    ok &= np.nan_to_num(a + b) > 0
    df = np.full(ok.shape, np.nan)
    df[ok] = (a + b)[ok] ** 2 / (a**2 / (n1 - 1) + b**2 / (n2 - 1))[ok]
    p = np.full(ok.shape, np.nan)
    p[ok] = 2 * stdtr(df[ok], -np.abs(m1 - m2)[ok] / np.sqrt(a + b)[ok])
    return p
