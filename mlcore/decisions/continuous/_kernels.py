"""Compiled loops of worlds whose states are vectors: their moves, features, learning, playing.

A world is a tuple: `code`, `constants`, `low` and `high` of the box where episodes begin, (d,). A
world of tables is one too: its one coordinate is the number of the state, `low` has the chances to
begin in each, (S,), and behind `high` follow the lists of its transitions. Features are a tuple:
`kind`, `powers` (n, d), `n_tilings`, `n_tiles`, `lows`, `spans` and `wraps` (d,). Actions are
numbered from 0; in a world that can be pushed by any amount what lies between two numbers lies
between the two actions. Inputs are read-only, outputs filled in place.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

CART_POLE, MOUNTAIN_CAR, ACROBOT, TABLE, PENDULUM, PUSHED_CAR = 0, 1, 2, 3, 4, 5
TILES, FOURIER, POLYNOMIAL, ONE_HOT = 0, 1, 2, 3
FAINT = 1e-8  # of a trace: what is below corrects a weight by less than rounding does
WIDEST = 3.0  # of the logarithm by which a spread may grow or shrink
LARGEST = 1e10  # of an error of prediction: beyond, the weights grow without end
# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
FIRST, ADDED = np.int64(0), np.bool_(False)


@njit(cache=True, nogil=True)
def _drawn(chances, first, end, u):
    """The entry between `first` and `end` that the uniform number u picks by the probabilities."""
    upto = chances[first]
    k = first
    while k < end - 1 and u >= upto:
        k += 1
        upto += chances[k]
    return k


@njit(cache=True, nogil=True)
def _begin(world, state, rng):
    """Fill `state` with one drawn evenly from the box of starts, or by the chances of a table."""
    low, high = world[2], world[3]
    if world[0] == TABLE:
        state[0] = _drawn(low, FIRST, len(low), rng.random())
        return
    for i in range(len(state)):
        state[i] = low[i] + (high[i] - low[i]) * rng.random()


@njit(cache=True, nogil=True)
def _cart_pole(c, s, action):
    """One step of Euler's method, as Barto, Sutton and Anderson (1983) wrote it."""
    gravity, total, pole, half, force, tau = c[0], c[1] + c[2], c[2], c[3], c[4], c[5]
    push = force if action == 1.0 else -force
    cos, sin = np.cos(s[2]), np.sin(s[2])
    thrust = (push + pole * half * (s[3] * s[3]) * sin) / total
    turning = (gravity * sin - cos * thrust) / (half * (4.0 / 3.0 - pole * (cos * cos) / total))
    driving = thrust - pole * half * turning * cos / total
    s[0] += tau * s[1]
    s[1] += tau * driving
    s[2] += tau * s[3]
    s[3] += tau * turning
    return 1.0, abs(s[0]) > c[6] or abs(s[2]) > c[7]


@njit(cache=True, nogil=True)
def _mountain_car(c, s, action):
    """One step: constants are force, gravity, ends of the track, largest speed and the goal."""
    speed = s[1] + (action - 1.0) * c[0] + np.cos(3.0 * s[0]) * (-c[1])
    speed = min(max(speed, -c[4]), c[4])
    s[0] = min(max(s[0] + speed, c[2]), c[3])
    s[1] = 0.0 if s[0] == c[2] and speed < 0.0 else speed
    return -1.0, s[0] >= c[5] and s[1] >= 0.0


