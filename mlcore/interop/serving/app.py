"""The endpoints of a served model; rows go to the workers as they came."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mlcore.interop.serving.bodies import Bodies
from mlcore.interop.serving.described import Served
from mlcore.interop.serving.limits import Limits
from mlcore.interop.serving.replies import ASKED, CSV, JSON, Refused, Reply, as_json
from mlcore.interop.serving.workers import BUSY, Workers

TYPES = (JSON, CSV)
HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
CROWDED = "This service has as many connections open as it takes. Ask again in a moment."
ASK = "Ask /health, /model or /openapi.json, or send rows to /predict by POST."


def service(served: Served, limits: Limits, ready: Callable[[], None] = lambda: None) -> Starlette:
    """The service of one model; `ready` is called once it can answer."""
    workers, bodies = Workers(served.content, limits), Bodies(limits)

    async def health(request: Request) -> Response:
        if not workers.living:
            return _sent(Refused(503, "No process is there to answer.").reply())
        return _sent(Reply(200, JSON, as_json({"status": "ok", "model": served.digest})))

    async def model(request: Request) -> Response:
        return _sent(Reply(200, JSON, as_json(served.card)))

    async def openapi(request: Request) -> Response:
        return _sent(Reply(200, JSON, as_json(served.document)))

    async def predict(request: Request) -> Response:
        try:
            return _sent(await _predicted(request, workers, bodies, served, limits))
        except Refused as refused:
            return _sent(refused.reply())

    return Starlette(
        routes=[
            Route("/health", health),
            Route("/model", model),
            Route("/openapi.json", openapi),
            Route("/predict", predict, methods=["POST"]),
        ],
        exception_handlers={HTTPException: _elsewhere},
        lifespan=_life(workers, ready),
    )


def within(app: ASGIApp, most: int, now: Callable[[], int]) -> ASGIApp:
    """The service as long as at most so many connections are open `now`; else a refusal.

    uvicorn's own limit says two words in plain text, and a line a request in the log.
    """

    async def bounded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or now() <= most:
            await app(scope, receive, send)
            return
        refused = _sent(Refused(503, CROWDED).reply())
        refused.headers["Connection"] = "close"
        await refused(scope, receive, send)

    return bounded


def _life(
    workers: Workers, ready: Callable[[], None]
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        try:
            await workers.start()
            ready()
            yield
        finally:
            await workers.stop()

    return life


async def _predicted(
    request: Request, workers: Workers, bodies: Bodies, served: Served, limits: Limits
) -> Reply:
    """The answer to one request, of which so many are under way at a time."""
    asked = {
        "type": _type(request), "wants": _wants(request), "model": served.digest,
        "rows": limits.rows, "threshold": _threshold(request, served.threshold),
    }  # fmt: skip
    _check_room(workers, limits)
    body = await bodies.whole(request)
    _check_room(workers, limits)
    workers.under_way += 1
    try:
        return await workers.ask(asked, body)
    finally:
        workers.under_way -= 1


def _check_room(workers: Workers, limits: Limits) -> None:
    if workers.under_way >= limits.at_once:
        raise Refused(503, BUSY)


def _type(request: Request) -> str:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    packed = request.headers.get("content-encoding", "identity")
    if kind not in TYPES or packed != "identity":
        came = f"{kind or 'no type'}{'' if packed == 'identity' else f', {packed}'}"
        raise Refused(415, f"Send rows as {JSON} or {CSV}, not packed; got {came[:80]}.")
    return kind


def _threshold(request: Request, usual: float | None) -> float | str | None:
    """What the address asks for as it stands there; it may ask for nothing else, nor twice."""
    asked = request.query_params.multi_items()
    if any(name != ASKED for name, _ in asked) or len(asked) > 1:
        other = next((name for name, _ in asked if name != ASKED), f"{ASKED} twice")
        raise Refused(422, f"An address may ask for {ASKED}, once; got {other[:80]!r}.")
    return asked[0][1] if asked else usual


def _wants(request: Request) -> str:
    """The type of the answer: the first of ours that is asked for, else that of the body."""
    accepted = [a.partition(";")[0].strip() for a in request.headers.get("accept", "").split(",")]
    return next((name for name in accepted if name in TYPES), _type(request))


def _sent(reply: Reply) -> Response:
    headers = HEADERS | ({"Retry-After": "1"} if reply.status == 503 else {})
    return Response(reply.body, reply.status, headers, reply.type)


async def _elsewhere(request: Request, error: Any) -> Response:
    """An address or a verb that is not ours."""
    what = f"{request.method} {request.url.path[:80]}"
    sent = _sent(Refused(error.status_code, f"There is nothing at {what}. {ASK}").reply())
    sent.headers.update(error.headers or {})
    return sent
