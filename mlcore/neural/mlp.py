"""What networks of classes and of quantities share: settings, epochs, the fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from mlcore.neural.activations import Activation
from mlcore.neural.initializers import Initializer
from mlcore.neural.network import Layer, Network
from mlcore.neural.noise import TrainingNoise
from mlcore.neural.optimizers import Optimizer
from mlcore.neural.penalties import WeightPenalty
from mlcore.neural.pretraining import NoPretraining, Pretraining
from mlcore.neural.training import Rows, Training
from mlcore.optimisation.losses import Loss
from mlcore.optimisation.stopping import HeldOutLosses, Stopping, Watch
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import flag, integer, part, real, sizes

PATIENCE = 10  # epochs that must bring less than the tolerance, as in scikit-learn
ACTIVATIONS = {"tanh": "tanh", "relu": "relu", "logistic": "logistic", "linear": "identity"}


@dataclass(frozen=True, eq=False)
class Goal:
    """What is learned: a loss of linear outputs."""

    loss: Loss
    y: np.ndarray  # (n,) codes, or quantities about `offset` in units of `scale`
    outputs: int
    offset: float = 0.0
    scale: float = 1.0
    unit: float = 1.0  # of the loss, in units of the target


class Ended(NamedTuple):
    """What all epochs made."""

    goal: Goal
    losses: np.ndarray  # (k,)
    gradient_sizes: np.ndarray  # (k, L)
    held_out_losses: HeldOutLosses | None


@dataclass(frozen=True, eq=False)
class MLPState:
    """The weights after an epoch; after the last one those that are kept, and the record of all."""

    theta: np.ndarray  # (P,)
    ended: Ended | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class MLPFit(Fit):
    """The weights and offsets of all layers, on one vector."""

    made_by: MLP
    theta: np.ndarray  # (P,) layer by layer, unit by unit: its weights, then its offset
    n_outputs: int
    losses: np.ndarray  # (k,) mean loss with the penalty on the rows that taught, by epoch
    gradient_sizes: np.ndarray  # (k, L) root mean square of the last gradient in each layer
    held_out_losses: HeldOutLosses | None = None

    @property
    def network(self) -> Network:
        """The shape of the network."""
        return self.made_by.network(self.n_columns, self.n_outputs)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Weights, shape (h, m), and offsets, (h,), of each layer, the outputs last."""
        return self.network.layers(self.theta)

    @property
    def skips(self) -> np.ndarray:
        """Weights from the inputs straight to the outputs, shape (K, p); (K, 0) without them."""
        return self.network.skips(self.theta)

    @property
    def notes(self) -> tuple[str, ...]:
        """That there was nothing to pre-train, where it was asked for."""
        asked = self.made_by.pretraining
        if self.made_by.hidden_layer_sizes or isinstance(asked, NoPretraining):
            return ()
        return (
            "Pre-training changed nothing: it teaches hidden layers, and this network has none. "
            "Add a hidden layer, or set pre-training to none.",
        )

    @property
    def strongest(self) -> tuple[int, int] | None:
        """Layer and place, from 0, of the unit of the last hidden layer that weighs most above."""
        *hidden, last = self.layers
        return (len(hidden) - 1, int(np.abs(last.weights).sum(axis=0).argmax())) if hidden else None

    @property
    def ends(self) -> tuple[float, float]:
        """Below and above which no activation comes."""
        return self.made_by.activation.ends

    def values(self, X: Any) -> list[np.ndarray]:
        """Activations of each hidden layer and the linear outputs, shape (h, m) each."""
        return self.network.values(self.theta, self._rows(X))

    def between_ends(self, outputs: np.ndarray) -> np.ndarray:
        """What outputs, shape (K, m), say, from -1 to 1."""
        return np.tanh(outputs / 2)

    def silenced(self, layer: int, unit: int) -> Self:
        """The same network in which a unit of a hidden layer, from 0, says 0 to all above it."""
        theta = self.theta.copy()
        self.network.matrices(theta)[layer + 1][:, unit] = 0.0
        return replace(self, theta=theta)

    def holds_together(self) -> bool:
        """Whether there are as many weights as the layers need, all finite."""
        if self.n_outputs < 1 or self.theta.shape != (self.network.n_weights,):
            return False
        return bool(np.isfinite(self.theta).all())

    def _outputs(self, X: Any) -> np.ndarray:
        """The linear outputs, shape (K, m)."""
        return self.network.outputs(self.theta, self._rows(X))