@njit(cache=True, nogil=True)
def _swinging(c, s, torque, out):
    """Fill `out` with the derivative of the state of two links, Sutton and Barto (1998), 11.3."""
    gravity, mass, length, middle, inertia = c[0], c[1], c[2], c[3], c[4]
    apart = length**2 + middle**2 + 2.0 * length * middle * np.cos(s[1])
    d1 = mass * middle**2 + mass * apart + 2.0 * inertia
    d2 = mass * (middle**2 + length * middle * np.cos(s[1])) + inertia
    phi2 = mass * middle * gravity * np.cos(s[0] + s[1] - np.pi / 2)
    phi1 = (
        -mass * length * middle * s[3] ** 2 * np.sin(s[1])
        - 2.0 * mass * length * middle * s[3] * s[2] * np.sin(s[1])
        + (mass * middle + mass * length) * gravity * np.cos(s[0] - np.pi / 2)
        + phi2
    )
    inner = torque + d2 / d1 * phi1 - mass * length * middle * s[2] ** 2 * np.sin(s[1]) - phi2
    second = inner / (mass * middle**2 + inertia - d2**2 / d1)
    out[0], out[1], out[3] = s[2], s[3], second
    out[2] = -(d2 * second + phi1) / d1


@njit(cache=True, nogil=True)
def _acrobot(c, s, action):
    """One step of the classical Runge-Kutta method of order 4."""
    step, torque = c[5], action - 1.0
    k1, k2, k3, k4 = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    _swinging(c, s, torque, k1)
    _swinging(c, s + step / 2 * k1, torque, k2)
    _swinging(c, s + step / 2 * k2, torque, k3)
    _swinging(c, s + step * k3, torque, k4)
    for i in range(4):
        s[i] += step / 6 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
    for i in range(2):
        while s[i] > np.pi:
            s[i] -= 2 * np.pi
        while s[i] < -np.pi:
            s[i] += 2 * np.pi
        s[2 + i] = min(max(s[2 + i], -c[6 + i]), c[6 + i])
    is_up = -np.cos(s[0]) - np.cos(s[1] + s[0]) > 1.0
    return 0.0 if is_up else -1.0, is_up


@njit(cache=True, nogil=True)
def _pendulum(c, s, action):
    """One step: constants are gravity, mass, length, seconds, largest speed and torque."""
    torque = (action - 1.0) * c[5]
    cost = s[0] ** 2 + 0.1 * s[1] ** 2 + 0.001 * torque**2
    pull = 3.0 * c[0] / (2.0 * c[2]) * np.sin(s[0]) + 3.0 / (c[1] * c[2] ** 2) * torque
    s[1] = min(max(s[1] + pull * c[3], -c[4]), c[4])
    s[0] = (s[0] + s[1] * c[3] + np.pi) % (2.0 * np.pi) - np.pi
    return -cost, False


