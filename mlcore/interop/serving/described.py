"""What a served model says of itself: its card, and an OpenAPI document of its own columns."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mlcore import __version__
from mlcore.interop.serving.limits import Limits
from mlcore.interop.serving.replies import ASKED, CSV, JSON, PROBLEM
from mlcore.interop.serving.rows import needed_by
from mlcore.preparation.capabilities import CountsTerms
from mlcore.preparation.step import holds_text
from mlcore.runs import saved
from mlcore.runs.predicting.cutting import THRESHOLD, checked_threshold, has_threshold
from mlcore.runs.predicting.wanted import ORDER, SEQUENCE, Wanted
from mlcore.runs.saved import Model, Told, threshold_name
from mlcore.runs.stamp import stamp
from mlcore.spine import codec
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesProbabilities, JudgesRows, Predicts, Transforms
from mlcore.spine.records import summary

REFUSALS = {
    408: "The body did not come in time.",
    413: "More rows, bytes or memory than this service allows.",
    415: "The body is neither JSON nor CSV.",
    422: "A cell, a column or the whole body cannot be used; `problems` says which cells.",
    503: "As many requests are under way as this service takes.",
    504: "The answer took longer than this service allows.",
}
NUMBER: dict[str, Any] = {"type": ["number", "null"]}
PROBABILITY: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}


class Served(NamedTuple):
    """A model that is served, with all there is to say of it."""

    content: bytes
    digest: str
    card: dict[str, Any]
    document: dict[str, Any]
    threshold: float | None = None  # where a request names none; None: as the method decides


def served(content: bytes, limits: Limits, threshold: float | str | None = None) -> Served:
    """What there is to say of the model in an archive.

    Raises FileError for any other bytes, and as `checked_threshold` does.
    """
    model, digest = saved.read(content), hashlib.sha256(content).hexdigest()
    at = checked_threshold(model, threshold)
    card = _card(model, digest) | {"threshold": at, "scores": saved.scores_in(content)}
    return Served(content, digest, card, openapi(model, limits, at), at)


def _card(model: Model, digest: str) -> dict[str, Any]:
    method = model.run.method
    return {
        "method": {
            "name": method.card.name,
            "title": method.title(),
            "says": summary(type(method)),
            "settings": codec.encode(method),
        },
        "changes": [step.about() for step in model.new_rows.steps],
        "not_done": list(model.new_rows.left_out),
        "preparation": [codec.encode(step) for step in model.run.preparation],
        "task": method.card.task,
        "target": model.target,
        "classes": list(model.classes),
        "columns": [_wanted(each) for each in needed_by(model)],
        "gives": list(outputs_of(model)),
        "provenance": {
            "model": digest,
            "run": model.run.digest(),
            "data": codec.encode(model.run.data),
            "versions": dict(model.versions),
            "stamp": stamp(model.run, model.versions),
        },
    }


def _wanted(wanted: Wanted) -> dict[str, Any]:
    column = wanted.column
    levels = [] if holds_text(column) else list(column.levels)
    kind = "names" if levels else column.kind
    return {"name": column.name, "kind": kind, "levels": levels, "role": wanted.role}


def outputs_of(model: Model) -> dict[str, dict[str, Any]]:
    """What each row of an answer holds, by name, as JSON Schema.

    The names are those that the model gives to what it says, asked of no row at all.
    """
    fit: Any = model.fit
    none, wide = np.empty(0), len(model.outputs)
    counted = any(can(step, CountsTerms) for step in model.preparation)
    told = Told(
        np.empty((0, 0)),
        (np.empty((0, wide)) if wide > 1 else none) if can(fit, Predicts) else None,
        np.empty((0, len(fit.classes))) if can(fit, GivesProbabilities) else None,
        none if can(fit, JudgesRows) else None,
        np.empty((0, len(fit.out_columns))) if can(fit, Transforms) else None,
        {"unknown words": none} if counted else {},
    )
    columns = {"row": {"type": "integer", "minimum": 1}} | dict.fromkeys(model.named(told), NUMBER)
    if model.run.method.card.task == "classification":
        columns[f"predicted {model.target}"] = {"type": "string", "enum": list(model.classes)}
    elif not model.run.method.card.task and can(fit, Predicts):
        (name,) = model.named(told._replace(probabilities=None, usualness=None, coordinates=None,
                                            unknown={})).keys() - _judged(fit)  # fmt: skip
        columns[name] = {"type": ["integer", "string"]}
    return columns


def _judged(fit: Any) -> set[str]:
    return {fit.score_name} if can(fit, JudgesRows) else set()


def openapi(model: Model, limits: Limits, threshold: float | None = None) -> dict[str, Any]:
    """The OpenAPI document of a service that serves this model."""
    title = model.run.method.title()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"{title}: {model.target}" if model.target else title,
            "version": __version__,
            "description": f"{summary(type(model.run.method))} {_allowed(limits)}",
        },
        "paths": {
            "/health": {"get": _get("health", "Whether the service answers.")},
            "/model": {"get": _get("model", "Method, columns, score and where it comes from.")},
            "/openapi.json": {"get": _get("openapi", "This document.")},
            "/predict": {"post": _predict(limits) | _parameters(model, threshold)},
        },
        "components": {"schemas": _schemas(model, limits)},
    }


def _allowed(limits: Limits) -> str:
    return (
        f"A request may have {limits.rows:,} rows, {limits.body_mb} MB and take {limits.seconds} "
        "seconds."
    )


def _get(name: str, says: str) -> dict[str, Any]:
    content = {JSON: {"schema": {"type": "object"}}}
    answers: dict[str, Any] = {"200": {"description": says, "content": content}}
    if name == "health":
        answers["503"] = _refusal("No process is there to answer.")
    return {"operationId": name, "summary": says, "responses": answers}


def _predict(limits: Limits) -> dict[str, Any]:
    text = {"schema": {"type": "string"}}
    return {
        "operationId": "predict",
        "summary": "What the model says of each row.",
        "description": "The answer comes as the body did, or as Accept asks for.",
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": _link("Rows")}, CSV: text},
        },
        "responses": {
            "200": {
                "description": "One row for each that was sent, in the same order.",
                "content": {JSON: {"schema": _link("Predictions")}, CSV: text},
            },
            **{str(status): _refusal(says) for status, says in REFUSALS.items()},
        },
    }


def _parameters(model: Model, threshold: float | None) -> dict[str, Any]:
    """What a request may ask for beside its rows."""
    if not has_threshold(model):
        return {}
    without = "the method decides" if threshold is None else f"it is {threshold:g}"
    says = f"{THRESHOLD.doc} Here this is {model.classes[1]}; without a threshold {without}."
    return {
        "parameters": [
            {"name": ASKED, "in": "query", "description": says, "schema": PROBABILITY},
        ]
    }


def _refusal(says: str) -> dict[str, Any]:
    return {"description": says, "content": {PROBLEM: {"schema": _link("Problem")}}}


def _link(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas(model: Model, limits: Limits) -> dict[str, Any]:
    needed = {wanted.column.name: _cell(wanted) for wanted in needed_by(model)}
    outputs = outputs_of(model)
    rows = {"type": "array", "minItems": 1, "maxItems": limits.rows, "items": _link("Row")}
    place = _object({"row": {"type": "integer"}, "column": {"type": "string"}}, says="string")
    return {
        "Row": _object(needed),
        "Rows": _object({"rows": rows}),
        "Prediction": _with_threshold(model, _object(outputs)),
        "Predictions": _object(
            {"rows": {"type": "array", "items": _link("Prediction")}}, model="string"
        ),
        "Problem": {
            **_object({"status": {"type": "integer"}}, title="string", detail="string"),
            "properties": {
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string"},
                "problems": {"type": "array", "items": place},
            },
        },
    }


def _with_threshold(model: Model, prediction: dict[str, Any]) -> dict[str, Any]:
    """With the column that an answer has where a threshold was asked for."""
    if has_threshold(model):
        prediction["properties"][threshold_name(model.classes)] = PROBABILITY
    return prediction


def _object(properties: Mapping[str, Any], **more: str) -> dict[str, Any]:
    every = dict(properties) | {name: {"type": kind} for name, kind in more.items()}
    return {"type": "object", "properties": every, "required": list(every)}


def _cell(wanted: Wanted) -> dict[str, Any]:
    """What JSON may say in a column of the model; null is an empty cell."""
    column = wanted.column
    if wanted.role in (SEQUENCE, ORDER):
        return {"type": ["number", "string"]}
    if holds_text(column):
        return {"type": ["string", "null"]}
    if column.levels:
        return {"enum": [*column.levels, None]}
    if column.kind == "datetime":
        return {"type": ["string", "null"], "description": "A date, 2024-05-31, or with its time."}
    return NUMBER
