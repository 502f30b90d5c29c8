"""What ensembles of members drawn at random share: side by side, one a step, out-of-bag errors."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, get_type_hints

import numpy as np

from mlcore.ensembles.out_of_bag import Answers, OutOfBag
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.pool import side_by_side
from mlcore.spine.wording import count, percent, rough


@dataclass(frozen=True, eq=False, kw_only=True)
class MembersState:
    """The t members so far, and how wrong they are on rows that they have not learned from."""

    oob_errors: np.ndarray | None  # (t,) None where no rows are left out
    oob_rows: np.ndarray | None  # (t,)
    n_rows: int  # that the members learn from
    votes: np.ndarray | None = None  # (n_rows, K) of those that left a row out, once all are there

    @property
    def size(self) -> int:
        """How many members there are, t."""
        # Trees and members stand in fields of their own.
        raise NotImplementedError(f"{type(self).__name__} declares no size")


@dataclass(frozen=True, kw_only=True)
class RandomMembers(IterativeMethod):
    """Members that differ by what is drawn for them, each fitted by itself.

    What they learn from (`_shared`) is whatever a family makes of the given rows, as is what it
    grows of them (`_grown`), which `_joined` adds to the state.
    """

    followed: ClassVar[str] = "error of the ensemble"

    member_noun: ClassVar[str] = "member"
    done: ClassVar[str] = "fitted"

    if TYPE_CHECKING:
        n_estimators: int  # each declares its own, in its words
        max_samples: float
        bootstrap: bool

    @property
    def _leaves_out(self) -> bool:
        return self.bootstrap or self.max_samples < 1.0

    def fit_class(self) -> type[Fit]:
        """The class of the fit that is made of the members."""
        return get_type_hints(self._made)["return"]

    def _made(self, given: Given, state: Any) -> Fit:
        # Classes and quantities are fits of their own.
        raise NotImplementedError(f"{type(self).__name__} declares no fit")

    def _shared(self, given: Given) -> Any:
        """What all members learn from: the rows that have weight."""
        # Forests sort the rows once, bagging hands them on.
        raise NotImplementedError(f"{type(self).__name__} declares no rows")

    def _is_worth_threads(self, shared: Any) -> bool:
        """Whether members are fitted side by side in less time than one after the other."""
        return True

    def _out_of_bag(self, shared: Any) -> OutOfBag:
        """No answers yet, for the target and the weights of these rows."""
        # Where these stand depends on what is shared.
        raise NotImplementedError(f"{type(self).__name__} declares no target")

    def _together(self, shared: Any) -> int:
        """How many members are grown in one go."""
        return 1

    def _grown(self, shared: Any, some: range) -> Any:
        """Members `some`, from the rows and the lots that are their own."""
        # A member is whatever the family fits.
        raise NotImplementedError(f"{type(self).__name__} declares no member")

    def _joined(self, shared: Any, before: Any, some: Any, known: OutOfBag) -> Any:
        """The state with further members, whose answers are added to what is `known`."""
        # What is kept of a member depends on the family.
        raise NotImplementedError(f"{type(self).__name__} declares no state")

    def _of_all(self, shared: Any, state: Any) -> np.ndarray:
        """What the last member says of all rows, shape (n, K), or (n, 1) of a quantity."""
        # A tree is walked, a fit is asked.
        raise NotImplementedError(f"{type(self).__name__} declares no answers")

    def _last(self, state: Any) -> str:
        """What there is to say of the last member, the beginning of a sentence."""
        return f"{self.member_noun.capitalize()} {state.size} is {self.done}"

    def _fit(self, given: Given) -> Fit:
        """All members are fitted, in turn or side by side: no step is waited for."""
        shared = self._shared(given)
        order = side_by_side if self._is_worth_threads(shared) else map
        every, size = range(self.n_estimators), self._together(shared)
        groups = [every[k : k + size] for k in every[::size]]
        grown = order(lambda some: self._grown(shared, some), groups)
        return self._made(given, deque(self._states(shared, grown), maxlen=1)[0])

    def _finished(self, given: Given, end: Step) -> Fit:
        return self._made(given, end.state)

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(self._shared(given))

    def _played(self, shared: Any) -> Iterator[Step]:
        """A member a step, one after the other: whoever stops asking has none to wait for."""
        grown = (self._grown(shared, range(i, i + 1)) for i in range(self.n_estimators))
        fitted = self._out_of_bag(shared)
        every = np.arange(len(fitted.target))
        for k, state in enumerate(self._states(shared, grown)):
            if state.oob_errors is None:
                fitted.add(Answers(every, self._of_all(shared, state)))
            error = fitted.error if state.oob_errors is None else float(state.oob_errors[-1])
            yield Step(k, error, state, self._stop(state), self._note(state, error))

    def _states(self, shared: Any, grown: Iterable[Any]) -> Iterator[Any]:
        """The ensemble after each group of members."""
        known, state = self._out_of_bag(shared), None
        for some in grown:
            state = self._joined(shared, state, some, known)
            yield state

    def _errors(
        self, before: MembersState | None, known: OutOfBag, errors: np.ndarray, n_rows: np.ndarray
    ) -> dict[str, Any]:
        """The fields of a state after c further members: the errors with each of them, and the
        rows that these are of, shapes (c,)."""
        if not self._leaves_out:
            return {"oob_errors": None, "oob_rows": None, "n_rows": len(known.target)}
        n_members = known.K and (before.size if before else 0) + len(errors)
        return {
            "votes": known.vote_shares if n_members == self.n_estimators else None,
            "oob_errors": longer(before.oob_errors if before else None, errors),
            "oob_rows": longer(before.oob_rows if before else None, n_rows),
            "n_rows": len(known.target),
        }

    def _common(self, given: Given, state: Any) -> dict[str, Any]:
        """What all fits hold."""
        return {
            "made_by": self,
            "columns": given.columns,
            "n_iter": state.size,
            "stop": self._stop(state),
            "oob_errors": state.oob_errors,
            "oob_rows": state.oob_rows,
        }

    def _oob_votes(self, given: Given, state: MembersState) -> np.ndarray | None:
        """The votes of a state for all given rows, shape (n, K); NaN for one without weight."""
        if state.votes is None:
            return None
        votes = np.full((given.n, state.votes.shape[1]), np.nan)
        votes[given.w > 0] = state.votes
        return votes

    def _stop(self, state: MembersState) -> Stop | None:
        if state.size < self.n_estimators:
            return None
        why = f"All {count(self.n_estimators, self.member_noun)} are {self.done}."
        if state.oob_rows is not None and (never := state.n_rows - state.oob_rows[-1]):
            why += (
                f" {count(int(never), 'row')} took part in every {self.member_noun}, and no error "
                "counts them."
            )
        return Stop("converged", why)

    def _note(self, state: MembersState, error: float) -> str:
        if not np.isfinite(error):
            return f"{self._last(state)}; no row has been left out yet."
        amount = percent(error) + " wrong" if self.card.task == "classification" else rough(error)
        where = "on the rows left out" if state.oob_rows is not None else "on the fitted rows"
        return f"{self._last(state)}; so far {amount} {where}."


def longer(before: np.ndarray | None, more: np.ndarray) -> np.ndarray:
    """Values (t, ...) with further ones behind, (c, ...); of none these alone."""
    return more if before is None else np.concatenate([before, more])
