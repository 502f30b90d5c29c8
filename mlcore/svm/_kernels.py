"""Compiled loops of sequential minimal optimisation on rows of a Gram matrix."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

FAR = 1e300  # the slope of a variable that cannot move: no pair is made with it
FLAT = 1e-12  # least curvature along a pair: flat and concave pairs go to the better end
SUM = {"reassoc", "contract"}  # free order of additions within one product
SETTLED = 0.01  # of the tolerance: a row so near its optimum waits until all rows are seen
MANY = 64  # places that are looked through between two branches
LANES = 8  # so many places are compared side by side: one register of the processor
# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
FIRST = np.int64(0)


@njit(cache=True, nogil=True)
def _ends(up, down, lanes):
    """The least of `up` and the largest of `down`."""
    n = up.shape[0]
    least, most = lanes[0], lanes[1]
    least[:] = FAR
    most[:] = -FAR
    whole = n - n % LANES
    for k in range(0, whole, LANES):
        for t in range(LANES):
            a, b = up[k + t], down[k + t]
            least[t] = a if a < least[t] else least[t]
            most[t] = b if b > most[t] else most[t]
    for k in range(whole, n):
        least[0] = min(least[0], up[k])
        most[0] = max(most[0], down[k])
    return least.min(), most.max()


@njit(cache=True, nogil=True)
def _worse(up, down, split, lanes):
    """Where the group with the larger gap begins and ends, and what `_ends` gives of it."""
    n = up.shape[0]
    least, largest = _ends(up[:split], down[:split], lanes)
    if split == n:
        return 0, n, least, largest
    a, b = _ends(up[split:], down[split:], lanes)
    if b - a > largest - least:
        return split, n, a, b
    return 0, split, least, largest


@njit(cache=True, nogil=True)
def _place(values, wanted, first):
    """The first place from `first` on that holds what is wanted; MANY without a branch."""
    while first + MANY <= values.shape[0]:
        hits = 0
        for t in range(MANY):
            hits += values[first + t] == wanted
        if hits > 0:
            break
        first += MANY
    while values[first] != wanted:
        first += 1
    return first


@njit(cache=True, nogil=True)
def _second(down, diag, row, own, least, gain, lanes):
    """The variable that can fall with which the objective falls most; `gain` is room to work in."""
    n = down.shape[0]
    for k in range(n):
        apart = down[k] - least
        bend = own + diag[k] - 2.0 * row[k]
        bend = bend if bend > FLAT else FLAT
        apart = apart if apart > 0.0 else 0.0
        gain[k] = apart * apart / bend
    most = lanes[0]
    most[:] = -1.0
    whole = n - n % LANES
    for k in range(0, whole, LANES):
        for t in range(LANES):
            most[t] = gain[k + t] if gain[k + t] > most[t] else most[t]
    for k in range(whole, n):
        most[0] = max(most[0], gain[k])
    return _place(gain, most.max(), FIRST)


@njit(cache=True, nogil=True)
def sides(low, high, beta, slope, room):
    """Put what `pairs` goes on from into `room`, (3, n): slopes of what can rise, and can fall."""
    for k in range(slope.shape[0]):
        room[0, k] = slope[k] if beta[k] < high[k] else FAR
        room[1, k] = slope[k] if beta[k] > low[k] else -FAR


@njit(cache=True, nogil=True)
def slopes(room, slope):
    """Put the slopes, (n,), to which `pairs` came with `room`, (3, n), into `slope`."""
    for k in range(slope.shape[0]):
        slope[k] = room[0, k] if room[0, k] < FAR else room[1, k]


@njit(cache=True, nogil=True)
def pairs(rows, slot, diag, low, high, split, tol, most, beta, used, room, report):
    """Move pairs of variables until the gap is at most `tol`, or `most` pairs have moved.

    `rows` holds rows of the Gram matrix, that of variable i at `slot[i]`, where that is not
    negative; `beta` are the variables between `low` and `high`, `room`, shape (3, n), holds what
    `sides` put there: both change in place, and a row that is missing may be brought before the
    next call goes on. The first of a pair is the variable of least slope that can rise, the second
    the one that can fall with which the objective falls most. Variables before `split` pair among
    themselves, and so do the others: `split` is n where all may pair. Returns the number of pairs.
    `used` says when the rows of each pair were needed last. `report` holds the last pair, its
    values before, the step, the step without bounds, the gap that is left, the variable whose row
    is needed to go on, or -1, and the number of pairs so far, by which `used` counts; then what a
    next call that brings this row goes on with: what `_worse` gives, and the second, or -1.
    """
    n = beta.shape[0]
    up, down, gain, lanes = room[0], room[1], room[2], np.empty((2, LANES))
    made, j = 0, -1
    clock = int(report[8]) + 1
    if report[7] >= 0.0:  # nothing else has changed since it was asked for
        first, end, j = int(report[9]), int(report[10]), int(report[13])
        least, largest = report[11], report[12]
    else:
        first, end, least, largest = _worse(up, down, split, lanes)
    report[7] = -1.0
    while True:
        report[6] = largest - least
        if largest - least <= tol or made >= most:
            break
        i = _place(up, least, first)
        used[i] = clock
        if slot[i] < 0:
            report[7] = i
            break
        row, own = rows[slot[i]], diag[i]
        if j < 0:
            j = first + _second(
                down[first:end], diag[first:end], row[first:end], own, least, gain[first:end], lanes
            )
        used[j] = clock
        if slot[j] < 0:
            report[7] = j
            break
        other = rows[slot[j]]
        free = (down[j] - least) / max(own + diag[j] - 2.0 * row[j], FLAT)
        room_i, room_j = high[i] - beta[i], beta[j] - low[j]
        step = min(free, room_i, room_j)
        report[0], report[1], report[2], report[3] = i, j, beta[i], beta[j]
        report[4], report[5] = step, free
        slope_i, slope_j = up[i], down[j]
        # Onto the bound exactly, where rounding would leave a hair of room.
        beta[i] = high[i] if step == room_i else beta[i] + step
        beta[j] = low[j] if step == room_j else beta[j] - step
        up[i] = slope_i if beta[i] < high[i] else FAR
        down[i] = slope_i
        up[j] = slope_j
        down[j] = slope_j if beta[j] > low[j] else -FAR
        for k in range(n):
            by = step * (row[k] - other[k])
            up[k] += by
            down[k] += by
        first, end, least, largest = _worse(up, down, split, lanes)
        made, clock, j = made + 1, clock + 1, -1
    report[8], report[9], report[10] = clock, first, end
    report[11], report[12], report[13] = least, largest, j
    return made


@njit(cache=True, nogil=True)
def _lag_of_row(outputs, beta, own, top):
    """How far a row is from its own optimum: its largest slope less the least of what can rise."""
    least, most = FAR, -FAR
    for k in range(len(outputs)):
        slope = outputs[k] - (1.0 if k == own else 0.0)
        most = max(most, slope)
        if beta[k] < (top if k == own else 0.0):
            least = min(least, slope)
    return most - least


@njit(cache=True, nogil=True)
def _lagging(outputs, beta, code, top, lag):
    """Fill `lag`, (n,), with how far each row is from its own optimum; the row of the largest."""
    worst = 0
    for r in range(outputs.shape[0]):
        lag[r] = _lag_of_row(outputs[r], beta[r], code[r], top[r])
        if lag[r] > lag[worst]:
            worst = r
    return worst


@njit(cache=True, nogil=True)
def _best_of_row(outputs, beta, own, top, bend, step):
    """Put the move of a row to its optimum, the others fixed, into `step`, (K,).

    Crammer and Singer (2001), section 6: of z with z_k <= top for the own class and <= 0 for the
    others, which sums to zero, z_k = min(bound, (level - b_k) / bend); the level follows from the
    order of the classes.
    """
    K = len(step)
    for k in range(K):
        step[k] = outputs[k] - bend * beta[k] + (bend * top - 1.0 if k == own else 0.0)
    level, total, taken, last = -FAR, -bend * top, 0, FAR
    while True:  # classes are few: no sorting
        best = -FAR
        for k in range(K):
            if best < step[k] < last:
                best = step[k]
        if best <= level:
            break
        for k in range(K):
            if step[k] == best:
                total += best
                taken += 1
        last, level = best, total / taken
    for k in range(K):
        bound = top if k == own else 0.0
        step[k] = bound + min(0.0, (level - step[k]) / bend) - beta[k]


@njit(cache=True, nogil=True)
def classwise(rows, slot, diag, code, top, tol, most, beta, outputs, used, lag, report):
    """Move the multipliers of one row after the other until none lags by more than `tol`.

    `beta` are the multipliers, (n, K), that of the class `code` of a row at most `top`, the others
    at most zero, in sum zero; `outputs` is the Gram matrix times `beta`: these two change in place.
    Each time the row that lags most goes to its optimum. Returns the number of moves, at most
    `most`. `rows`, `slot` and `used` as in `pairs`, `lag`, (n,), is filled. `report` holds the
    last row that moved, the lag that is left, and the row that is needed to go on, or -1.
    """
    K = beta.shape[1]
    step = np.empty(K)
    made, clock = 0, used.max() + 1
    report[2] = -1.0
    while True:
        i = _lagging(outputs, beta, code, top, lag)
        report[1] = lag[i]
        if lag[i] <= tol or made >= most:
            return made
        used[i] = clock
        if slot[i] < 0:
            report[2] = i
            return made
        row = rows[slot[i]]
        _best_of_row(outputs[i], beta[i], code[i], top[i], max(diag[i], FLAT), step)
        for k in range(K):
            if step[k] == 0.0:
                continue
            beta[i, k] += step[k]
            for r in range(outputs.shape[0]):
                outputs[r, k] += step[k] * row[r]
        report[0] = i
        made += 1
        clock += 1


@njit(cache=True, nogil=True)
def _shuffled(order, seed):
    """Put `order` into another one; gives the next seed, which lies below 2^31."""
    for k in range(len(order) - 1, 0, -1):
        seed = (seed * 1103515245 + 12345) % 2147483648
        other = (seed >> 8) % (k + 1)
        order[k], order[other] = order[other], order[k]
    return seed


@njit(cache=True, nogil=True, fastmath=SUM)
def classwise_straight(X, diag, code, top, tol, most, beta, weights, outputs, order, at, report):
    """As `classwise` for a linear kernel: rows X, (n, p), in turn, by the `weights` of the classes.

    `weights`, (K, p), is the sum of the rows times `beta` and changes with it; `outputs`, (K,), is
    room to work in. Each row that lags goes to its optimum. A round sees those that lagged in the
    last one while any lags by more than `tol`, then all; it ends when none of all does. The order
    of a round is shuffled (Hsieh et al. 2008: rows in the same order wait for each other).
    `order`, (n,), holds the rows, those of the round first; `at` the place in the round, its
    largest lag, its rows, how many of them lagged, and the seed of the order; `report` as there,
    with the lag of the last round of all. Returns the number of moves, at most `most`.
    """
    step = np.empty(len(weights))
    made = 0
    while True:
        if at[0] == at[2]:
            if at[2] == len(X):
                report[1] = at[1]
                if report[1] <= tol:
                    return made
            at[0], at[1], at[2], at[3] = 0, 0, at[3] if at[1] > tol else len(X), 0
            at[4] = _shuffled(order[: int(at[2])], int(at[4]))
        if made >= most:
            return made
        place, kept = int(at[0]), int(at[3])
        i = order[place]
        for k in range(len(weights)):
            outputs[k] = 0.0
            for j in range(X.shape[1]):
                outputs[k] += weights[k, j] * X[i, j]
        lag = _lag_of_row(outputs, beta[i], code[i], top[i])
        at[0], at[1] = place + 1, max(at[1], lag)
        if lag <= SETTLED * tol:
            continue
        order[place], order[kept], at[3] = order[kept], i, kept + 1
        _best_of_row(outputs, beta[i], code[i], top[i], max(diag[i], FLAT), step)
        for k in range(len(weights)):
            beta[i, k] += step[k]
            for j in range(X.shape[1]):
                weights[k, j] += step[k] * X[i, j]
        report[0] = i
        made += 1
