"""Least squares against values certified by NIST, and against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.optimisation.extended import WIDER
from mlcore.regression.linear_regression import LinearRegression

wider = pytest.mark.skipif(not WIDER, reason="this machine has no numbers wider than float")

POWERS = np.arange(21.0)[:, None] ** np.arange(1, 6)
# The errors of Wampler3 to 5 are at right angles to all five powers.
ERRORS = np.tile([2048.0, -2048.0], 11)[:21]
ERRORS[[0, 4, 8, 12, 16, 20]] = [759, 2523, 1838, 1838, 2523, 759]
# y and x of the sets of NIST StRD, which are in the public domain.
NORRIS = np.array([
    [0.1, 0.2], [338.8, 337.4], [118.1, 118.2], [888.0, 884.6], [9.2, 10.1], [228.1, 226.5],
    [668.5, 666.3], [998.5, 996.3], [449.1, 448.6], [778.9, 777.0], [559.2, 558.2], [0.3, 0.4],
    [0.1, 0.6], [778.1, 775.5], [668.8, 666.9], [339.3, 338.0], [448.9, 447.5], [10.8, 11.6],
    [557.7, 556.0], [228.3, 228.1], [998.0, 995.8], [888.8, 887.6], [119.6, 120.2], [0.3, 0.3],
    [0.6, 0.3], [557.6, 556.8], [339.3, 339.1], [888.0, 887.2], [998.5, 999.0], [778.9, 779.0],
    [10.2, 11.1], [117.6, 118.3], [228.9, 229.2], [668.4, 669.1], [449.2, 448.9], [0.2, 0.5],
])  # fmt: skip
PONTIUS = np.array([
    0.11019, 0.21956, 0.32949, 0.43899, 0.54803, 0.65694, 0.76562, 0.87487, 0.98292, 1.09146,
    1.20001, 1.30822, 1.41599, 1.52399, 1.63194, 1.73947, 1.84646, 1.95392, 2.06128, 2.16844,
    0.11052, 0.22018, 0.32939, 0.43886, 0.54798, 0.65739, 0.76596, 0.87474, 0.98300, 1.09150,
    1.20004, 1.30818, 1.41613, 1.52408, 1.63159, 1.73965, 1.84696, 1.95445, 2.06177, 2.16829,
])  # fmt: skip
FILIP = np.array([
    [0.8116, -6.860120914], [0.9072, -4.324130045], [0.9052, -4.358625055],
    [0.9039, -4.358426747], [0.8053, -6.955852379], [0.8377, -6.661145254],
    [0.8667, -6.355462942], [0.8809, -6.118102026], [0.7975, -7.115148017],
    [0.8162, -6.815308569], [0.8515, -6.519993057], [0.8766, -6.204119983],
    [0.8885, -5.853871964], [0.8859, -6.109523091], [0.8959, -5.79832982], [0.8913, -5.482672118],
    [0.8959, -5.171791386], [0.8971, -4.851705903], [0.9021, -4.517126416], [0.909, -4.143573228],
    [0.9139, -3.709075441], [0.9199, -3.499489089], [0.8692, -6.300769497],
    [0.8872, -5.953504836], [0.89, -5.642065153], [0.891, -5.031376979], [0.8977, -4.680685696],
    [0.9035, -4.329846955], [0.9078, -3.928486195], [0.7675, -8.56735134], [0.7705, -8.363211311],
    [0.7713, -8.107682739], [0.7736, -7.823908741], [0.7775, -7.522878745],
    [0.7841, -7.218819279], [0.7971, -6.920818754], [0.8329, -6.628932138],
    [0.8641, -6.323946875], [0.8804, -5.991399828], [0.7668, -8.781464495],
    [0.7633, -8.663140179], [0.7678, -8.473531488], [0.7697, -8.247337057], [0.77, -7.971428747],
    [0.7749, -7.676129393], [0.7796, -7.352812702], [0.7897, -7.072065318],
    [0.8131, -6.774174009], [0.8498, -6.478861916], [0.8741, -6.159517513],
    [0.8061, -6.835647144], [0.846, -6.53165267], [0.8751, -6.224098421], [0.8856, -5.910094889],
    [0.8919, -5.598599459], [0.8934, -5.290645224], [0.894, -4.974284616], [0.8957, -4.64454848],
    [0.9047, -4.290560426], [0.9129, -3.885055584], [0.9209, -3.408378962], [0.9219, -3.13200249],
    [0.7739, -8.726767166], [0.7681, -8.66695597], [0.7665, -8.511026475], [0.7703, -8.165388579],
    [0.7702, -7.886056648], [0.7761, -7.588043762], [0.7809, -7.283412422],
    [0.7961, -6.995678626], [0.8253, -6.691862621], [0.8602, -6.392544977],
    [0.8809, -6.067374056], [0.8301, -6.684029655], [0.8664, -6.378719832],
    [0.8834, -6.065855188], [0.8898, -5.752272167], [0.8964, -5.132414673],
    [0.8963, -4.811352704], [0.9074, -4.098269308], [0.9119, -3.66174277], [0.9228, -3.2644011],
])  # fmt: skip


def longley() -> tuple[np.ndarray, np.ndarray]:
    table = bundled.load("longley")
    names = ("gnpdefl", "gnp", "unemp", "armed", "pop", "year")
    return table.matrix(*names), table.matrix("totemp")[:, 0]


def exact(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Intercept and coefficients of the numbers as they are stored, in fractions."""
    rows = [[Fraction(1), *map(Fraction, row), Fraction(t)] for row, t in zip(X, y, strict=True)]
    q = X.shape[1] + 1
    M = [[sum(row[i] * row[j] for row in rows) for j in range(q + 1)] for i in range(q)]
    for i in range(q):
        M[i] = [v / M[i][i] for v in M[i]]
        for k in (k for k in range(q) if k != i):
            M[k] = [u - M[k][i] * v for u, v in zip(M[k], M[i], strict=True)]
    return np.array([float(row[-1]) for row in M])


