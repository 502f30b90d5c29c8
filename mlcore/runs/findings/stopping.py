"""The rule about an iteration that was stopped before it converged."""

from __future__ import annotations

from mlcore.runs.findings.finding import WARNING, Press, Statement, rule
from mlcore.runs.findings.ran import Ran
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasEmbedding
from mlcore.spine.param_kinds import Number
from mlcore.spine.params import counting

TIMES = 10  # as many iterations at one press


@rule(
    "not_converged", WARNING, "The iteration has not converged",
    source="Nocedal and Wright (2006), Numerical Optimization, 2nd edition, 3.2",
)  # fmt: skip
def not_converged(ran: Ran) -> Statement | None:
    """The fit to all rows ended at its limit, and the method has a tolerance and a limit to raise.

    Without a tolerance the number of iterations is a plan, not a limit; so it is of a map such as
    t-SNE, whose course is set for it.
    """
    method, stop = ran.run.method, ran.fit.stop
    declared = counting(method)
    limit = declared.get("max_iter")
    if stop is None or stop.kind != "limit" or "tol" not in declared or can(ran.fit, HasEmbedding):
        return None
    most = method.max_iter if isinstance(limit, Number) else None
    if not isinstance(limit, Number) or not isinstance(most, int) or ran.fit.n_iter < most:
        return None
    more = int(min(most * TIMES, limit.high))
    if more == most:
        return None
    sentence = (
        f"{stop.why} Its coefficients or groups, and its scores, would change with more iterations."
    )
    press = Press(f"Allow {more:,} iterations", run=ran.with_method(max_iter=more))
    return Statement(sentence, press, {"iterations": ran.fit.n_iter})
