"""How the loss of a network bends: Gauss-Newton matrix and Fisher information of its weights.

Both are the mean of J' H J over the rows, with the derivative J of the outputs by the weights, and
differ in H: how the loss bends in the outputs, or how much the outputs tell of the target.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from mlcore.neural.network import Pass
from mlcore.neural.output_units import Bent
from mlcore.neural.squared_shares import SquaredShares, share_covariance
from mlcore.neural.training import Training
from mlcore.optimisation import losses
from mlcore.optimisation.conjugate_gradient import conjugate_gradient
from mlcore.optimisation.losses import Local, Loss

MOST_DENSE = 500  # weights of whose matrix a factor is taken; more are solved by products alone
AT_ONCE = 2**21  # derivatives by a weight that are held at a time, 16 MB
NEAR = 5e-4  # relative change of the model in a tenth of the products: enough (Martens 2010)
STEP = 1e-5  # of central differences, beside weights of about 1


@runtime_checkable
class HasGaussNewton(Protocol):
    """A loss that is a square of what bends: `gauss_newton(local)`, shape (m, m, n)."""

    def gauss_newton(self, local: Local) -> np.ndarray: ...


class Solved(NamedTuple):
    """A step, shape (P,), how the model says that it changes the loss, and what it cost."""

    step: np.ndarray
    promised: float  # below 0
    products: int


class Bend:
    """The Gauss-Newton matrix of the training rows at some weights, with that of the penalty."""

    def __init__(self, task: Training, theta: np.ndarray, *, fisher: bool = False) -> None:
        """At weights, shape (P,); `fisher` takes the Fisher information instead."""
        self.task, self.network = task, task.network
        n = len(task.rows.y)
        self.way, self.matrices = Pass(task.network, n), task.network.matrices(theta)
        local = task.loss.at(task.rows.y, self.way.forward(self.matrices, task.turned))
        bend = _fisher if fisher else _curvature
        self.H = bend(task.loss, task.rows.y, local) * (task.rows.w / n)
        self.room = np.zeros(task.network.n_weights)
        self.charge = task.it.penalty.decay * task.network.charged

    def times(self, v: np.ndarray) -> np.ndarray:
        """G v, shape (P,), by one way forward and one back (Pearlmutter 1994; Schraudolph 2002)."""
        below = S = self.task.turned
        moved = None
        for k, V in enumerate(self.network.matrices(v)):
            S = V @ below
            if moved is not None:
                S += self.matrices[k][:, : len(moved)] @ moved
            if k < len(self.way.A):
                slope = self.network.activation.slope(self.way.Z[k], self.way.own(k))
                moved = S if slope is None else S * slope
                below = self.way.A[k]
        image = np.einsum("abn,bn->an", self.H, S)
        self.way.backward(self.matrices, self.task.inputs, image, self.network.matrices(self.room))
        return self.room + self.charge * v

    def matrix(self) -> np.ndarray:
        """G, shape (P, P)."""
        P, n = self.network.n_weights, self.H.shape[2]
        G, roots = np.diag(self.charge), _roots(self.H)
        size = max(AT_ONCE // P, 1)
        for start in range(0, n, size):
            some = slice(start, start + size)
            for root in roots:
                J = self._derivatives(root[:, some], some)
                G += J.T @ J
        return G

    def _derivatives(self, slope: np.ndarray, some: slice) -> np.ndarray:
        """The gradient of each of some rows, (b, P), by the slope in their outputs, (K, b)."""
        blocks = []
        for k in reversed(range(len(self.matrices))):
            below = (self.way.A[k - 1] if k else self.task.turned)[:, some]
            blocks.append(np.einsum("hb,mb->bhm", slope, below).reshape(slope.shape[1], -1))
            if k:
                Z, A = self.way.Z[k - 1][:, some], self.way.own(k - 1)[:, some]
                slope = self.matrices[k][:, : len(Z)].T @ slope
                bent = self.network.activation.slope(Z, A)
                slope = slope if bent is None else slope * bent
        return np.hstack(blocks[::-1])

    def solved(self, gradient: np.ndarray, damping: float, most: int) -> Solved:
        """The step to the minimum of the damped model, shape (P,), by at most so many products."""
        total, values = np.zeros(0), [0.0]
        iteration = conjugate_gradient(lambda v: self.times(v) + damping * v, -gradient)
        for k, state in enumerate(iteration, 1):
            total = state.w
            # b'w / 2 is what the model falls, as the rest of b - A w stands across w.
            values.append(0.5 * float(gradient @ total))
            back = max(10, k // 10)
            slow = k > back and values[-1] - values[-1 - back] > NEAR * back * values[-1]
            if k >= most or state.residual < 1e-10 or slow:
                break
        return Solved(total, values[-1], k)


def damped(G: np.ndarray, gradient: np.ndarray, damping: float) -> np.ndarray:
    """The step -(G + damping I)^-1 g, shape (P,), of a matrix that is never negative, (P, P)."""
    factor = cho_factor(G + damping * np.eye(len(G)), lower=True, check_finite=False)
    return -cho_solve(factor, gradient, check_finite=False)


def hessian(task: Training, theta: np.ndarray) -> np.ndarray:
    """Second derivatives of the objective at weights (P,), shape (P, P).

    Central differences of the exact gradient, made symmetric.
    """
    P = len(theta)
    H = np.empty((P, P))
    for j in range(P):
        move = np.zeros(P)
        move[j] = STEP * max(1.0, abs(float(theta[j])))
        ahead, behind = task.at(theta + move)[1], task.at(theta - move)[1]
        H[j] = (ahead - behind) / (2.0 * move[j])
    return 0.5 * (H + H.T)


def _curvature(loss: Loss, y: np.ndarray, local: Local) -> np.ndarray:
    """How the loss of each row bends in its outputs, never negative, shape (K, K, n)."""
    if isinstance(loss, HasGaussNewton):
        return loss.gauss_newton(local)
    K, n = local.slope.shape
    H = np.zeros((K, K, n))
    for a in range(K):
        for b in range(K):
            bent = loss.curvature(y, local, a, b)
            if bent is not None:
                H[a, b] = bent if a == b else -bent
    return H


def _fisher(loss: Loss, y: np.ndarray, local: Local) -> np.ndarray:
    """The Fisher information of what the outputs say of each row, shape (K, K, n).

    Of a quantity, and of codes of classes, they say the mean of a normal distribution, else of
    classes their probabilities.
    """
    if isinstance(loss, losses.Logistic | losses.Softmax | losses.Sigmoids):
        return _curvature(loss, y, local)
    if isinstance(loss, SquaredShares):
        P = local.shape
        return (P * (1.0 - P))[None] if len(P) == 1 else share_covariance(P)
    K = len(local.slope)
    rise = local.shape[:K] if isinstance(loss, Bent) else np.ones_like(local.slope)
    return np.eye(K)[:, :, None] * rise**2


def _roots(H: np.ndarray) -> np.ndarray:
    """Columns r with sum r r' = H in each row, shape (K, K, n): one first, then by output."""
    if len(H) == 1:
        return np.sqrt(np.maximum(H, 0.0))
    values, vectors = np.linalg.eigh(np.moveaxis(H, 2, 0))
    scaled = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    return np.ascontiguousarray(np.transpose(scaled, (2, 1, 0)))
