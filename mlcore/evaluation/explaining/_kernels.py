"""Compiled loops of Shapley values of trees: ways on which rows are mixed, ways by shares."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

REMEMBERED = 10  # variables on a way, of all whose combinations the shares are kept
WORD = 64  # variables on a way that a number tells apart, a bit each


@njit(cache=True, nogil=True)
def share_out(rows_left, others_left, left, group, answers, depth, gains, losses, values):
    """Add the Shapley values of m rows against all of B others to `values`, shape (m, v, K).

    `rows_left`, shape (t, m), and `others_left`, shape (t, B): where each row goes at each of t
    nodes; `depth`: the most questions on a way. `group` is the variable that a node asks about.
    `gains` and `losses`, shape (v + 1, v + 1), are what a leaf gives to each variable that must
    come from the row, or from the other, by how many must come from either.

    A leaf is reached with some variables of the row and the rest of the other where each variable
    on the way leads along it in one of the two. So rows that agree in which do not are a kind of
    their own, and at a leaf only kinds meet. `kinds`, (depth + 1, n), of the rows at each level of
    the way, `astray` the variables of a kind as bits, `many` how many they are, `sizes` how many
    kinds there are.
    """
    words = min(depth, values.shape[1]) // WORD + 1
    own = _crowd(rows_left.shape[1], depth, words)
    others = _crowd(others_left.shape[1], depth, words)
    names, n_names = np.empty(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    shares = np.empty((rows_left.shape[1], depth + 1))
    stack, level_of, top = np.empty(depth + 2, np.int64), np.zeros(left.shape[0], np.int64), 0
    above = np.full(left.shape[0], -1)
    stack[0] = 0
    while top >= 0:
        node, level = stack[top], level_of[stack[top]]
        top -= 1
        if level > 0:
            parent = above[node]
            place = _place(group[parent], names, n_names, level)
            is_left = node == left[parent]
            _part_kinds(rows_left[parent], is_left, place, level, own)
            _part_kinds(others_left[parent], is_left, place, level, others)
            _drop(level, own, others)
            _drop(level, others, own)
            if own[3][level] == 0:
                continue  # no two rows are mixed so that they come here
        if left[node] < 0:
            _meet(level, n_names[level], own, others, gains, losses, shares)
            _give(own[0][level], names[: n_names[level]], shares, answers[node], values)
            continue
        for child in range(left[node], left[node] + 2):
            top += 1
            stack[top], above[child], level_of[child] = child, node, level + 1


@njit(cache=True, nogil=True)
def _crowd(n, depth, words):
    """Rows that are all of one kind at the root: kinds, astray, many, sizes, and room."""
    sizes = np.zeros(depth + 1, np.int64)
    sizes[0] = min(n, 1)
    return (
        np.zeros((depth + 1, n), np.int64), np.zeros((depth + 1, n, words), np.uint64),
        np.zeros((depth + 1, n), np.int64), sizes, np.empty(2 * n + 2, np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _place(variable, names, n_names, level):
    """Which of the variables on the way to a level it is, noted if it is a new one."""
    known = n_names[level - 1]
    at = 0
    while at < known and names[at] != variable:
        at += 1
    names[at] = variable
    n_names[level] = max(known, at + 1)
    return at


@njit(cache=True, nogil=True)
def _part_kinds(goes_left, is_left, place, level, crowd):
    """Part the kinds of the level above by where their rows go: those that do not lead along the
    way go astray by the variable at `place`."""
    kinds, astray, many, sizes, renamed = crowd
    word, bit = place // WORD, np.uint64(1) << np.uint64(place % WORD)
    renamed[: 2 * sizes[level - 1]] = -1
    size = 0
    for i in range(goes_left.shape[0]):
        before = kinds[level - 1, i]
        if before < 0:
            kinds[level, i] = -1
            continue
        key = 2 * before + int(goes_left[i] != is_left)
        if renamed[key] < 0:
            renamed[key] = size
            np.positive(astray[level - 1, before], astray[level, size])
            many[level, size] = many[level - 1, before]
            if key % 2 == 1 and astray[level, size, word] & bit == 0:
                astray[level, size, word] |= bit
                many[level, size] += 1
            size += 1
        kinds[level, i] = renamed[key]
    sizes[level] = size


@njit(cache=True, nogil=True)
def _go_together(a, b):
    """Whether no variable goes astray in both."""
    for word in range(a.shape[0]):  # noqa: SIM110  # compiled loops have no generators
        if a[word] & b[word] != 0:
            return False
    return True


@njit(cache=True, nogil=True)
def _drop(level, crowd, others):
    """Leave out the kinds that go together with none of the others."""
    kinds, astray, many, sizes, renamed = crowd
    size = 0
    for kind in range(sizes[level]):
        renamed[kind], other = -1, 0
        while other < others[3][level]:
            if _go_together(astray[level, kind], others[1][level, other]):
                break
            other += 1
        if other < others[3][level]:
            renamed[kind] = size
            np.positive(astray[level, kind], astray[level, size])
            many[level, size] = many[level, kind]
            size += 1
    if size < sizes[level]:
        for i in range(kinds.shape[1]):
            if kinds[level, i] >= 0:
                kinds[level, i] = renamed[kinds[level, i]]
    sizes[level] = size


@njit(cache=True, nogil=True)
def _meet(level, n, own, others, gains, losses, shares):
    """Fill `shares`, by kind of own row and variable on the way: what a leaf of answer 1 gives."""
    kinds, astray, many, sizes, count = others
    count[: sizes[level]] = 0
    for kind in kinds[level]:
        if kind >= 0:
            count[kind] += 1
    shares[: own[3][level], :n] = 0.0
    for kind in range(own[3][level]):
        a, c = own[1][level, kind], own[2][level, kind]
        for other in range(sizes[level]):
            b = astray[level, other]
            if not _go_together(a, b):
                continue
            gain = count[other] * gains[many[level, other], c]
            loss = count[other] * losses[many[level, other], c]
            for place in range(n):
                bit = np.uint64(place % WORD)
                from_own = (b[place // WORD] >> bit) & np.uint64(1)
                from_other = (a[place // WORD] >> bit) & np.uint64(1)
                shares[kind, place] += gain * from_own - loss * from_other


@njit(cache=True, nogil=True)
def _give(kinds, names, shares, answer, values):
    """Add what a leaf gives to the values of each row."""
    for i in range(kinds.shape[0]):
        if kinds[i] >= 0:
            for place in range(names.shape[0]):
                for k in range(answer.shape[0]):
                    values[i, names[place], k] += shares[kinds[i], place] * answer[k]


@njit(cache=True, nogil=True)
def share_out_by_path(rows_left, left, group, weight, answers, depth, sizes, values):
    """Add the path-dependent Shapley values of m rows to `values`, shape (m, v, K).

    `rows_left`, shape (m, t): where each row goes; `left` and `group` as of `share_out`; `weight`,
    shape (t,), is what of the training rows came to a node; no way is longer than `depth`. `sizes`,
    at least of shape (depth + 1, depth + 1): the weight of a set of s variables among n, by n and
    s. Rows that agree in which variables of a way lead them along it are shared out once.
    """
    above = np.full(left.shape[0], -1)
    for node in range(left.shape[0]):
        if left[node] >= 0:
            above[left[node]], above[left[node] + 1] = node, node
    nodes, places = np.empty(depth, dtype=np.int64), np.empty(depth, dtype=np.int64)
    is_left, along = np.empty(depth, dtype=np.bool_), np.empty(depth, dtype=np.bool_)
    names, unknown = np.empty(depth, dtype=np.int64), np.empty(depth)
    sums = np.empty(depth + 1)
    known = min(depth, REMEMBERED)
    shares, of_leaf = np.empty((1 << known, depth)), np.full(1 << known, -1)
    for leaf in range(left.shape[0]):
        if left[leaf] >= 0:
            continue
        n, length, node = 0, 0, leaf
        while above[node] >= 0:  # up to the root: a variable has one share, of all its nodes
            parent = above[node]
            at = 0
            while at < n and names[at] != group[parent]:
                at += 1
            if at == n:
                names[n], unknown[n] = group[parent], 1.0
                n += 1
            unknown[at] *= weight[node] / weight[parent]
            nodes[length], places[length], is_left[length] = parent, at, node == left[parent]
            length += 1
            node = parent
        for i in range(rows_left.shape[0]):
            along[:n] = True
            for j in range(length):
                if rows_left[i, nodes[j]] != is_left[j]:
                    along[places[j]] = False
            code = 0
            if n <= known:
                for at in range(n):
                    code = 2 * code + along[at]
            if n > known or of_leaf[code] != leaf:
                _share_leaf_out(along, unknown, n, sizes, sums, shares[code])
                of_leaf[code] = leaf
            for at in range(n):
                for k in range(answers.shape[1]):
                    values[i, names[at], k] += shares[code, at] * answers[leaf, k]


@njit(cache=True, nogil=True)
def _share_leaf_out(along, unknown, n, sizes, sums, shares):
    """What each of n variables does for coming to a leaf: to `shares`.

    A set of them comes there with 1 for each that leads along the way, 0 for each that does not,
    and the product of the shares of the others. `sums` by size: of all sets of those that lead
    along it, the product of the shares of those that are not in the set.
    """
    others, a = 1.0, 0
    sums[0] = 1.0
    for at in range(n):
        if not along[at]:
            others *= unknown[at]
            continue
        sums[a + 1] = sums[a]
        for s in range(a, 0, -1):
            sums[s] = sums[s - 1] + unknown[at] * sums[s]
        sums[0] *= unknown[at]
        a += 1
    loss = 0.0  # of each that does not lead along it
    for s in range(a + 1 if a < n else n):
        loss += sizes[n, s] * sums[s]
    for at in range(n):
        if not along[at]:
            shares[at] = -others * loss
            continue
        gain, without = 0.0, 0.0  # sums of the others alone, from the largest size down
        for s in range(a, 0, -1):
            without = sums[s] - unknown[at] * without
            gain += sizes[n, s - 1] * without
        shares[at] = others * (1.0 - unknown[at]) * gain
