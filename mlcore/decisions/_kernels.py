"""Compiled loops of Markov decision processes as tables.

Inputs are read-only and C-ordered, outputs filled in place. The transitions of state s under
action a are the entries offsets[s * A + a] to offsets[s * A + a + 1] of the four lists. Learners
may meet a world that changes after `change` moves: until then entries have the chances `before`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FIRST = NO_ACTIONS = np.int64(0)  # typed: numba compiles a loop anew for a bare number
IS_DRAWN, IS_MEAN = np.bool_(True), np.bool_(False)


@njit(cache=True, nogil=True)
def backup(offsets, successors, chances, rewards, ends, gamma, v, q):
    """Fill `q`, shape (S, A), with r + gamma E[v of the next state]; an end is worth nothing."""
    n_states, n_actions = q.shape
    for s in range(n_states):
        for a in range(n_actions):
            total = 0.0
            for k in range(offsets[s * n_actions + a], offsets[s * n_actions + a + 1]):
                later = 0.0 if ends[k] else gamma * v[successors[k]]
                total += chances[k] * (rewards[k] + later)
            q[s, a] = total


@njit(cache=True, nogil=True)
def sweep_in_place(offsets, successors, chances, rewards, ends, gamma, v, q):
    """One Gauss-Seidel sweep: each state sees the new values of the states before it."""
    n_states, n_actions = q.shape
    for s in range(n_states):
        best = -np.inf
        for a in range(n_actions):
            total = 0.0
            for k in range(offsets[s * n_actions + a], offsets[s * n_actions + a + 1]):
                later = 0.0 if ends[k] else gamma * v[successors[k]]
                total += chances[k] * (rewards[k] + later)
            q[s, a] = total
            best = max(best, total)
        v[s] = best


@njit(cache=True, nogil=True)
def values_within(offsets, successors, chances, rewards, ends, gamma, policy, horizon, v):
    """Fill `v`, shape (S,), with what `policy`, shape (S, A), earns in `horizon` moves."""
    n_states, n_actions = policy.shape
    v[:] = 0.0
    for _ in range(horizon):
        before = v.copy()
        change = 0.0
        for s in range(n_states):
            value = 0.0
            for a in range(n_actions):
                if policy[s, a] == 0.0:
                    continue
                total = 0.0
                for k in range(offsets[s * n_actions + a], offsets[s * n_actions + a + 1]):
                    later = 0.0 if ends[k] else gamma * before[successors[k]]
                    total += chances[k] * (rewards[k] + later)
                value += policy[s, a] * total
            v[s] = value
            change = max(change, abs(value - before[s]))
        if change == 0.0:
            break


@njit(cache=True, nogil=True)
def _best(values, rng):
    """The position of the largest value; of several, one at random."""
    top, count = values[0], 1
    for i in range(1, len(values)):
        if values[i] > top:
            top, count = values[i], 1
        elif values[i] == top:
            count += 1
    skip = int(rng.random() * count) if count > 1 else 0
    for i in range(len(values)):
        if values[i] == top:
            if skip == 0:
                return i
            skip -= 1
    return 0  # where a value is missing none equals the largest


@njit(cache=True, nogil=True)
def _chosen(values, epsilon, temperature, rng):
    """One choice: random with probability epsilon, else softmax, the best at temperature 0."""
    if epsilon > 0.0 and rng.random() < epsilon:
        return int(rng.random() * len(values))
    if temperature == 0.0:
        return _best(values, rng)
    top, total = values.max(), 0.0
    for i in range(len(values)):
        total += np.exp((values[i] - top) / temperature)
    left = rng.random() * total
    for i in range(len(values)):
        left -= np.exp((values[i] - top) / temperature)
        if left < 0.0:
            return i
    return len(values) - 1


@njit(cache=True, nogil=True)
def _expected(values, epsilon, temperature):
    """The mean value of the choice that `_chosen` makes."""
    top = values.max()
    if temperature == 0.0:
        return (1.0 - epsilon) * top + epsilon * values.mean()
    total, weighted = 0.0, 0.0
    for i in range(len(values)):
        share = np.exp((values[i] - top) / temperature)
        total += share
        weighted += share * values[i]
    return (1.0 - epsilon) * weighted / total + epsilon * values.mean()


@njit(cache=True, nogil=True)
def _drawn(chances, first, end, u):
    """The entry between `first` and `end` that the uniform number u picks by the probabilities."""
    upto = chances[first]
    k = first
    while k < end - 1 and u >= upto:
        k += 1
        upto += chances[k]
    return k


@njit(cache=True, nogil=True, _nrt=False)
def _corrected(
    q, visits, traces, touched, n_touched, own, error, scale, exponent, kept, is_replacing
):  # fmt: skip
    """Correct the values that have a trace by `error` times it, and let it fade to `kept` of it.

    `q`, `visits` and `traces` are flat, shape (S * A,) or (S,); `touched` lists the `n_touched`
    with a trace, to which `own`, what this move has left, is added. The step of each goes by its
    own visits. Gives how many there are then.
    """
    if traces[own] == 0.0:
        touched[n_touched] = own
        n_touched += 1
    traces[own] = 1.0 if is_replacing else traces[own] + 1.0
    left = 0
    for i in range(n_touched):
        pair = touched[i]
        rate = scale / visits[pair] ** exponent if exponent != 0.0 else scale
        q[pair] += rate * error * traces[pair]
        traces[pair] *= kept
        if traces[pair] > 0.0:  # else it has faded to nothing, at once where lambda is 0
            touched[left] = pair
            left += 1
    return left


@njit(cache=True, nogil=True, _nrt=False)
def _backed_up(
    q, visits, left, gains, steps, is_last, own, gain, later, n_steps, gamma, n_actions, scale,
    exponent
):  # fmt: skip
    """Note a move of an episode, and correct what was left `n_steps` before by the rewards since.

    The move, number `steps`, left `own` and paid `gain`; what follows is worth `later`. `left` and
    `gains` are rings of the last moves. After the last one all that wait are corrected, from the
    end backwards. With `n_actions` above 0 what is left are pairs, and what came of an action that
    is not the best gives way to the value of the best: tree backup for the greedy policy.
    """
    n, total, first = len(left), later, max(0, steps - n_steps)
    left[(steps - 1) % n], gains[(steps - 1) % n] = own, gain
    if steps < n_steps and not is_last:
        return
    for move in range(steps - 1, first - 1, -1):
        pair = left[move % n]
        total = gains[move % n] + gamma * total
        if is_last or move == first:
            visits[pair] += 1  # only now: the steps of a mean go by the corrections until then
            rate = scale / visits[pair] ** exponent if exponent != 0.0 else scale
            q[pair] += rate * (total - q[pair])
        if n_actions > 0:
            begin = pair - pair % n_actions
            best = q[begin]
            for other in range(begin + 1, begin + n_actions):
                best = max(best, q[other])
            total = best if q[pair] < best else total


@njit(cache=True, nogil=True)
def td_control(
    offsets, successors, chances, rewards, ends, before, change, gamma, initial, target, decay,
    is_replacing, n_steps, rates, rate_exponent, epsilons, epsilon_exponent, temperatures,
    temperature_exponent, horizon, until, world, agent, q, visits, seen, online, lengths, gained,
    q_marks, visit_marks,
):  # fmt: skip
    """Learn `q`, shape (S, A), by temporal differences over len(rates) episodes.

    `target` is 0 for Q-learning, 1 for SARSA, 2 for expected SARSA; `decay` is lambda. Q-learning
    cuts its traces where the next action is not the best. With `n_steps` above 1 there are no
    traces, but the rewards of as many moves are added up before a value is looked at. A schedule
    is a number an episode over the count of visits to the power of its exponent. `until`, shape
    (m,), says after which episodes the tables are copied into `q_marks` and `visit_marks`, up to
    which returns and lengths are averaged into `online` and `lengths`, rewards summed in `gained`.
    """
    n_actions = q.shape[1]
    traces, touched, n_touched = np.zeros(q.size), np.empty(q.size, dtype=np.int64), FIRST
    ring, branches = min(n_steps, horizon), n_actions if target == 0 else 0
    left, gains = np.empty(ring, dtype=np.int64), np.empty(ring)
    mark, episodes_in, sum_return, sum_length = 0, 0, 0.0, 0.0
    now, moves, gain = before, 0, 0.0
    for episode in range(len(rates)):
        traces[touched[:n_touched]] = 0.0
        n_touched = FIRST
        s = _drawn(initial, FIRST, len(initial), world.random())
        seen[s] += 1
        epsilon = epsilons[episode] / seen[s] ** epsilon_exponent
        temperature = temperatures[episode] / seen[s] ** temperature_exponent
        a = _chosen(q[s], epsilon, temperature, agent)
        total, weight, steps, is_over = 0.0, 1.0, 0, False
        while not is_over and steps < horizon:
            row = s * n_actions + a
            if moves == change:
                now = chances
            k = _drawn(now, offsets[row], offsets[row + 1], world.random())
            to, is_over = successors[k], ends[k]
            steps += 1
            moves += 1
            gain += rewards[k]
            total += weight * rewards[k]
            weight *= gamma
            after, later = 0, 0.0
            if not is_over:
                # A time limit cuts the episode, not the world: the next state keeps its value.
                seen[to] += 1
                epsilon = epsilons[episode] / seen[to] ** epsilon_exponent
                temperature = temperatures[episode] / seen[to] ** temperature_exponent
                if target == 1:
                    after = _chosen(q[to], epsilon, temperature, agent)
                    later = q[to, after]
                elif target == 2:
                    later = _expected(q[to], epsilon, temperature)
                else:
                    later = q[to].max()
            if n_steps == 1:
                visits[s, a] += 1
                error = rewards[k] + gamma * later - q[s, a]
                n_touched = _corrected(
                    q.reshape(-1), visits.reshape(-1), traces, touched, n_touched, row, error,
                    rates[episode], rate_exponent, gamma * decay, is_replacing,
                )  # fmt: skip
            else:
                _backed_up(
                    q.reshape(-1), visits.reshape(-1), left, gains, steps,
                    is_over or steps == horizon, row, rewards[k], later, n_steps, gamma, branches,
                    rates[episode], rate_exponent,
                )  # fmt: skip
            if not is_over:
                if target != 1:  # after the update, which may have changed the choice
                    after = _chosen(q[to], epsilon, temperature, agent)
                if target == 0 and n_touched > 0 and q[to, after] < q[to].max():
                    traces[touched[:n_touched]] = 0.0
                    n_touched = FIRST
                s, a = to, after
        episodes_in += 1
        sum_return += total
        sum_length += steps
        if episode + 1 == until[mark]:
            online[mark], lengths[mark] = sum_return / episodes_in, sum_length / episodes_in
            gained[mark] = gain
            np.positive(q, q_marks[mark])
            np.positive(visits, visit_marks[mark])
            mark, episodes_in, sum_return, sum_length = mark + 1, 0, 0.0, 0.0
            if mark == len(until):
                break


@njit(cache=True, nogil=True)
def _plan_on_counts(
    offsets, successors, rewards, ends, gamma, counts, visits, least, ceiling, sweeps, tol, values,
    q
):  # fmt: skip
    """Value iteration, in place, on the model that transitions seen so often make.

    `counts`, shape (E,), says how often each transition was seen, `visits`, shape (S, A), how often
    each action was taken; one taken fewer than `least` times is worth `ceiling`.
    """
    n_states, n_actions = q.shape
    for _ in range(sweeps):
        change = 0.0
        for s in range(n_states):
            for a in range(n_actions):
                row, total = s * n_actions + a, 0.0
                for k in range(offsets[row], offsets[row + 1]):
                    if counts[k] > 0:
                        later = 0.0 if ends[k] else gamma * values[successors[k]]
                        total += counts[k] * (rewards[k] + later)
                q[s, a] = ceiling if visits[s, a] < least else total / visits[s, a]
            best = q[s].max()
            change = max(change, abs(best - values[s]))
            values[s] = best
        if change < tol:
            break


@njit(cache=True, nogil=True)
def _plan_on_posterior(
    offsets, successors, rewards, ends, gamma, counts, prior, is_drawn, sweeps, tol, planner,
    chances, values, q
):  # fmt: skip
    """Value iteration, in place, on one draw from the posterior, or on its mean.

    That is a Dirichlet distribution for each action, with parameters `counts` + `prior`, shape
    (E,). Fills `chances`, shape (E,), with the probabilities that were planned on.
    """
    for row in range(len(offsets) - 1):
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            weight = counts[k] + prior
            # Shares of gamma variables that are independent have a Dirichlet distribution.
            chances[k] = planner.standard_gamma(weight) if is_drawn else weight
            total += chances[k]
        for k in range(offsets[row], offsets[row + 1]):
            # All may underflow under a prior near 0, whose draws are at the corners.
            even = 1.0 / (offsets[row + 1] - offsets[row])
            chances[k] = chances[k] / total if total > 0.0 else even
    for _ in range(sweeps):
        before = values.copy()
        sweep_in_place(offsets, successors, chances, rewards, ends, gamma, values, q)
        if np.abs(values - before).max() < tol:
            break


@njit(cache=True, nogil=True)
def _dream(
    offsets, successors, rewards, ends, gamma, counts, visits, tried, n_tried, n_planned, scale,
    exponent, bonus, moves, last, planner, q
):  # fmt: skip
    """Q-learning on `n_planned` moves that the counted model makes up from the first pairs `tried`.

    A made-up move pays `bonus` more times the root of the moves since it was last made, of which
    `last` says when. One that was never made is thought to lead nowhere and to pay nothing else.
    """
    n_actions = q.shape[1]
    for _ in range(n_planned):
        row = tried[int(planner.random() * n_tried)]
        s, a, known = row // n_actions, row % n_actions, 0
        for k in range(offsets[row], offsets[row + 1]):
            known += counts[k]
        target = bonus * np.sqrt(moves - last[s, a])
        if known == 0:
            target += gamma * q[s].max()
        else:
            left, k = planner.random() * known, offsets[row]
            while k < offsets[row + 1] - 1 and left >= counts[k]:
                left -= counts[k]
                k += 1
            target += rewards[k] + gamma * (0.0 if ends[k] else q[successors[k]].max())
        rate = scale / max(visits[s, a], 1) ** exponent
        q[s, a] += rate * (target - q[s, a])


@njit(cache=True, nogil=True)
def model_control(
    offsets, successors, chances, rewards, ends, before, change, gamma, initial, n_planned, least,
    ceiling, prior, bonus, is_forgetting, tol, rates, rate_exponent, epsilons, epsilon_exponent,
    temperatures, temperature_exponent, horizon, until, world, agent, planner, q, visits, seen,
    counts, online, lengths, gained, q_marks, visit_marks, count_marks,
):  # fmt: skip
    """Learn a model by counting transitions, and `q`, shape (S, A), with its help.

    With `n_planned` of 0 or more each move is followed by an update of Q-learning and as many that
    the model makes up. Below 0 values come from the model alone, by value iteration when an episode
    begins and when an action has been taken `least` times; under a `prior` above 0 on a draw from
    the posterior, once an episode, of which the marks show the mean. A `bonus` of 0 or more is that
    of `_dream`, and moves that were never made are made up too. Who `is_forgetting` keeps of each
    action what followed the last time. Schedules and marks as in `td_control`.
    """
    n_states, n_actions = q.shape
    values, tried, n_tried = q[:, 0].copy(), np.empty(n_states * n_actions, dtype=np.int64), 0
    mark, episodes_in, sum_return, sum_length = 0, 0, 0.0, 0.0
    drawn, expected = np.empty(len(chances)), np.zeros(n_states)
    now, moves, gain, last = before, 0, 0.0, np.zeros((n_states, n_actions), dtype=np.int64)
    for episode in range(len(rates)):
        is_stale = n_planned < 0 and prior == 0.0
        if prior > 0.0:
            _plan_on_posterior(
                offsets, successors, rewards, ends, gamma, counts, prior, IS_DRAWN, horizon, tol,
                planner, drawn, values, q
            )  # fmt: skip
        s = _drawn(initial, FIRST, len(initial), world.random())
        total, weight, steps, is_over = 0.0, 1.0, 0, False
        while not is_over:
            if is_stale:
                _plan_on_counts(
                    offsets, successors, rewards, ends, gamma, counts, visits, least, ceiling,
                    horizon, tol, values, q
                )  # fmt: skip
                is_stale = False
            seen[s] += 1
            if bonus >= 0.0 and seen[s] == 1:
                for b in range(n_actions):
                    tried[n_tried + b] = s * n_actions + b
                n_tried += n_actions
            epsilon = epsilons[episode] / seen[s] ** epsilon_exponent
            temperature = temperatures[episode] / seen[s] ** temperature_exponent
            a = _chosen(q[s], epsilon, temperature, agent)
            if steps == horizon:  # after a choice, as in `td_control`
                break
            row = s * n_actions + a
            if moves == change:
                now = chances
            k = _drawn(now, offsets[row], offsets[row + 1], world.random())
            is_over = ends[k]
            steps += 1
            moves += 1
            gain += rewards[k]
            total += weight * rewards[k]
            weight *= gamma
            visits[s, a] += 1
            last[s, a] = moves
            if is_forgetting:
                counts[offsets[row] : offsets[row + 1]] = 0
            counts[k] += 1
            if visits[s, a] == 1 and bonus < 0.0:
                tried[n_tried] = row
                n_tried += 1
            if n_planned < 0:
                is_stale = visits[s, a] == least and prior == 0.0
            else:
                # A time limit cuts the episode, not the world: the next state keeps its value.
                later = 0.0 if is_over else q[successors[k]].max()
                rate = rates[episode] / visits[s, a] ** rate_exponent
                q[s, a] += rate * (rewards[k] + gamma * later - q[s, a])
                _dream(
                    offsets, successors, rewards, ends, gamma, counts, visits, tried, n_tried,
                    n_planned, rates[episode], rate_exponent, max(bonus, 0.0), moves, last,
                    planner, q
                )  # fmt: skip
            s = successors[k]
        episodes_in += 1
        sum_return += total
        sum_length += steps
        if episode + 1 == until[mark]:
            online[mark], lengths[mark] = sum_return / episodes_in, sum_length / episodes_in
            gained[mark] = gain
            if prior > 0.0:
                _plan_on_posterior(
                    offsets, successors, rewards, ends, gamma, counts, prior, IS_MEAN, horizon, tol,
                    planner, drawn, expected, q
                )  # fmt: skip
            np.positive(q, q_marks[mark])
            np.positive(visits, visit_marks[mark])
            np.positive(counts, count_marks[mark])
            mark, episodes_in, sum_return, sum_length = mark + 1, 0, 0.0, 0.0
            if mark == len(until):
                break


@njit(cache=True, nogil=True)
def td_prediction(
    offsets, successors, chances, rewards, ends, gamma, initial, policy, rates, rate_exponent,
    decay, is_replacing, n_steps, horizon, until, world, agent, values, visits, value_marks,
):  # fmt: skip
    """Learn the `values`, shape (S,), of a `policy`, shape (S, A), by TD(lambda) or n steps.

    `decay`, which is lambda, and `n_steps` as in `td_control`. After the episodes `until` the
    values are copied into `value_marks`.
    """
    n_states, n_actions = policy.shape
    traces, touched, n_touched = np.zeros(n_states), np.empty(n_states, dtype=np.int64), FIRST
    ring = min(n_steps, horizon)
    left, gains = np.empty(ring, dtype=np.int64), np.empty(ring)
    mark = 0
    for episode in range(len(rates)):
        traces[touched[:n_touched]] = 0.0
        n_touched = FIRST
        s, steps, is_over = _drawn(initial, FIRST, n_states, world.random()), 0, False
        while not is_over and steps < horizon:
            row = s * n_actions + _drawn(policy[s], FIRST, n_actions, agent.random())
            k = _drawn(chances, offsets[row], offsets[row + 1], world.random())
            to, is_over = successors[k], ends[k]
            steps += 1
            later = 0.0 if is_over else values[to]
            if n_steps == 1:
                visits[s] += 1
                n_touched = _corrected(
                    values, visits, traces, touched, n_touched, s,
                    rewards[k] + gamma * later - values[s], rates[episode], rate_exponent,
                    gamma * decay, is_replacing,
                )  # fmt: skip
            else:
                _backed_up(
                    values, visits, left, gains, steps, is_over or steps == horizon, s, rewards[k],
                    later, n_steps, gamma, NO_ACTIONS, rates[episode], rate_exponent,
                )  # fmt: skip
            s = to
        if episode + 1 == until[mark]:
            np.positive(values, value_marks[mark])
            mark += 1
