"""Every shared vector must hold here as everywhere else."""

from __future__ import annotations

import pytest
import vectors

ALL = list(vectors.read())


@pytest.mark.parametrize("vector", ALL, ids=[vector["id"] for vector in ALL])
def test_vector(vector, tmp_path):
    if reason := vectors.left_out(vector):
        pytest.skip(f"{vector['id']}: {reason}")
    faults = vectors.run(vector, tmp_path)
    assert not faults, vector["note"] + "\n  " + "\n  ".join(faults)


def test_the_vectors_are_there():
    assert sum(vectors.left_out(vector) is None for vector in ALL) > 300


def test_the_disputed_vector_holds_in_everything_but_its_status(tmp_path):
    (vector,) = (vector for vector in ALL if vector["id"] == "bo-q-grandchild-holds-stdout")
    (hook,) = vector["expect"]["hooks"]
    vector["expect"]["hooks"] = [{**hook, "status": "blocked"}]
    assert vectors.run(vector, tmp_path) == []


@pytest.mark.parametrize(
    ("want", "got", "same"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, True),
        ({"a": 1}, {"a": True}, False),
        ({"updated_input": {"a": 1}}, {"updated_input": {"a": 1, "b": 2}}, False),
        ({"diagnostics": []}, {"diagnostics": [{"code": "x"}]}, False),
        ({"diagnostics": [{"code": "x"}]}, {"diagnostics": [{"code": "y"}, {"code": "x"}]}, True),
        ({"diagnostics": [{"code": "x"}]}, {"diagnostics": [{"code": "y"}]}, False),
        ({"stop": {"reason": None}}, {"stop": None}, False),
    ],
)
def test_the_comparison_itself(want, got, same):
    assert (not list(vectors.differences(want, got))) is same