def cost_of(n: int, p: int, it: MLP, outputs: int = 1) -> tuple[float, float]:
    """Three products a layer and row, and some calls a batch; seconds and bytes."""
    widths = [p, *it.hidden_layer_sizes, outputs]
    weights = it.network(p, outputs).n_weights
    batches = -(-n // min(it.batch_size or n, n))
    units = sum(widths[1:])
    if not it.optimizer.takes_batches:
        batches = 1
    epoch = batches * (1.5e-5 + 4e-6 * len(widths) + 3e-9 * weights)
    epoch += n * (3e-10 * weights + 1e-8 * units)
    passes = it.max_epochs * it.optimizer.work(weights) + it.pretraining.passes(widths)
    return 1e-3 + passes * epoch, 8.0 * (n * (2 * p + 3) + 8 * weights + 4096 * units)


@dataclass(frozen=True, kw_only=True)
class MLP(IterativeMethod):
    """Layers of units that learn by backpropagation."""

    peer_differs = (
        "Theirs draws other first weights and another order of the rows, so it ends elsewhere."
    )

    hidden_layer_sizes: tuple = sizes(
        (8,),
        low=1,
        high=512,
        soft=(4, 16),
        most=6,
        item="hidden layer",
        label="Hidden layers",
        doc="Units in each hidden layer, from the inputs on; none is a network of one layer.",
    )
    activation: Activation = part(
        "tanh", slot="activation", doc="What a hidden unit makes of the sum of its inputs."
    )
    optimizer: Optimizer = part(
        "adam", slot="optimizer", label="Optimiser", doc="How the weights follow the gradients."
    )
    batch_size: int | None = integer(
        32,
        low=1,
        soft=(4, 100),
        log=True,
        or_none="all rows",
        doc="Rows of which the gradient of one step is the mean; optimisers that search along a "
        "line, solve a model or try a population take all rows.",
    )
    max_epochs: int = integer(
        200,
        low=1,
        high=100_000,
        soft=(10, 500),
        log=True,
        label="Epochs",
        doc="How often all rows are gone through; with early stopping at most.",
    )
    penalty: WeightPenalty = part(
        "none", slot="weight_penalty", label="Regularisation", doc="What large weights cost."
    )
    noise: TrainingNoise = part(
        "none", slot="training_noise", doc="What disturbs the network while it learns."
    )
    stopping: Stopping = part(
        "none", slot="stopping", label="Early stopping", doc="Which epoch is the last."
    )
    skip_connections: bool = flag(
        False,
        doc="Whether the columns also lead straight to the outputs, past the hidden layers, which "
        "then learn only what a weighted sum of the columns misses. Without hidden layers there "
        "is no other way, and nothing changes.",
        advanced=True,
    )
    init: Initializer = part(
        "glorot",
        slot="initializer",
        label="First weights",
        doc="Where the weights start; another seed is another start.",
        advanced=True,
    )
    pretraining: Pretraining = part(
        "none",
        slot="pretraining",
        label="Pre-training",
        doc="What the first weights of the hidden layers learn from the columns alone, before the "
        "network learns the target. Without hidden layers nothing changes.",
        advanced=True,
    )
    shuffle: bool = flag(
        True, doc="Whether each epoch puts the rows into batches anew, at random.", advanced=True
    )
    tol: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 0.01),
        label="Tolerance",
        doc="Stop when 10 epochs lowered the training loss by less than this, in units of the "
        "scaled target; 0 runs them all.",
        advanced=True,
    )

    def conflict(self) -> str | None:
        """Pre-training may ask for other units; what compares losses bears no lots."""
        if self.hidden_layer_sizes and (why := self.pretraining.conflict_with(self.activation)):
            return why
        if self.optimizer.takes_batches or self.noise.is_silent:
            return None
        return (
            f"{self.optimizer.title()} compares losses of all rows and cannot learn with noise. "
            "Set noise to none, or choose another optimiser."
        )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse networks that have more weights than the optimiser can take."""
        most = self.optimizer.most_weights
        if most is None or y is None:
            return None
        weights = self.network(X.shape[1], self._n_outputs(y)).n_weights
        if weights <= most:
            return None
        return (
            f"{self.optimizer.title()} learns networks of at most {most} weights; this one has "
            f"{weights}. Take fewer units or columns, or another optimiser, such as L-BFGS."
        )

    def _n_outputs(self, y: np.ndarray) -> int:
        """How many outputs the network has for targets y, shape (n,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no outputs")

    def network(self, p: int, outputs: int) -> Network:
        """The shape of the network on p columns."""
        widths = p, *self.hidden_layer_sizes, outputs
        return Network(widths, self.activation, skips=self.skip_connections)

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(
            activation=tuple(ACTIVATIONS), optimizer=("adam", "sgd", "momentum", "lbfgs"),
            penalty=("none", "weight_decay"), noise="none", stopping="none", init="glorot",
            skip_connections=False, pretraining="none",
        ):  # fmt: skip
            return missing
        in_batches, strength = self.optimizer.takes_batches, self.penalty.decay
        if strength and not in_batches:
            return (
                "Scikit-learn divides the penalty by the rows of a batch, which for L-BFGS are "
                "known only with the data. Choose another optimiser, or no regularisation."
            )
        if in_batches and self.batch_size is None:
            return "Scikit-learn has no batch of all rows. Give a batch size."
        network = self._peer_network(strength, self.batch_size if in_batches else None)
        return network | self._peer_optimizer()

    def _peer_network(self, strength: float, rows: int | None) -> dict[str, Any]:
        return {
            "hidden_layer_sizes": self.hidden_layer_sizes,
            "activation": ACTIVATIONS[self.activation.card.name],
            "alpha": strength * (rows or 1),  # theirs is divided by the rows of a batch
            "batch_size": rows or "auto",
            "max_iter": self.max_epochs,
            "shuffle": self.shuffle,
            "tol": self.tol,
            "n_iter_no_change": PATIENCE if self.tol else self.max_epochs,
        }

    def _peer_optimizer(self) -> dict[str, Any]:
        it: Any = self.optimizer
        name = it.card.name
        if name == "lbfgs":
            return {"solver": "lbfgs"}
        common = {"learning_rate_init": it.learning_rate}
        if name == "adam":
            return common | {"solver": "adam", "beta_1": it.first, "beta_2": it.second}
        memory = {"momentum": 0.0, "nesterovs_momentum": False}
        if name == "momentum":
            memory = {"momentum": it.momentum, "nesterovs_momentum": it.nesterov}
        return common | {"solver": "sgd"} | memory

    def _goal(self, given: Given, learn: np.ndarray, w: np.ndarray) -> Goal:
        """The loss of the rows that teach; their weights have mean 1. `y` is that of all."""
        raise NotImplementedError(f"{type(self).__name__} declares no loss")

    def _steps(self, given: Given) -> Iterator[Step]:
        learn, judge = self.stopping.parted(given, self.title())
        w = given.w[learn] / given.w[learn].max()
        w = w * (len(w) / w.sum())
        goal = self._goal(given, learn, w)
        rows = Rows(given.X[learn], goal.y[learn], w)
        judged = Rows(given.X[judge], goal.y[judge], given.w[judge])
        network = self.network(given.p, goal.outputs)
        task = Training(self, network, goal.loss, rows, given.rng)
        learned = self.pretraining.learn(task, given.rng)
        watch = Watch(self.stopping, judge, self.max_epochs, "epochs")
        return Epochs(self, task, goal, judged, watch).steps(learned)

    def _shared(self, given: Given, end: Step) -> dict[str, Any]:
        """What the fits of classes and of quantities hold both."""
        ended: Ended = end.state.ended
        return {
            "made_by": self,
            "columns": given.columns,
            "n_iter": end.k + 1,
            "stop": end.stop,
            "theta": end.state.theta,
            "n_outputs": ended.goal.outputs,
            "losses": ended.losses,
            "gradient_sizes": ended.gradient_sizes,
            "held_out_losses": ended.held_out_losses,
        }


class Epochs:
    """Learning under way, with what is noted of each epoch."""

    def __init__(self, it: MLP, task: Training, goal: Goal, judged: Rows, watch: Watch) -> None:
        self.it, self.task, self.goal, self.judged, self.watch = it, task, goal, judged, watch
        self.best = task.theta.copy()  # of the epochs so far, by the rows held out
        self.sizes: list[np.ndarray] = []

    def steps(self, learned: str = "") -> Iterator[Step]:
        """An epoch a step; the state of the last has the weights that are kept.

        `learned` is what the first one tells of what went before.
        """
        before, _ = self._measured()
        epochs = self.it.optimizer.epochs(self.task)
        number, stop = 0, None
        while stop is None:
            last_finite, number = self.task.theta.copy(), number + 1
            with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is told below
                words = next(epochs, None)
            loss, after = self._measured()
            if not np.isfinite([loss, after or 0.0, *self.task.theta]).all():
                yield self._diverged(number, last_finite, before)
                return
            stop = self._noted(loss, after)
            if words is None and stop is None:
                stop = Stop("converged", "Converged: no step lowers the objective any further.")
            note = _note(number, before, loss, after, f"{words or ''} {learned}".strip())
            learned = ""
            yield Step(number - 1, loss, self._state(stop), stop, note, after)
            before = loss

    def _measured(self) -> tuple[float, float | None]:
        """Objective, and loss on the rows held out if there are, in units of the target."""
        unit = self.goal.unit
        with np.errstate(over="ignore", invalid="ignore"):
            training = float(np.multiply(self.task.objective(), unit))
            if not len(self.judged.y):
                return training, None
            return training, float(np.multiply(self.task.loss_of(self.judged), unit))

    def _noted(self, loss: float, held_out: float | None) -> Stop | None:
        """Write down an epoch; whether it was the last, and why."""
        self.task.losses.append(loss)
        self.sizes.append(self.task.slopes())
        stop = self.watch.seen(loss, held_out)
        if held_out is not None and self.watch.best == len(self.task.losses):
            self.best[:] = self.task.theta
        return stop or self._idle()

    def _idle(self) -> Stop | None:
        """Whether the last epochs brought too little."""
        losses, tol = self.task.losses, self.it.tol * self.goal.unit
        if not tol or len(losses) <= PATIENCE:
            return None
        fall = min(losses[:-PATIENCE]) - min(losses[-PATIENCE:])
        if fall >= tol:
            return None
        why = f"Converged: {PATIENCE} epochs lowered the training loss by less than {tol:.3g}."
        return Stop("converged", why)

    def _state(self, stop: Stop | None) -> MLPState:
        theta = self.best if stop and len(self.judged.y) else self.task.theta
        return MLPState(theta.copy(), self._ended() if stop else None)

    def _diverged(self, number: int, theta: np.ndarray, before: float) -> Step:
        """The end of learning whose loss is no number: the last finite weights stay."""
        self.task.theta[:] = theta
        if not self.task.losses:  # the fit needs one epoch to tell of
            self.watch.training.append(before)
            self.task.losses.append(before)
            self.sizes.append(np.zeros(len(self.task.by_layer)))
        why = (
            f"Stopped: the loss is no finite number from epoch {number} on, and the weights before "
            "it are kept. Standardise the columns, or lower the learning rate."
        )
        stop = Stop("diverged", why)
        return Step(number - 1, before, self._state(stop), stop, f"Epoch {number} is undone.")

    def _ended(self) -> Ended:
        losses, sizes = np.array(self.task.losses), np.array(self.sizes)
        return Ended(self.goal, losses, sizes, self.watch.losses())


def _note(number: int, before: float, loss: float, held_out: float | None, words: str) -> str:
    sentence = f"Epoch {number} changed the training loss from {before:.4g} to {loss:.4g}"
    if held_out is not None:
        sentence += f"; it is {held_out:.4g} on the rows held out"
    return f"{sentence}. {words}".strip()
