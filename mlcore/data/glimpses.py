"""A preview of each data set without drawing it: size, task, and a small picture.

The facts lie in `sample_data/glimpses.json`, written by

    python -m mlcore.data.glimpses

after a set or a generator changed; a test tells when that was forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np

from mlcore.data import bundled
from mlcore.data.dataset import Dataset, TableData
from mlcore.data.examples import OURS, examples
from mlcore.maths.images import Images, named_images
from mlcore.spine import outside
from mlcore.spine.component import Component
from mlcore.spine.registry import entries, lookup, own_index, packages

FILE = bundled.FOLDER / "glimpses.json"
SCALE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"  # from least to most
POINTS = 120  # of a picture
SIDE = 16  # most pixels of a side
BARS = 14
WRITTEN_APART = ("bundled", "upload", "drawn")  # sources that have no rows of their own


@dataclass(frozen=True)
class Glimpse:
    """The size and the task of a set, and a picture of few strokes.

    `picture` is points, line, bars, pixels or nothing. Numbers are letters of `SCALE`: points and
    lines have one in `across` and one in `up` each, bars one in `up`, pixels one in `up` row by
    row, `width` in a row. `groups` are codes of classes, a digit a point, where there are any.
    """

    rows: int
    columns: int
    task: str  # classification, regression, or none
    picture: str = ""
    across: str = ""
    up: str = ""
    groups: str = ""
    width: int = 0


@cache
def glimpses() -> dict[str, Glimpse]:
    """What is known of each set and generator, by the name that stands in links."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    ours = {name: Glimpse(**fields) for name, fields in content.items()}
    return ours | {name: _of_others(name) for name in every_name() if is_of_others(name)}


def _of_others(name: str) -> Glimpse:
    """The glimpse of what a package brings; one that cannot be read must not spoil the list."""
    try:
        return glimpse(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # it is a function of others
        by = examples()[name].by if name in examples() else lookup("source", name).__module__
        package = next(p for p in packages() if by == p.name or p.holds(by))
        outside.leave_out(package, error, f"rows of {name}")
        return Glimpse(0, 0, "none")


def makers() -> dict[str, type[Component]]:
    """Every source that draws its rows, by name."""
    return {name: source for name, source in entries("source").items() if name not in WRITTEN_APART}


def is_of_others(name: str) -> bool:
    """Whether a package of others brings the set or generator: its glimpse is made when asked."""
    if name in examples():
        return examples()[name].by != OURS
    return name in makers() and name not in own_index()["source"]


def every_name() -> list[str]:
    """The sets and generators that have a glimpse, in the order of their lists."""
    return [*bundled.names(), *examples(), *makers()]


def glimpse(name: str) -> Glimpse:
    """The glimpse of a set, from its rows."""
    data = TableData(source=name).dataset()
    facts = data.table.n_rows, len(data.table.names), data.task
    return Glimpse(*facts, **_picture(data))


def _picture(data: Dataset) -> dict:
    """The first of the pictures that these rows allow."""
    shown = np.unique(np.linspace(0, data.n - 1, min(data.n, POINTS)).astype(int))
    numbers = [j for j, column in enumerate(data.columns) if not column.levels]
    X = data.X[:, numbers]
    if images := named_images([column.name for column in data.columns]):
        return _pixels(data, images)
    if X.shape == (data.n, data.n) and data.n > 3:
        return _shades(_thinned(X))
    if data.task == "regression" and data.y is not None:
        return _against(data, data.y, X, shown)
    if X.shape[1] >= 2:
        groups = data.y[shown] if data.task == "classification" and data.y is not None else ()
        # Surfaces in space roll up in their first and last column.
        return _points(X[shown, 0], X[shown, 2 if X.shape[1] == 3 else 1], groups)
    if data.order is not None and X.shape[1]:
        return _line(data.order, X[:, 0])
    if X.shape[1]:
        return _bars(X[:, 0])
    return {} if data.y is None else _bars(data.y)


def _against(data: Dataset, y: np.ndarray, X: np.ndarray, shown: np.ndarray) -> dict:
    """The target over the time, or over the column that tells most of it in a straight line."""
    if data.order is not None:
        return _line(data.order, y)
    if not X.shape[1]:
        return _bars(y)
    centred = np.nan_to_num(X - np.nanmean(X, axis=0))
    length = np.sqrt((centred**2).sum(axis=0))
    tells = np.abs((y - y.mean()) @ centred) / np.where(length > 0, length, np.inf)
    return _points(X[shown, tells.argmax()], y[shown], ())


def _points(x: np.ndarray, y: np.ndarray, groups: Sequence[int] | np.ndarray) -> dict:
    known = np.isfinite(x) & np.isfinite(y)
    codes = "".join(str(int(g) % 8) for g in np.asarray(groups)[known]) if len(groups) else ""
    return {"picture": "points", "across": _letters(x[known]), "up": _letters(y[known]),
            "groups": codes}  # fmt: skip


def _line(order: np.ndarray, values: np.ndarray) -> dict:
    """The first rows in their order."""
    first = np.argsort(order, kind="stable")
    first = first[np.isfinite(values[first])][:POINTS]
    return {"picture": "line", "across": _letters(np.arange(len(first))),
            "up": _letters(values[first])}  # fmt: skip


def _bars(values: np.ndarray) -> dict:
    known = values[np.isfinite(values)]
    counts, _ = np.histogram(known, bins=min(BARS, max(2, len(np.unique(known)))))
    return {"picture": "bars", "up": _letters(counts, least=0.0)}


def _pixels(data: Dataset, images: Images) -> dict:
    """Three pictures side by side, of three classes where there are as many, in shades of grey."""
    shown = images.of(data.X[_three(data)]).mean(axis=3)
    return _shades(np.hstack([_thinned(image) for image in shown]))


def _three(data: Dataset) -> list[int]:
    """Rows of different classes, or the first, the middle and the last."""
    spread = [0, data.n // 2, data.n - 1]
    if data.y is None or len(data.classes) < 3:
        return spread
    return list(np.unique(data.y, return_index=True)[1][:3])


def _thinned(image: np.ndarray) -> np.ndarray:
    rows, columns = (
        np.unique(np.linspace(0, n - 1, min(n, SIDE)).astype(int)) for n in image.shape
    )
    return image[np.ix_(rows, columns)]


def _shades(image: np.ndarray) -> dict:
    return {"picture": "pixels", "up": _letters(image.ravel()), "width": image.shape[1]}


def _letters(values: np.ndarray, least: float | None = None) -> str:
    low = values.min() if least is None else least
    reach = values.max() - low
    scaled = (values - low) / reach if reach > 0 else np.full(len(values), 0.5)
    return "".join(SCALE[round(share * (len(SCALE) - 1))] for share in scaled)


def write() -> None:
    """Bring the file up to date."""
    plain = {name: _plain(glimpse(name)) for name in every_name() if not is_of_others(name)}
    lines = [f"{json.dumps(name)}: {json.dumps(facts)}" for name, facts in plain.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _plain(entry: Glimpse) -> dict:
    facts = ("rows", "columns", "task")
    return {name: value for name, value in asdict(entry).items() if value or name in facts}


if __name__ == "__main__":
    write()
