"""Compiled loops of the maps. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np

from mlcore.spine.loops import njit

SUM = {"reassoc", "contract", "nsz", "arcp"}  # free order of additions within one sum
CELL = 6  # rows of a cell that are taken one by one


@njit(cache=True, nogil=True)
def guttman(D, Y, moved):
    """Fill `moved` with the Guttman transform of the map Y, shape (n, q); return its raw stress.

    Row i becomes the mean over j of (D_ij / d_ij) (y_i - y_j), where d are the distances in Y.
    """
    n, q = Y.shape
    moved[:] = 0.0
    stress = 0.0
    for i in range(n):
        for j in range(i):
            square = 0.0
            for a in range(q):
                gap = Y[i, a] - Y[j, a]
                square += gap * gap
            apart = sqrt(square)
            stress += (apart - D[i, j]) ** 2
            if apart > 0.0:
                ratio = D[i, j] / (apart * n)
                for a in range(q):
                    step = ratio * (Y[i, a] - Y[j, a])
                    moved[i, a] += step
                    moved[j, a] -= step
    return stress


@njit(cache=True, nogil=True)
def sorted_within(ends, order, values):
    """Put each part ends[k] : ends[k + 1] of `order`, (m,), into the order of its values, (m,)."""
    for k in range(len(ends) - 1):
        first, last = ends[k], ends[k + 1]
        if last - first > 1:
            part = order[first:last].copy()
            np.positive(part[np.argsort(values[part])], order[first:last])


@njit(cache=True, nogil=True)
def sammon(D, Y, slopes, curvatures):
    """Fill both with the first and second derivatives of Sammon's stress by each coordinate of Y.

    Returns the stress. No two rows of D are at distance 0; rows that meet in Y have no direction.
    """
    n, q = Y.shape
    slopes[:] = 0.0
    curvatures[:] = 0.0
    stress, total = 0.0, 0.0
    for i in range(n):
        for j in range(i):
            square = 0.0
            for a in range(q):
                gap = Y[i, a] - Y[j, a]
                square += gap * gap
            apart, aim = sqrt(square), D[i, j]
            off = aim - apart
            stress += off * off / aim
            total += aim
            if apart == 0.0:
                continue
            scale = -2.0 / (aim * apart)
            for a in range(q):
                gap = Y[i, a] - Y[j, a]
                slope = scale * off * gap
                curvature = scale * (off - gap * gap / apart * (1.0 + off / apart))
                slopes[i, a] += slope
                slopes[j, a] -= slope
                curvatures[i, a] += curvature
                curvatures[j, a] += curvature
    slopes /= total
    curvatures /= total
    return stress / total


@njit(cache=True, nogil=True)
def perplexities(squares, target, shares, precisions):
    """Fill `shares`, shape (n, k), with e^(-b d) of each row, of sum 1 and of entropy `target`.

    `squares`, (n, k), are squared distances less the least of the row; b becomes `precisions`.
    By Newton's method on log b, kept between bounds; the entropy falls in b.
    """
    n, k = squares.shape
    for i in range(n):
        middle = 0.0
        for j in range(k):
            middle += squares[i, j] / k
        low, high = -np.inf, np.inf
        at = -log(middle) if middle > 0.0 else 0.0
        for _ in range(64):
            precision = exp(at)
            total, first, second = 0.0, 0.0, 0.0
            for j in range(k):
                d = precision * squares[i, j]
                share = exp(-d)
                shares[i, j] = share
                total += share
                first += share * d
                second += share * d * d
            first /= total
            entropy = log(total) + first
            slope = first * first - second / total  # of the entropy by log b
            off = entropy - target
            if abs(off) <= 5e-9:
                break
            if off > 0.0:
                low = at
            else:
                high = at
            ahead = at - off / slope if slope < 0.0 else np.inf
            if low < ahead < high and abs(ahead - at) <= 2.0:
                at = ahead
            elif low > -np.inf and high < np.inf:
                at = 0.5 * (low + high)
            else:
                at += 2.0 if off > 0.0 else -2.0
        precisions[i] = precision
        for j in range(k):
            shares[i, j] /= total


@njit(cache=True, nogil=True, fastmath=SUM)
def _pairs(P, Y, exaggeration, slopes):
    """Fill `slopes`, (3, n), with the gradient of t-SNE; return the sum of all 1/(1 + d^2).

    P, (n, n), is symmetric with zero diagonal; Y, (3, n), holds the map, with zeros added.
    """
    n = Y.shape[1]
    near = np.empty((6, n))
    xs, ys, zs = Y[0], Y[1], Y[2]
    whole = 0.0
    for i in range(n):
        x, y, z, own = xs[i], ys[i], zs[i], P[i]
        total = 0.0
        ax, ay, az, rx, ry, rz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            dx, dy, dz = x - xs[j], y - ys[j], z - zs[j]
            w = 1.0 / (1.0 + dx * dx + dy * dy + dz * dz)
            total += w
            pull, push = own[j] * w, w * w
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
            rx += push * dx
            ry += push * dy
            rz += push * dz
        whole += total - 1.0  # less the row itself
        near[0, i], near[1, i], near[2, i] = ax, ay, az
        near[3, i], near[4, i], near[5, i] = rx, ry, rz
    for a in range(3):
        for i in range(n):
            slopes[a, i] = 4.0 * (exaggeration * near[a, i] - near[3 + a, i] / whole)
    return whole


@njit(cache=True, nogil=True)
def _rows_apart(P, Y, exaggeration, slopes, Q):
    """Fill `slopes` with the gradient of SNE, divided by n, and Q, (n, n), with its shares q(j|i).

    P and Y as in `_pairs`.
    """
    n = Y.shape[1]
    for i in range(n):
        least = np.inf
        for j in range(n):
            dx, dy, dz = Y[0, i] - Y[0, j], Y[1, i] - Y[1, j], Y[2, i] - Y[2, j]
            Q[i, j] = dx * dx + dy * dy + dz * dz
            if j != i and Q[i, j] < least:
                least = Q[i, j]
        total = 0.0
        for j in range(n):
            # Less the least: of far rows every share would be zero.
            Q[i, j] = exp(least - Q[i, j]) if j != i else 0.0
            total += Q[i, j]
        for j in range(n):
            Q[i, j] /= total
    for i in range(n):
        sx, sy, sz = 0.0, 0.0, 0.0
        for j in range(n):
            off = exaggeration * P[i, j] - (Q[i, j] + Q[j, i]) / (2 * n)
            sx += off * (Y[0, i] - Y[0, j])
            sy += off * (Y[1, i] - Y[1, j])
            sz += off * (Y[2, i] - Y[2, j])
        slopes[0, i], slopes[1, i], slopes[2, i] = 4.0 * sx, 4.0 * sy, 4.0 * sz


@njit(cache=True, nogil=True)
def moved(Y, slopes, velocity, gains, momentum, rate):
    """Move Y, (3, n), against the slopes, in place; its mean stays at zero.

    A coordinate that goes on in the direction of its velocity gains speed, one that goes back loses
    it (Jacobs 1988).
    """
    q, n = Y.shape
    for a in range(q):
        mean = 0.0
        for i in range(n):
            if velocity[a, i] * slopes[a, i] < 0.0:
                gains[a, i] += 0.2
            else:
                gains[a, i] = max(gains[a, i] * 0.8, 0.01)
            velocity[a, i] = momentum * velocity[a, i] - rate * gains[a, i] * slopes[a, i]
            Y[a, i] += velocity[a, i]
            mean += Y[a, i] / n
        for i in range(n):
            Y[a, i] -= mean


@njit(cache=True, nogil=True)
def descend(P, Y, velocity, gains, slopes, Q, exaggeration, momentum, rate, most, least):
    """Take `most` steps down the exact gradient, fewer where its norm falls to `least`.

    Of t-SNE, or of SNE where Q has room for its shares, (n, n). Y, velocity and gains, (3, n), are
    changed in place, slopes filled. Returns the number of steps and the norm of the last gradient.
    """
    norm = 0.0
    for k in range(most):
        if len(Q):
            _rows_apart(P, Y, exaggeration, slopes, Q)
        else:
            _pairs(P, Y, exaggeration, slopes)
        norm = sqrt((slopes**2).sum())
        moved(Y, slopes, velocity, gains, momentum, rate)
        if norm <= least:
            return k + 1, norm
    return most, norm


@njit(cache=True, nogil=True)
def cross_entropy(P, Y):
    """Minus the sum of p log q over all pairs, for shares q of t-SNE. P and Y as in `_pairs`."""
    n = Y.shape[1]
    total, whole = 0.0, 0.0
    for i in range(n):
        for j in range(i):
            dx, dy, dz = Y[0, i] - Y[0, j], Y[1, i] - Y[1, j], Y[2, i] - Y[2, j]
            square = 1.0 + dx * dx + dy * dy + dz * dz
            whole += 2.0 / square
            if P[i, j] > 0.0:
                total += 2.0 * P[i, j] * log(square)
    return total + log(whole)


@njit(cache=True, nogil=True)
def row_cross_entropy(P, Y):
    """Minus the mean over rows i of the sum of p(j|i) log q(j|i), for shares q of SNE."""
    n = Y.shape[1]
    total = 0.0
    for i in range(n):
        least = np.inf
        for j in range(n):
            dx, dy, dz = Y[0, i] - Y[0, j], Y[1, i] - Y[1, j], Y[2, i] - Y[2, j]
            if j != i:
                least = min(least, dx * dx + dy * dy + dz * dz)
        whole = 0.0
        for j in range(n):
            if j != i:
                dx, dy, dz = Y[0, i] - Y[0, j], Y[1, i] - Y[1, j], Y[2, i] - Y[2, j]
                square = dx * dx + dy * dy + dz * dz
                whole += exp(least - square)
                total += P[i, j] * square
        total += (log(whole) - least) / n
    return total


@njit(cache=True, nogil=True)
def morton(Y, codes):
    """Fill `codes`, (n,), with the place of each column of Y, (3, n), along a curve of cells.

    20 bits of each coordinate, interleaved: rows of one cell of any size follow each other.
    """
    q, n = Y.shape
    low, high = np.empty(q), np.empty(q)
    span = 0.0
    for a in range(q):
        low[a], high[a] = Y[a].min(), Y[a].max()
        span = max(span, high[a] - low[a])
    scale = 1048575.0 / span if span > 0.0 else 0.0
    for i in range(n):
        code = 0
        for a in range(q):
            v = np.int64((Y[a, i] - low[a]) * scale)
            v = (v | (v << 32)) & 0x1F00000000FFFF
            v = (v | (v << 16)) & 0x1F0000FF0000FF
            v = (v | (v << 8)) & 0x100F00F00F00F00F
            v = (v | (v << 4)) & 0x10C30C30C30C30C3
            v = (v | (v << 2)) & 0x1249249249249249
            code |= v << a
        codes[i] = code


@njit(cache=True, nogil=True)
def cells(Y, codes, starts, ends, after, middles, sizes):
    """Fill the tree of cells of Y, (3, n), whose `codes` rise; return their number, at most 2 n.

    A cell holds the rows starts .. ends; `after` is the first cell outside it, so that the next
    one is its first child, or that; `middles`, (cells, 3), are means, `sizes` squared diagonals.
    """
    n = len(codes)
    ups = np.empty(2 * n, dtype=np.int64)
    stack = np.empty((8 * 24, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, -1
    left, count = 1, 0
    while left:
        left -= 1
        start, end, up = stack[left, 0], stack[left, 1], stack[left, 2]
        here, count = count, count + 1
        starts[here], ends[here], ups[here], after[here] = start, end, up, 1
        differ = codes[start] ^ codes[end - 1]
        if end - start <= CELL or differ == 0:
            continue
        shift = 0
        while differ >> (shift + 3):
            shift += 3
        last = end
        while last > start:  # children from the back, so that the first is taken first
            digit = codes[last - 1] >> shift
            low, high = start, last - 1
            while low < high:
                middle = (low + high) // 2
                if codes[middle] >> shift < digit:
                    low = middle + 1
                else:
                    high = middle
            stack[left, 0], stack[left, 1], stack[left, 2] = low, last, here
            left += 1
            last = low
    for here in range(count - 1, 0, -1):
        after[ups[here]] += after[here]
    lows, highs = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    middles[:count] = 0.0
    for here in range(count - 1, -1, -1):
        if after[here] == 1:
            for i in range(starts[here], ends[here]):
                for a in range(3):
                    v = Y[a, i]
                    middles[here, a] += v
                    lows[here, a] = min(lows[here, a], v)
                    highs[here, a] = max(highs[here, a], v)
        after[here] += here
        up = ups[here]
        width = 0.0
        for a in range(3):
            if up >= 0:
                middles[up, a] += middles[here, a]
                lows[up, a] = min(lows[up, a], lows[here, a])
                highs[up, a] = max(highs[up, a], highs[here, a])
            middles[here, a] /= ends[here] - starts[here]
            width += (highs[here, a] - lows[here, a]) ** 2
        sizes[here] = width
    return count


@njit(cache=True, nogil=True)
def repulsion(Y, starts, ends, after, middles, sizes, count, angle, first, last, pushes, totals):
    """Fill pushes, (3, n), and totals, (n,), of the rows first .. last of Y, (3, n).

    The sum of w^2 (y_i - y_j) and of w = 1/(1 + |y_i - y_j|^2) over other rows j; cells that
    look smaller than `angle` count as their mean (Barnes and Hut 1986).
    """
    bound = angle * angle
    for i in range(first, last):
        x, y, z = Y[0, i], Y[1, i], Y[2, i]
        px, py, pz, total = 0.0, 0.0, 0.0, 0.0
        cell = 0
        while cell < count:
            dx, dy, dz = x - middles[cell, 0], y - middles[cell, 1], z - middles[cell, 2]
            square = dx * dx + dy * dy + dz * dz
            start, end = starts[cell], ends[cell]
            if sizes[cell] < bound * square and not start <= i < end:
                w = 1.0 / (1.0 + square)
                many = w * (end - start)
                total += many
                many *= w
                px += many * dx
                py += many * dy
                pz += many * dz
                cell = after[cell]
                continue
            cell += 1
            if after[cell - 1] != cell:
                continue
            for j in range(start, end):
                dx, dy, dz = x - Y[0, j], y - Y[1, j], z - Y[2, j]
                w = 1.0 / (1.0 + dx * dx + dy * dy + dz * dz)
                if j != i:
                    total += w
                    w *= w
                    px += w * dx
                    py += w * dy
                    pz += w * dz
        pushes[0, i], pushes[1, i], pushes[2, i], totals[i] = px, py, pz, total


@njit(cache=True, nogil=True)
def attraction(edges, ends, weights, Y, first, last, pulls):
    """Fill pulls, (3, n), of the rows first .. last of Y, (3, n): the sum of p w (y_i - y_j).

    The edges of row i, to other rows with weights p, are edges[ends[i] : ends[i + 1]].
    """
    for i in range(first, last):
        x, y, z = Y[0, i], Y[1, i], Y[2, i]
        px, py, pz = 0.0, 0.0, 0.0
        for e in range(ends[i], ends[i + 1]):
            j = edges[e]
            dx, dy, dz = x - Y[0, j], y - Y[1, j], z - Y[2, j]
            w = weights[e] / (1.0 + dx * dx + dy * dy + dz * dz)
            px += w * dx
            py += w * dy
            pz += w * dz
        pulls[0, i], pulls[1, i], pulls[2, i] = px, py, pz


@njit(cache=True, nogil=True)
def edge_cross_entropy(edges, ends, weights, Y):
    """The sum of p log(1 + |y_i - y_j|^2) over all edges, as in `attraction`."""
    total = 0.0
    for i in range(Y.shape[1]):
        for e in range(ends[i], ends[i + 1]):
            j = edges[e]
            dx, dy, dz = Y[0, i] - Y[0, j], Y[1, i] - Y[1, j], Y[2, i] - Y[2, j]
            total += weights[e] * log(1.0 + dx * dx + dy * dy + dz * dz)
    return total


@njit(cache=True, nogil=True)
def shortest_paths(ends, edges, lengths, sources, first, last, D):
    """Fill the rows first .. last of D, (s, n), with lengths of shortest paths (Dijkstra 1959).

    Row k is of the paths from sources[k]; the edges of row i lead to edges[ends[i] : ends[i + 1]];
    no length is negative. A heap holds the rows that are reached, each once, its place in `at`.
    """
    n = len(ends) - 1
    heap, at = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for k in range(first, last):
        source, far = sources[k], D[k]
        far[:] = np.inf
        at[:] = -1
        far[source] = 0.0
        heap[0], at[source], size = source, 0, 1
        while size:
            i = heap[0]
            size -= 1
            moving, place = heap[size], 0
            at[i] = n
            while 2 * place + 1 < size:
                child = 2 * place + 1
                if child + 1 < size and far[heap[child + 1]] < far[heap[child]]:
                    child += 1
                if far[heap[child]] >= far[moving]:
                    break
                heap[place] = heap[child]
                at[heap[place]] = place
                place = child
            if size:
                heap[place] = moving
                at[moving] = place
            for e in range(ends[i], ends[i + 1]):
                j = edges[e]
                length = far[i] + lengths[e]
                if length >= far[j]:
                    continue
                far[j] = length
                if at[j] < 0:
                    at[j] = size
                    size += 1
                place = at[j]
                while place and far[heap[(place - 1) // 2]] > length:
                    heap[place] = heap[(place - 1) // 2]
                    at[heap[place]] = place
                    place = (place - 1) // 2
                heap[place] = j
                at[j] = place
