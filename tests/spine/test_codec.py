"""Written forms of runs: link, JSON and script all come back as the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlcore.data.dataset import TableData
from mlcore.regression.ridge import Ridge
from mlcore.runs.carry import carried_out, report
from mlcore.runs.run import Comparison, Run, from_json
from mlcore.runs.script import script
from mlcore.spine.errors import MlcoreError, ParamError
from mlcore.spine.registry import entries

ROOT = Path(__file__).parents[2]
RUNS = [
    Run(),
    Run(data="iris", method="lda", seed=7),
    Run(
        data=TableData(source="blobs", roles={"x1": "ignore"}, target=None),
        preparation=("standardise",),
        method="pca",
        evaluation="leave_one_out",
    ),
    Run(preparation=(), data=TableData(target="body~mass:g", kinds={"a:b~c": "nominal"})),
]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.short())
def test_a_run_comes_back_from_every_written_form(run):
    assert from_json(run.to_json()) == run
    assert Run.from_link(run.to_link()) == (run, ())


def test_a_comparison_comes_back_with_the_same_method_twice():
    made = Comparison(methods=("kmeans", "pca", "kmeans"))
    assert from_json(made.to_json()) == made
    assert Comparison.from_link(made.to_link()) == (made, ())


def test_a_link_is_short_where_defaults_are_meant():
    pairs = Run(data="iris", method="kmeans").to_link()
    assert pairs == {"data": "iris", "method": "kmeans", "evaluation": "k_fold", "v": "1"}


def test_minus_zero_is_written_as_zero():
    plus, minus = (Run(method=Ridge(alpha=alpha)) for alpha in (0.0, -0.0))
    assert minus.to_json() == plus.to_json()
    assert minus.digest() == plus.digest()


def test_the_digest_does_not_depend_on_the_link_version():
    document = json.loads(RUNS[1].to_json())
    document.pop("v")
    assert from_json(json.dumps(document)).digest() == RUNS[1].digest()


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ({"method": "kmaens"}, "There is no method entry called 'kmaens'. Did you mean 'kmeans'?"),
        ({"method.n_clusters": "0"}, "method.n_clusters must be at least 1"),
        ({"method.n_clusters": "many"}, "method.n_clusters cannot be read from 'many'"),
        ({"method.bandwidth": "3"}, "'method.bandwidth' belongs to nothing that was chosen"),
        ({"data": "irsi"}, "There is no bundled data set called 'irsi'"),
        ({"preparation": "impute~polish"}, "There is no preparation entry called 'polish'"),
        ({"preparation": "~".join(["impute"] * 30)}, "preparation must name 0 to 10 parts"),
        ({"seed": "-1"}, "seed must be at least 0"),
    ],
)
def test_what_a_link_cannot_say_is_a_sentence_and_the_rest_is_used(pairs, says):
    run, problems = Run.from_link({"evaluation": "hold_out", "method": "kmeans"} | pairs)
    assert [p for p in problems if p.startswith(says)], problems
    assert run.evaluation.card.name == "hold_out"


def test_a_long_link_is_refused():
    with pytest.raises(ParamError, match="at most 64 KB"):
        Run.from_link({"data": "x" * 70_000})


KEYS = st.sampled_from(
    ["data", "data.source", "data.target", "data.roles", "method", "method.n_clusters",
     "method.init", "preparation", "preparation.0.strategy", "evaluation.n_splits", "seed", "v",
     "view.x", "nonsense"]
)  # fmt: skip
NAMES = st.sampled_from([name for slot in ("method", "source", "splits") for name in entries(slot)])


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(KEYS | st.text(max_size=8), NAMES | st.text(max_size=20), max_size=6))
def test_any_link_gives_a_run(pairs):
    run, problems = Run.from_link(pairs)
    assert isinstance(run, Run)
    assert all(p.endswith((".", "?")) for p in problems), problems
    assert Run.from_link(run.to_link()) == (run, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=6) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.just("use"), inner),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=40)
    | JSON.map(json.dumps)
    | JSON.map(lambda d: json.dumps({"use": "run", "method": d}))
)
def test_any_text_gives_a_run_or_a_sentence(text):
    try:
        assert from_json(text)
    except MlcoreError as error:
        assert str(error).endswith((".", "?"))  # noqa: PT017  # both outcomes are right


def test_deep_nesting_is_refused():
    nested: dict = {"use": "kmeans"}
    for _ in range(50):
        nested = {"use": "run", "method": nested}
    with pytest.raises(ParamError):
        from_json(json.dumps(nested))


@pytest.mark.slow
def test_the_script_gives_the_same_numbers_in_a_fresh_process(tmp_path):
    run = Run(data="iris", method="logistic", seed=3)
    path = tmp_path / "run.py"
    path.write_text(script(run))
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=True, env=env
    )
    assert said.stdout.strip() == report(carried_out(run))


def test_names_shared_by_two_classes_are_told_apart():
    text = script(Run(data="iris", method="lda"))
    compile(text, "script", "exec")
    assert "from mlcore.runs.run import Run" in text