@njit(cache=True, nogil=True)
def _by_table(world, state, action, rng):
    """One move by the lists of transitions, with one uniform number."""
    offsets = world[4]
    row = int(state[0]) * ((len(offsets) - 1) // len(world[2])) + int(action)
    k = _drawn(world[6], offsets[row], offsets[row + 1], rng.random())
    state[0] = world[5][k]
    return world[7][k], world[8][k]


@njit(cache=True, nogil=True)
def _move(world, state, action, rng):
    """One move of a world: the state changes in place; reward, and whether it is the end."""
    if world[0] == TABLE:
        return _by_table(world, state, action, rng)
    if world[0] == CART_POLE:
        return _cart_pole(world[1], state, action)
    if world[0] == MOUNTAIN_CAR:
        return _mountain_car(world[1], state, action)
    if world[0] == PENDULUM:
        return _pendulum(world[1], state, action)
    if world[0] == PUSHED_CAR:
        is_there = _mountain_car(world[1], state, action)[1]
        return (100.0 if is_there else 0.0) - 0.1 * (action - 1.0) ** 2, is_there
    return _acrobot(world[1], state, action)


@njit(cache=True, nogil=True)
def follow(world, start, actions, rng, states, rewards, ends):
    """Fill `states`, shape (T + 1, d), `rewards` and `ends`, (T,), with what the actions lead to.

    It goes on behind an end: whoever asks cuts it there.
    """
    state = start.copy()
    np.positive(state, states[0])
    for t in range(len(actions)):
        rewards[t], ends[t] = _move(world, state, actions[t], rng)
        np.positive(state, states[t + 1])


@njit(cache=True, nogil=True)
def _share(basis, state, i):
    """Coordinate i from 0 to 1 across its range; what lies beyond is put to the end."""
    return min(max((state[i] - basis[4][i]) / basis[5][i], 0.0), 1.0)


@njit(cache=True, nogil=True)
def _featured(basis, state, index, value):
    """Fill the positions and the values of the features that are not always zero."""
    kind, powers, n_tilings, n_tiles, wraps = basis[0], basis[1], basis[2], basis[3], basis[6]
    if kind == ONE_HOT:
        index[0], value[0] = int(state[0]), 1.0
        return
    if kind == TILES:
        size = 1
        for i in range(len(state)):
            size *= n_tiles if wraps[i] else n_tiles + 1
        for t in range(n_tilings):
            at = 0
            for i in range(len(state)):
                # Moved by odd multiples, as Miller and Glanz (1996): else corners fall together.
                moved = ((2 * i + 1) * t % n_tilings) / n_tilings
                cell = int(_share(basis, state, i) * n_tiles + moved)
                cells = n_tiles if wraps[i] else n_tiles + 1
                at = at * cells + (cell % cells if wraps[i] else cell)
            index[t], value[t] = t * size + at, 1.0
        return
    for j in range(len(powers)):
        index[j], value[j] = j, 1.0
        angle = 0.0
        for i in range(len(state)):
            x = _share(basis, state, i)
            if kind == FOURIER:
                angle += powers[j, i] * x
            else:
                value[j] *= (2.0 * x - 1.0) ** powers[j, i]
        if kind == FOURIER:
            value[j] = np.cos(np.pi * angle)


@njit(cache=True, nogil=True)
def _scored(weights, index, value, q):
    """Fill `q`, shape (A,), with the value of each action."""
    for a in range(len(q)):
        q[a] = 0.0
        for j in range(len(index)):
            q[a] += weights[a, index[j]] * value[j]


@njit(cache=True, nogil=True)
def design(basis, n_active, states, index, value):
    """Fill `index` and `value`, shape (m, n_active), with the features of each of the states."""
    for k in range(len(states)):
        _featured(basis, states[k], index[k], value[k])


@njit(cache=True, nogil=True)
def _first_best(q):
    """The position of the largest value; of several, the first."""
    best = 0
    for a in range(1, len(q)):
        if q[a] > q[best]:
            best = a
    return best


@njit(cache=True, nogil=True)
def _greedy(q, spread):
    """The best action, the first of several; of a Gaussian policy its mean."""
    return float(_first_best(q)) if spread == 0.0 else min(max(q[0], -1.0), 1.0) + 1.0


@njit(cache=True, nogil=True)
def recorded(world, basis, weights, spread, n_active, start, rng, states, actions, q):
    """Fill the states (T + 1, d), actions (T,), scores (T, R) of a greedy episode.

    Returns its length and the sum of its rewards.
    """
    index, value = np.empty(n_active, dtype=np.int64), np.empty(n_active)
    state, is_over, t, total = start.copy(), False, 0, 0.0
    np.positive(state, states[0])
    while not is_over and t < len(actions):
        _featured(basis, state, index, value)
        _scored(weights, index, value, q[t])
        actions[t] = _greedy(q[t], spread)
        reward, is_over = _move(world, state, actions[t], rng)
        total += reward
        t += 1
        np.positive(state, states[t])
    return t, total


@njit(cache=True, nogil=True)
def _seen(basis, state, visits):
    """Count the state in the map of each pair of its coordinates."""
    d, cells, pair = len(state), visits.shape[1], 0
    for i in range(d):
        for j in range(i + 1, d):
            row = min(int(_share(basis, state, j) * cells), cells - 1)
            column = min(int(_share(basis, state, i) * cells), cells - 1)
            visits[pair, row, column] += 1
            pair += 1


@njit(cache=True, nogil=True)
def _chosen(q, epsilon, temperature, rng):
    """One choice: random with probability epsilon, else softmax, the best at temperature 0."""
    if epsilon > 0.0 and rng.random() < epsilon:
        return int(rng.random() * len(q))
    if temperature == 0.0:
        return _first_best(q)
    p = np.exp((q - q.max()) / temperature)
    left = rng.random() * p.sum()
    for a in range(len(q)):
        left -= p[a]
        if left < 0.0:
            return a
    return len(q) - 1


@njit(cache=True, nogil=True)
def _expected(q, epsilon, temperature):
    """The mean value of the choice that `_chosen` makes."""
    if temperature == 0.0:
        return (1.0 - epsilon) * q.max() + epsilon * q.mean()
    p = np.exp((q - q.max()) / temperature)
    return (1.0 - epsilon) * (p * q).sum() / p.sum() + epsilon * q.mean()


@njit(cache=True, nogil=True)
def _faded(traces, touched, n_touched, factor):
    """Multiply the traces that are not zero by a factor and forget faint ones; how many are left.

    `traces` and `touched` are flat over actions and features; the first `n_touched` of `touched`
    are the positions of the traces that are not zero.
    """
    k = 0
    while k < n_touched:
        at = touched[k]
        traces[at] *= factor
        if abs(traces[at]) < FAINT:
            traces[at] = 0.0
            n_touched -= 1
            touched[k] = touched[n_touched]
        else:
            k += 1
    return n_touched


@njit(cache=True, nogil=True)
def _marked(traces, touched, n_touched, first, index, value, is_binary):
    """Add the features of an action to the traces, or set them to 1; how many there are now."""
    for j in range(len(index)):
        at = first + index[j]
        if value[j] == 0.0:
            continue
        if traces[at] == 0.0:
            touched[n_touched] = at
            n_touched += 1
        traces[at] = value[j] if is_binary else traces[at] + value[j]
        if traces[at] == 0.0:  # two that cancel: it stays listed, and the next fading drops it
            traces[at] = FAINT / 2
    return n_touched


@njit(cache=True, nogil=True)
def learn_values(
    world, basis, n_active, is_binary, scale, gamma, decay, target, rates, epsilons, temperatures,
    horizon, nature, agent, weights, visits, returns, lengths,
):  # fmt: skip
    """Learn `weights`, shape (A, n), by semi-gradient temporal differences; whether it converges.

    `target` is 0 for Q-learning, 1 for SARSA, 2 for expected SARSA; `decay` is lambda. The step of
    weight j is rates[episode] * scale[j]. The sum of the rewards and the moves of each episode are
    put into `returns` and `lengths`. Q-learning cuts its traces where an action is not a best one
    (Watkins).
    """
    n_actions, n = weights.shape
    flat = weights.reshape(-1)
    state = np.empty(len(basis[4]))
    index, value = np.empty(n_active, dtype=np.int64), np.empty(n_active)
    q, after_q = np.empty(n_actions), np.empty(n_actions)
    traces, touched = np.zeros(n_actions * n), np.empty(n_actions * n, dtype=np.int64)
    n_touched = FIRST
    for episode in range(len(rates)):
        n_touched = _faded(traces, touched, n_touched, 0.0)
        _begin(world, state, nature)
        epsilon, temperature = epsilons[episode], temperatures[episode]
        _featured(basis, state, index, value)
        _scored(weights, index, value, q)
        a, t, is_over = _chosen(q, epsilon, temperature, agent), 0, False
        while not is_over and t < horizon:
            _seen(basis, state, visits)
            kept = 0.0 if target == 0 and q[a] < q.max() else gamma * decay
            n_touched = _faded(traces, touched, n_touched, kept)
            n_touched = _marked(traces, touched, n_touched, a * n, index, value, is_binary)
            reward, is_over = _move(world, state, float(a), nature)
            t += 1
            returns[episode] += reward
            error, after = reward - q[a], 0
            if not is_over:  # a time limit cuts the episode, not the world
                _featured(basis, state, index, value)
                _scored(weights, index, value, after_q)
                after = _chosen(after_q, epsilon, temperature, agent)
                if target == 0:
                    error += gamma * after_q.max()
                elif target == 1:
                    error += gamma * after_q[after]
                else:
                    error += gamma * _expected(after_q, epsilon, temperature)
            if not abs(error) < LARGEST:
                return False
            for k in range(n_touched):
                at = touched[k]
                flat[at] += rates[episode] * scale[at % n] * error * traces[at]
            a = after
            _scored(weights, index, value, q)
        lengths[episode] = t
    return True


@njit(cache=True, nogil=True)
def _ruled(rule, epsilon, state, rng):
    """The action that a `rule`, (A, d + 1), scores highest; with probability epsilon any.

    A score is a constant, which stands first, and a weight times each coordinate.
    """
    if epsilon > 0.0 and rng.random() < epsilon:
        return int(rng.random() * len(rule))
    best, most = 0, -np.inf
    for a in range(len(rule)):
        score = rule[a, 0]
        for i in range(len(state)):
            score += rule[a, i + 1] * state[i]
        if score > most:
            best, most = a, score
    return best


@njit(cache=True, nogil=True)
def walk(world, rule, epsilon, horizon, nature, agent, states, actions):
    """Fill `states`, (T, d), and `actions`, (T,), with T moves by a rule, episode by episode."""
    state, t, is_over = np.empty(states.shape[1]), horizon, True
    for row in range(len(states)):
        if is_over or t == horizon:
            _begin(world, state, nature)
            t = 0
        np.positive(state, states[row])
        actions[row] = _ruled(rule, epsilon, state, agent)
        _, is_over = _move(world, state, float(actions[row]), nature)
        t += 1


@njit(cache=True, nogil=True)
def earn(world, rule, epsilon, gamma, states, actions, longest, nature, agent, totals):
    """Fill `totals`, (m, k), with discounted sums of rewards after each of the states, (m, d).

    The first action is given, (m,), or -1 for that of the rule. Whether all that came without a
    discount to their end within the `longest` number of moves.
    """
    is_whole, state = True, np.empty(states.shape[1])
    for row in range(len(states)):
        for k in range(totals.shape[1]):
            np.positive(states[row], state)
            t, is_over, worth = 0, False, 1.0
            totals[row, k] = 0.0
            while not is_over and t < longest:
                a = _ruled(rule, epsilon, state, agent)
                if t == 0 and actions[row] >= 0:
                    a = actions[row]
                reward, is_over = _move(world, state, float(a), nature)
                totals[row, k] += worth * reward
                worth *= gamma
                t += 1
            is_whole = is_whole and is_over
    return is_whole


@njit(cache=True, nogil=True)
def predict_values(
    world, basis, n_active, scale, gamma, decay, by_action, by_episode, rule, epsilon, rates,
    horizon, nature, agent, weights, visits,
):  # fmt: skip
    """Learn `weights`, (R, n), of the values under a rule by TD(lambda); whether they converge.

    One row of them is for the values of states; `by_action` there is one for each action. With
    `by_episode` all errors of an episode are of the weights that it began with, which move at its
    end. The step of weight j is rates[episode] * scale[j].
    """
    n = weights.shape[1]
    flat = weights.reshape(-1)
    owed = np.zeros(len(flat) if by_episode else 0)
    state = np.empty(len(basis[4]))
    index, value = np.empty(n_active, dtype=np.int64), np.empty(n_active)
    traces, touched = np.zeros(len(flat)), np.empty(len(flat), dtype=np.int64)
    n_touched = FIRST
    for episode in range(len(rates)):
        n_touched = _faded(traces, touched, n_touched, 0.0)
        _begin(world, state, nature)
        _featured(basis, state, index, value)
        a, t, is_over = _ruled(rule, epsilon, state, agent), 0, False
        while not is_over and t < horizon:
            _seen(basis, state, visits)
            first = a * n if by_action else 0
            n_touched = _faded(traces, touched, n_touched, gamma * decay)
            n_touched = _marked(traces, touched, n_touched, first, index, value, ADDED)
            error = 0.0
            for j in range(n_active):
                error -= flat[first + index[j]] * value[j]
            reward, is_over = _move(world, state, float(a), nature)
            t += 1
            error += reward
            if not is_over:  # a time limit cuts the episode, not the world
                _featured(basis, state, index, value)
                a = _ruled(rule, epsilon, state, agent)
                first = a * n if by_action else 0
                for j in range(n_active):
                    error += gamma * flat[first + index[j]] * value[j]
            if not abs(error) < LARGEST:
                return False
            for k in range(n_touched):
                at = touched[k]
                step = rates[episode] * scale[at % n] * error * traces[at]
                if by_episode:
                    owed[at] += step
                else:
                    flat[at] += step
        if by_episode:
            flat += owed
            owed[:] = 0.0
    return True


@njit(cache=True, nogil=True)
def _preferred(q, p):
    """Fill `p` with the softmax of the preferences `q`."""
    top, total = q.max(), 0.0
    for a in range(len(q)):
        p[a] = np.exp(q[a] - top)
        total += p[a]
    for a in range(len(q)):
        p[a] /= total


@njit(cache=True, nogil=True)
def _acted(q, spread, is_learned, rng, told, score):
    """Draw an action by preferences, or normally about q[0] where there is a `spread`.

    `told` is filled with the probabilities, or with mean and spread, `score` with the derivatives
    of the log-probability of what was drawn by `q`. A normal action is cut off at the ends only
    after it was drawn, so its density is that of the whole line.
    """
    if spread == 0.0:
        _preferred(q, told)
        a = _drawn(told, FIRST, len(q), rng.random())
        for b in range(len(q)):
            score[b] = (1.0 if b == a else 0.0) - told[b]
        return float(a)
    told[0], told[1] = q[0], spread * np.exp(min(max(q[1], -WIDEST), WIDEST))
    z = rng.standard_normal()
    score[0], score[1] = z / told[1], z * z - 1.0 if is_learned else 0.0
    return min(max(q[0] + told[1] * z, -1.0), 1.0) + 1.0


@njit(cache=True, nogil=True)
def roll(
    world, basis, weights, spread, is_learned, horizon, nature, agent, visits, index, value,
    told, scores, rewards, lengths,
):  # fmt: skip
    """Act by a softmax or a Gaussian policy over len(lengths) episodes, one behind the other.

    Fills for each move the features of the state, `index` and `value` (T, n_active), what is `told`
    of the policy and the `scores`, (T, R), as `_acted`, and the reward (T,), and the `lengths` of
    the episodes.
    """
    state, q, row = np.empty(len(basis[4])), np.empty(len(weights)), 0
    for episode in range(len(lengths)):
        _begin(world, state, nature)
        t, is_over = 0, False
        while not is_over and t < horizon:
            _seen(basis, state, visits)
            _featured(basis, state, index[row], value[row])
            _scored(weights, index[row], value[row], q)
            act = _acted(q, spread, is_learned, agent, told[row], scores[row])
            rewards[row], is_over = _move(world, state, act, nature)
            row += 1
            t += 1
        lengths[episode] = t


@njit(cache=True, nogil=True)
def _caught_up(flat, advantage, since, total, at):
    """Move a weight of the policy by all steps along its `advantage` that it has not made yet."""
    flat[at] += (total - since[at]) * advantage[at]
    since[at] = total


@njit(cache=True, nogil=True)
def _foreseen(advantage, n, index, value, scores):
    """What is foreseen of a move with these `scores`, (R,): linear in the derivatives of ln pi."""
    total = 0.0
    for b in range(len(scores)):
        for j in range(len(index)):
            total += scores[b] * advantage[b * n + index[j]] * value[j]
    return total


@njit(cache=True, nogil=True)
def learn_policy(
    world, basis, n_active, scale, spread, is_learned, gamma, counting, decay, rates, critic_rate,
    horizon, nature, agent, weights, critic, advantage, visits, returns, lengths,
):  # fmt: skip
    """Actor and critic learn from every move; whether they converge.

    The error of the `critic`, (n,), moves its own weights and the `weights` of the policy, (R, n),
    along their traces, which fade by gamma times `decay`. With an `advantage`, (R n,), it moves
    that along the traces, and the policy moves by it: a step a move for every weight, which is
    made up for when the weight is next needed. In the `returns` of the episodes a reward t moves
    later counts `counting` to the power t.
    """
    is_natural, total, since = len(advantage) > 0, 0.0, np.zeros(len(advantage))
    n_actions, n = weights.shape
    flat = weights.reshape(-1)
    state = np.empty(len(basis[4]))
    index, value = np.empty(n_active, dtype=np.int64), np.empty(n_active)
    q, told, scores = np.empty(n_actions), np.empty(n_actions), np.empty(n_actions)
    actor, acted = np.zeros(n_actions * n), np.empty(n_actions * n, dtype=np.int64)
    traces, touched = np.zeros(n), np.empty(n, dtype=np.int64)
    n_acted, n_touched = FIRST, FIRST
    for episode in range(len(rates)):
        n_acted = _faded(actor, acted, n_acted, 0.0)
        n_touched = _faded(traces, touched, n_touched, 0.0)
        _begin(world, state, nature)
        _featured(basis, state, index, value)
        t, is_over, weight, worth = 0, False, 1.0, 1.0
        while not is_over and t < horizon:
            _seen(basis, state, visits)
            if is_natural:
                for b in range(n_actions):
                    for j in range(n_active):
                        _caught_up(flat, advantage, since, total, b * n + index[j])
            _scored(weights, index, value, q)
            act = _acted(q, spread, is_learned, agent, told, scores)
            n_touched = _faded(traces, touched, n_touched, gamma * decay)
            n_touched = _marked(traces, touched, n_touched, FIRST, index, value, ADDED)
            n_acted = _faded(actor, acted, n_acted, gamma * decay)
            for b in range(n_actions):
                along = weight * scores[b] * value
                n_acted = _marked(actor, acted, n_acted, b * n, index, along, ADDED)
            if is_natural:
                share = critic_rate * weight * _foreseen(advantage, n, index, value, scores)
                if not abs(share) < LARGEST:
                    return False
                for b in range(n_actions):
                    for j in range(n_active):
                        at = b * n + index[j]
                        advantage[at] -= share * scale[index[j]] * scores[b] * value[j]
            error = 0.0
            for j in range(n_active):
                error -= critic[index[j]] * value[j]
            reward, is_over = _move(world, state, act, nature)
            t += 1
            weight *= gamma
            returns[episode] += worth * reward
            worth *= counting
            error += reward
            if not is_over:
                _featured(basis, state, index, value)
                for j in range(n_active):
                    error += gamma * critic[index[j]] * value[j]
            if not abs(error) < LARGEST:
                return False
            for k in range(n_touched):
                at = touched[k]
                critic[at] += critic_rate * scale[at] * error * traces[at]
            for k in range(n_acted):
                at = acted[k]
                if is_natural:
                    _caught_up(flat, advantage, since, total, at)
                    advantage[at] += critic_rate * scale[at % n] * error * actor[at]
                else:
                    flat[at] += rates[episode] * scale[at % n] * error * actor[at]
            total += rates[episode]
        lengths[episode] = t
    for at in range(len(advantage)):
        _caught_up(flat, advantage, since, total, at)
    return True
