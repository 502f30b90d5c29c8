"""Carrying out a comparison: every method on the same folds of the same rows, table by table.

A method that cannot be used, or fails, is an entrant with the reason; the others go on. Folds go
round the methods, so after a stop all of them have about the same folds.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.evaluation.judge import Judge
from mlcore.evaluation.splits import Split
from mlcore.runs import carry, cost
from mlcore.runs.carry import FoldResult, Whole, scored_fold, splits_of
from mlcore.runs.comparable import labels, standing
from mlcore.runs.comparing.outcome import ComparisonOutcome, Entrant, Fitted
from mlcore.runs.comparing.pairs import compare_methods
from mlcore.runs.comparing.tables import over_tables
from mlcore.runs.places import HERE, Place
from mlcore.runs.run import Comparison, Run
from mlcore.runs.stamp import versions
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.iterate import returned

NOT_YET = "It is not fitted yet."


def carry_out(
    run: Comparison,
    uploads: Mapping[str, Table] | None = None,
    place: Place = HERE,
    before: Sequence[Fitted] = (),
) -> Generator[Fitted, None, ComparisonOutcome]:
    """Yield each fit as it ends, table by table; return the outcome.

    On each table every method is fitted to all rows first, then fold by fold. The events of an
    attempt that was stopped may be given as `before`: they are yielded again, and only the rest is
    carried out. Raises DataError if the first data cannot be used, or none of the methods applies.
    """
    tables = _tables(run, uploads)
    done, total = 0, sum(table.fits for table in tables)
    events: list[Fitted] = []
    for table in tables:
        done_before = [event for event in before if event.table == table.number]
        for which, result in table.work(place, done_before):
            done += table.settled(result)
            events.append(Fitted(table.number, table.name, which, result, table.judge, done, total))
            yield events[-1]
    outcome = so_far(run, events)
    assert outcome is not None  # there were methods
    return outcome


def carried_out(run: Comparison, uploads: Mapping[str, Table] | None = None) -> ComparisonOutcome:
    """Carry out a comparison to its end."""
    return returned(carry_out(run, uploads))


def so_far(
    run: Comparison, events: Sequence[Fitted], uploads: Mapping[str, Table] | None = None
) -> ComparisonOutcome | None:
    """The outcome of what is done, also after a stop; None before the first event."""
    if not events:
        return None
    data = (run.data, *run.more)
    sets = tuple(
        _entrants(run, table, [event for event in events if event.table == t])
        for t, table in enumerate(data)
    )
    names = [_name_of(table) for table in data]
    for event in events:
        names[event.table] = event.name
    done = max(event.done for event in events)
    return ComparisonOutcome(run, sets, tuple(names), done, events[0].total, versions())


def does_not_apply(run: Comparison, dataset: Dataset) -> str | None:
    """Why none of the methods can be used on this data, as a sentence, or None."""
    reasons = standing(run, dataset).reasons
    return reasons[0] if all(reasons) else None


def planned(run: Comparison, dataset: Dataset, more: Sequence[Dataset] = ()) -> int:
    """Fits in all on these data sets. Raises DataError if the folds do not fit the first."""
    first = 1 + len(splits_of(run.runs()[0], dataset))
    return len(run.methods) * (first + sum(1 + _folds_of(run, rows) for rows in more))


def estimate(
    run: Comparison, dataset: Dataset, more: Sequence[Dataset] = ()
) -> tuple[float, float]:
    """What carrying out a comparison will take: (seconds, bytes), on these data sets."""
    costs = [cost.estimate(one, rows) for one, rows in _entering(run, dataset, more)]
    return sum(s for s, _ in costs), max((size for _, size in costs), default=0.0)


def kept(run: Comparison, dataset: Dataset, more: Sequence[Dataset] = ()) -> float:
    """Bytes that the scored folds of all methods take in whoever keeps the outcome."""
    return sum(cost.kept(one, rows) for one, rows in _entering(run, dataset, more))


def _entering(
    run: Comparison, dataset: Dataset, more: Sequence[Dataset]
) -> Iterator[tuple[Run, Dataset]]:
    """Each method with each data set that it can be judged on."""
    for rows in (dataset, *(rows for rows in more if _folds_of(run, rows))):
        for one, why in zip(run.runs(), standing(run, rows).reasons):
            if not why:
                yield one, rows


def _folds_of(run: Comparison, dataset: Dataset) -> int:
    """Folds of a further data set; none where they do not fit its rows."""
    try:
        return len(splits_of(run.runs()[0], dataset))
    except DataError:  # carried out, it is a table of reasons
        return 0


def report(outcome: ComparisonOutcome) -> str:
    """The scores of every method in full precision, and what may be said of their differences."""
    lines: list[str] = []
    for name, entrants in zip(outcome.names, outcome.sets):
        lines.append(f"{name}, seed {outcome.run.seed}")
        for entrant in entrants:
            result = entrant.failure if entrant.outcome is None else carry.report(entrant.outcome)
            lines.append(f"{entrant.label}: {result}")
    return "\n".join(lines + _verdicts(outcome))


def _verdicts(outcome: ComparisonOutcome) -> list[str]:
    if not outcome.scored:
        return []
    comparison = compare_methods(outcome)
    sentences = [comparison.headline, *(pair.verdict.sentence for pair in comparison.pairs)]
    return sentences + ([over_tables(outcome).sentence] if len(outcome.sets) > 1 else [])


def whole_or_reason(run: Run, dataset: Dataset, planned: int) -> Whole | str:
    """The method fitted to all rows, or the sentence why it cannot be."""
    try:
        return carry.whole_fit(run, dataset, planned)
    except MlcoreError as error:
        return str(error)


@dataclass(frozen=True, eq=False)
class _Table:
    """One table of a comparison: its rows, folds, and why methods have no part in it."""

    number: int
    name: str
    runs: tuple[Run, ...]
    reasons: tuple[str, ...]
    judge: Judge
    dataset: Dataset | None = None
    splits: Sequence[Split] = ()

    @property
    def fits(self) -> int:
        """All that would be made if no method failed."""
        return len(self.runs) * (1 + len(self.splits))

    def settled(self, result: Whole | FoldResult | str) -> int:
        """How many fits are over with this result: all of a method that has no part here."""
        return 1 + len(self.splits) if isinstance(result, str) else 1

    def work(self, place: Place, done_before: Sequence[Fitted]) -> Iterator[tuple[int, Any]]:
        """(method, result) of each fit as they end; first those that are known."""
        yield from ((event.which, event.result) for event in done_before)
        fitted = {event.which: event.result for event in done_before if _is_first(event.result)}
        for which, whole in self._wholes(place, skip=fitted):
            fitted[which] = whole
            yield which, whole
        left = [which for which in sorted(fitted) if isinstance(fitted[which], Whole)]
        ended = {(e.which, e.result.k) for e in done_before if isinstance(e.result, FoldResult)}
        yield from self._folds(place, left, skip=ended)

    def _wholes(self, place: Place, skip: Container[int]) -> Iterator[tuple[int, Whole | str]]:
        """Every method on all rows, or the reason why it has no part here."""
        left = [which for which in range(len(self.runs)) if which not in skip]
        yield from ((which, self.reasons[which]) for which in left if self.reasons[which])
        able = [which for which in left if not self.reasons[which]]
        calls = [(self.runs[which], self.dataset, len(self.splits)) for which in able]
        yield from ((able[i], whole) for i, whole in place.each(whole_or_reason, calls))

    def _folds(
        self, place: Place, methods: Sequence[int], skip: Container[tuple[int, int]]
    ) -> Iterator[tuple[int, FoldResult]]:
        """The folds of these methods, fold by fold."""
        jobs = [
            (which, k)
            for k in range(len(self.splits))
            for which in methods
            if (which, k) not in skip
        ]
        calls = (self._call(which, k) for which, k in jobs)
        yield from ((jobs[i][0], fold) for i, fold in place.each(scored_fold, calls))

    def _call(self, which: int, k: int) -> tuple:
        run, split = self.runs[which], self.splits[k]
        return run, self.dataset, self.judge, k, len(self.splits), split


def _is_first(result: Any) -> bool:
    return not isinstance(result, FoldResult)


def _tables(run: Comparison, uploads: Mapping[str, Table] | None) -> list[_Table]:
    dataset = run.data.dataset(uploads)
    if reason := does_not_apply(run, dataset):
        raise DataError(reason)
    first = _table(run, 0, run.data, dataset)
    return [first, *(_further(run, k, data, uploads) for k, data in enumerate(run.more, start=1))]


def _table(run: Comparison, number: int, data: Any, dataset: Dataset) -> _Table:
    runs = run.runs(data)
    splits = splits_of(runs[0], dataset)
    return _Table(number, dataset.name, runs, *standing(run, dataset), dataset, splits)


def _further(
    run: Comparison, number: int, data: Any, uploads: Mapping[str, Table] | None
) -> _Table:
    """A further table; where it cannot be used, one that says so for every method."""
    try:
        return _table(run, number, data, data.dataset(uploads))
    except MlcoreError as error:
        runs = run.runs(data)
        return _Table(number, _name_of(data), runs, (str(error),) * len(runs), Judge(()))


def _name_of(data: Any) -> str:
    """How a table is called before it is read: by its name, if its source has one."""
    return getattr(data.source, "name", "") or data.source.title()


def _entrants(run: Comparison, data: Any, events: Sequence[Fitted]) -> tuple[Entrant, ...]:
    named = zip(run.methods, labels(run), run.runs(data))
    return tuple(
        _entrant(one, k, method, label, [event for event in events if event.which == k])
        for k, (method, label, one) in enumerate(named)
    )


def _entrant(run: Run, which: int, method: Any, label: str, events: Sequence[Fitted]) -> Entrant:
    results = [event.result for event in events]
    wholes = [result for result in results if isinstance(result, Whole)]
    if not wholes:
        why = next((result for result in results if isinstance(result, str)), NOT_YET)
        return Entrant(which, method, label, None, why)
    folds = [result for result in results if isinstance(result, FoldResult)]
    outcome = carry.so_far(run, [*wholes, *folds], judge=events[0].judge)
    assert outcome is not None  # there is a whole fit
    failure = next((fold.failure for fold in outcome.folds if fold.failure), "")
    return Entrant(which, method, label, outcome, failure)
