"""Columns around a circle, and ways through planes: what the definitions promise."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from mlcore.data.describing.circles import anchors, beside, circle_order, radviz, star_coordinates
from mlcore.data.describing.tours import (
    MOST_FRAMES,
    STEP,
    geodesic,
    grand_tour,
    guided_tour,
    lda_index,
    plane_distance,
    random_plane,
    scatters,
)
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.random import generator
from tests.contract.subjects import is_sentence

RNG = generator(0, "projections")


def classes(n=90, p=6):
    """Three classes that only the last two columns tell apart."""
    codes = np.arange(n) % 3
    Z = RNG.normal(size=(n, p))
    Z[:, -2:] += 6.0 * np.array([[0, 0], [1, 0], [0, 1]])[codes]
    return (Z - Z.mean(axis=0)) / Z.std(axis=0), codes


def orthonormal_error(frames):
    return np.abs(frames @ frames.swapaxes(1, 2) - np.eye(2)).max()


class TestCircle:
    def test_radviz_by_hand(self):
        # Columns pull up, right, down and left; the third row is smallest everywhere.
        X = [[4.0, 0.0, 0.0, 0.0], [2.0, 8.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0, 0, 3, 3.0]]
        expected = [[0, 1], [1 / 1.5, 0.5 / 1.5], [0, 0], [-0.5, -0.5]]
        np.testing.assert_allclose(radviz(X), expected, atol=1e-15)

    @pytest.mark.parametrize("p", [3, 4, 7, 12])
    def test_radviz_keeps_every_row_inside_the_polygon_of_the_anchors(self, p):
        at, a = radviz(RNG.standard_t(2, size=(300, p))), anchors(p)
        for here, there in zip(a, np.roll(a, -1, axis=0), strict=True):
            # Clockwise, so that the inside lies to the right of every side.
            side, off = there - here, at - here
            assert (side[0] * off[:, 1] - side[1] * off[:, 0] <= 1e-12).all()

    def test_radviz_sees_shares_only(self):
        X = np.vstack([RNG.uniform(size=(20, 5)), np.zeros(5), np.ones(5)])
        half = np.vstack([X[:20] / 2, np.zeros(5), np.ones(5)])
        np.testing.assert_allclose(radviz(half)[:20], radviz(X)[:20], atol=1e-12)
        other_units = 3.0 * X + np.arange(5.0)
        np.testing.assert_allclose(radviz(other_units), radviz(X), atol=1e-12)

    def test_star_coordinates_are_linear(self):
        A, B = RNG.normal(size=(2, 15, 5))
        np.testing.assert_allclose(
            star_coordinates(2 * A - 3 * B), 2 * star_coordinates(A) - 3 * star_coordinates(B)
        )
        np.testing.assert_allclose(star_coordinates(np.eye(5)), anchors(5) / 5)

    def test_an_order_is_near_the_best_of_all_and_never_worse_than_as_they_come(self):
        gaps = []
        for _ in range(12):
            S = np.asarray(np.corrcoef(RNG.normal(size=(6, 8))))
            found = circle_order(S)
            assert sorted(found) == list(range(6))
            assert beside(S, found) >= beside(S, np.arange(6))
            best = max(beside(S, np.array([0, *rest])) for rest in permutations(range(1, 6)))
            gaps.append(best - beside(S, found))
        assert np.median(gaps) < 1e-12
        assert max(gaps) < 0.1

    def test_a_circle_of_neighbours_is_found_again(self):
        at = np.arange(9)
        S = -np.minimum((at[:, None] - at) % 9, (at - at[:, None]) % 9).astype(float)
        mixed = RNG.permutation(9)
        found = mixed[circle_order(S[np.ix_(mixed, mixed)])]
        assert set(np.diff(np.append(found, found[0])) % 9) in ({1}, {8})

    @pytest.mark.parametrize("of", [radviz, star_coordinates, circle_order])
    def test_gaps_are_refused_in_a_sentence(self, of):
        with pytest.raises(DataError) as error:
            of([[1.0, np.nan], [2.0, 3.0]])
        assert is_sentence(str(error.value))


class TestGeodesic:
    @pytest.mark.parametrize("p", [3, 4, 9])
    def test_it_begins_with_one_plane_ends_in_the_other_and_stays_orthonormal(self, p):
        A, B = random_plane(p, RNG), random_plane(p, RNG)
        way = geodesic(A, B, np.linspace(0, 1, 33))
        assert orthonormal_error(way) < 1e-12
        np.testing.assert_allclose(way[0], A, atol=1e-14)
        np.testing.assert_allclose(way[-1].T @ way[-1], B.T @ B, atol=1e-13)

    def test_it_runs_at_one_speed_and_is_the_shortest(self):
        A, B = random_plane(6, RNG), random_plane(6, RNG)
        way = geodesic(A, B, np.linspace(0, 1, 11))
        parts = [plane_distance(a, b) for a, b in pairwise(way)]
        np.testing.assert_allclose(parts, plane_distance(A, B) / 10, rtol=1e-9)

    def test_nothing_spins_within_the_plane(self):
        A, B = random_plane(5, RNG), random_plane(5, RNG)
        way = geodesic(A, B, np.linspace(0, 1, 2001))
        speed = (way[2:] - way[:-2]) @ way[1:-1].swapaxes(1, 2)
        assert np.abs(speed).max() < 1e-12

    def test_the_same_plane_in_another_frame_is_no_way_at_all(self):
        A = random_plane(5, RNG)
        turned = np.array([[0.6, 0.8], [-0.8, 0.6]]) @ A
        np.testing.assert_allclose(geodesic(A, turned, [0.5])[0], A, atol=1e-14)
        assert plane_distance(A, turned) < 1e-12


class TestTours:
    @pytest.mark.parametrize("n_planes", [1, 6, 12])
    def test_a_grand_tour_is_orthonormal_smooth_bounded_and_the_same_for_a_seed(self, n_planes):
        tour = grand_tour(7, n_planes, seed=3)
        assert orthonormal_error(tour.frames) < 1e-12
        np.testing.assert_array_equal(tour.frames[0], np.eye(2, 7))
        assert len(tour.stops) == n_planes + 1
        assert tour.stops[-1] == len(tour.frames) - 1 <= MOST_FRAMES
        assert max(np.abs(a - b).max() for a, b in pairwise(tour.frames)) < 1.6 * STEP
        np.testing.assert_array_equal(tour.frames, grand_tour(7, n_planes, seed=3).frames)
        other = grand_tour(7, n_planes, seed=4).frames
        assert plane_distance(tour.frames[-1], other[-1]) > 0.1

    def test_its_stops_are_the_planes_that_were_drawn(self):
        rng = generator(5, "planes of the grand tour")
        drawn = [random_plane(4, rng) for _ in range(3)]
        tour = grand_tour(4, 3, seed=5)
        for plane, stop in zip(drawn, tour.stops[1:], strict=True):
            assert plane_distance(plane, tour.frames[stop]) < 1e-12

    def test_planes_are_drawn_uniformly(self):
        # The mean projection onto a uniform plane is 2 / p of the identity.
        drawn = np.array([random_plane(4, RNG) for _ in range(4000)])
        mean = np.einsum("kia,kib->ab", drawn, drawn) / len(drawn)
        np.testing.assert_allclose(mean, np.eye(4) / 2, atol=0.03)

    def test_the_index_is_wilks_lambda_taken_from_one_and_does_not_turn(self):
        Z, codes = classes()
        W, B = scatters(Z, codes)
        np.testing.assert_allclose(W + B, np.cov(Z.T, ddof=0) * len(Z), atol=1e-10)
        A = random_plane(6, RNG)
        P = Z @ A.T
        inner = sum(np.cov(P[codes == k].T, ddof=0) * (codes == k).sum() for k in range(3))
        wilks = np.linalg.det(inner) / np.linalg.det(np.cov(P.T, ddof=0) * len(P))
        assert lda_index(A, W, B) == pytest.approx(1 - wilks)
        turned = np.array([[0.6, 0.8], [-0.8, 0.6]]) @ A
        assert lda_index(turned, W, B) == pytest.approx(float(lda_index(A, W, B)))
        assert lda_index(A, 0 * W, 0 * B) == 0.0

    def test_a_guided_tour_rises_from_stop_to_stop_nearly_to_the_best_plane(self):
        Z, codes = classes()
        tour, parts = guided_tour(Z, codes, 12, seed=1), scatters(Z, codes)
        values = lda_index(tour.frames[tour.stops], *parts)
        assert orthonormal_error(tour.frames) < 1e-12
        assert (np.diff(values) > 0).all()
        # The best plane is that of the discriminants: the largest roots of W^-1 (W + B).
        roots = np.sort(np.linalg.eigvals(np.linalg.solve(parts[0], parts[0] + parts[1])).real)
        best = 1 - 1 / np.prod(roots[-2:])
        assert values[0] < 0.2
        assert 0.95 * best < values[-1] <= best + 1e-12

    @pytest.mark.parametrize("asked", [(2, 3), (5, 0)])
    def test_too_little_for_a_tour_is_a_sentence(self, asked):
        with pytest.raises(ParamError, match="at least 3 columns") as error:
            grand_tour(*asked)
        assert is_sentence(str(error.value))