@wider
def test_longley():
    X, y = longley()
    fit = LinearRegression().fit(X, y)
    wanted = [
        -3482258.63459582, 15.0618722713733, -0.0358191792925910, -2.02022980381683,
        -1.03322686717359, -0.0511041056535807, 1829.15146461355,
    ]  # fmt: skip
    found = np.r_[fit.intercept, fit.coefficients]
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    np.testing.assert_allclose(found, exact(X, y), rtol=1e-15)
    assert fit.sigma == pytest.approx(304.854073561965, rel=3e-15)
    assert fit.intercept_error == pytest.approx(890420.383607373, rel=1e-14)
    assert fit.r2 == pytest.approx(0.995479004577296, rel=2e-15)


@wider
@pytest.mark.parametrize("offset", ["centering", "constant_feature"])
@pytest.mark.parametrize(("noise", "digits"), [(0, 12), (1, 12), (100, 11), (10_000, 9)])
def test_wampler_of_ones(noise, digits, offset):
    fit = LinearRegression(offset=offset).fit(POWERS, 1 + POWERS.sum(axis=1) + noise * ERRORS)
    found = np.r_[fit.intercept, fit.coefficients]
    np.testing.assert_allclose(found, 1.0, rtol=10.0**-digits)
    assert fit.sigma == pytest.approx(2360.14502379268 * noise, rel=1e-14, abs=1e-12)


@wider
def test_wampler_of_falling_coefficients():
    wanted = 10.0 ** -np.arange(6)
    fit = LinearRegression().fit(POWERS, wanted[0] + POWERS @ wanted[1:])
    np.testing.assert_allclose(np.r_[fit.intercept, fit.coefficients], wanted, rtol=1e-12)


@wider
def test_norris():
    fit = LinearRegression().fit(NORRIS[:, 1:], NORRIS[:, 0])
    assert fit.intercept == pytest.approx(-0.262323073774029, rel=1e-13)
    assert fit.coefficients[0] == pytest.approx(1.00211681802045, rel=1e-14)
    assert fit.intercept_error == pytest.approx(0.232818234301152, rel=1e-14)
    assert fit.standard_errors[0] == pytest.approx(0.429796848199937e-03, rel=2e-15)
    assert fit.sigma == pytest.approx(0.884796396144373, rel=1e-14)
    assert fit.r2 == pytest.approx(0.999993745883712, rel=1e-15)


@wider
def test_pontius():
    x = np.tile(150_000.0 * np.arange(1, 21), 2)
    fit = LinearRegression().fit(x[:, None] ** [1, 2], PONTIUS)
    found = np.r_[fit.intercept, fit.coefficients]
    wanted = [0.673565789473684e-03, 0.732059160401003e-06, -0.316081871345029e-14]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    errors = [0.107938612033077e-03, 0.157817399981659e-09, 0.486652849992036e-16]
    np.testing.assert_allclose(np.r_[fit.intercept_error, fit.standard_errors], errors, rtol=1e-13)
    assert fit.sigma == pytest.approx(0.205177424076185e-03, rel=1e-13)
    assert fit.r2 == pytest.approx(0.999999900178537, rel=1e-15)


@wider
def test_filip():
    """Ten raw powers, of a condition of 10^10: their digits hang on those of the powers."""
    y, x = FILIP.T
    X = x[:, None] ** np.arange(1, 11)
    fit = LinearRegression().fit(X, y)
    assert fit.rank == 10
    found = np.r_[fit.intercept, fit.coefficients]
    np.testing.assert_allclose(found, exact(X, y), rtol=1e-9)
    wanted = [
        -1467.48961422980, -2772.17959193342, -2316.37108160893, -1127.97394098372,
        -354.478233703349, -75.1242017393757, -10.8753180355343, -1.06221498588947,
        -0.670191154593408e-01, -0.246781078275479e-02, -0.402962525080404e-04,
    ]  # fmt: skip
    np.testing.assert_allclose(found, wanted, rtol=1e-7)
    assert fit.sigma == pytest.approx(0.334801051324544e-02, rel=1e-9)
    assert fit.intercept_error == pytest.approx(298.084530995537, rel=1e-7)
    assert fit.standard_errors[-1] == pytest.approx(0.896632837373868e-05, rel=1e-7)
    assert fit.r2 == pytest.approx(0.996727416185620, rel=1e-11)


@pytest.mark.parametrize(
    ("x", "y", "slope", "error", "sigma"),
    [
        (np.arange(60.0, 71), np.arange(130.0, 141), 2.07438016528926, 0.0165289256198347,
         3.56753034006338),
        (np.arange(4.0, 7), np.array([3.0, 4, 4]), 0.727272727272727, 0.0420827318078432,
         0.369274472937998),
    ],
)  # fmt: skip
def test_lines_through_zero(x, y, slope, error, sigma):
    fit = LinearRegression(offset="none").fit(x[:, None], y)
    found = [fit.coefficients[0], fit.standard_errors[0], fit.sigma]
    np.testing.assert_allclose(found, [slope, error, sigma], rtol=2e-14)


@wider
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_weights_count_as_repeated_rows(scale):
    X, y = longley()
    often = np.arange(len(y)) % 3
    X, y = X * scale, y / scale
    weighted = LinearRegression().fit(X, y, weights=often.astype(float))
    repeated = LinearRegression().fit(np.repeat(X, often, axis=0), np.repeat(y, often))
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-14)
    assert weighted.rss == pytest.approx(repeated.rss, rel=1e-13)
