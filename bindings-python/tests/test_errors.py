"""Every failure is a `crosshook.Error`."""

from __future__ import annotations

import pickle

import pytest
from conftest import DENY

import crosshook
from crosshook import _errors, _json, _native


def test_every_code_of_the_core_has_a_class():
    assert set(_errors.BY_CODE) == set(_native.ERROR_CODES)
    assert len(set(_errors.BY_CODE.values())) == len(_native.ERROR_CODES)
    for code, kind in _errors.BY_CODE.items():
        assert kind.code == code and issubclass(kind, crosshook.Error) and kind.__doc__
        assert getattr(crosshook, kind.__name__) is kind and kind.__module__ == "crosshook"


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("{", "not a JSON object"),
        ("[]", "not a JSON object"),
        (b"", "not a JSON object"),
        (b'{"hook_event_name":"\xff"}', "not UTF-8"),
        ({}, "no `hook_event_name`"),
        ({"hook_event_name": 7}, "is a number"),
        ("\ud800", "not a JSON object"),
    ],
)
def test_bad_events(hooked, event, words):
    engine = hooked(DENY)
    for call in (engine.dispatch, engine.explain):
        with pytest.raises(crosshook.InvalidEventError, match=words) as caught:
            call(event)
        error = caught.value
        assert error.code == "invalid_event" and words in error.message
        assert set(error.details) == {"path", "pointer", "line"}


def test_details_name_the_place(hooked):
    with pytest.raises(crosshook.InvalidEventError) as caught:
        hooked(DENY).dispatch('{"hook_event_name": "Stop",\n\n "x": }')
    assert caught.value.details["line"] == 3


def test_bad_options(tmp_path):
    with pytest.raises(crosshook.InvalidOptionsError, match="no-such-agent"):
        crosshook.Engine(dialect="no-such-agent", settings={})
    with pytest.raises(crosshook.InvalidOptionsError, match="set is no JSON type"):
        crosshook.Engine(dialect="qwen", settings={"hooks": {1, 2}})
    with pytest.raises(TypeError, match="no_such_option"):
        crosshook.Engine(dialect="qwen", no_such_option=1)


def test_bad_settings_name_file_and_line(tmp_path):
    missing = tmp_path / "missing.json"
    with pytest.raises(crosshook.Error) as caught:
        crosshook.Engine(dialect="qwen", settings=[{"scope": "project", "path": missing}])
    assert caught.value.code in ("io", "invalid_settings")
    assert str(missing) in str(caught.value)
    broken = tmp_path / "broken.json"
    broken.write_text('{\n"hooks": {\n')
    with pytest.raises(crosshook.InvalidSettingsError) as caught:
        crosshook.Engine(dialect="qwen", settings=[{"scope": "project", "path": broken}])
    assert caught.value.details["path"] == str(broken)
    assert caught.value.details["line"] in (2, 3)
    assert str(broken) in str(caught.value)


def test_a_panic_is_an_ordinary_exception():
    with pytest.raises(crosshook.InternalError, match="a defect in Crosshook, please report it: it broke") as caught:
        _native._panic("it broke")
    assert isinstance(caught.value, Exception) and caught.value.code == "internal"


@pytest.mark.parametrize("value", ["[" * 200_000 + "]" * 200_000, "{"], ids=["deep", "cut"])
def test_an_answer_that_python_cannot_read_is_an_error(value):
    with pytest.raises(crosshook.InternalError, match="use JSON text in and out"):
        _json.decode(value)


def test_errors_can_be_pickled():
    error = _errors.from_core("io", "f:3: gone", "gone", "f", None, 3)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is crosshook.IoError
    assert (str(again), again.message, again.code) == ("f:3: gone", "gone", "io")
    assert again.details == {"path": "f", "pointer": None, "line": 3}


def test_a_code_without_a_class_is_still_an_error():
    error = _errors.from_core("brand_new", "text", "text", None, None, None)
    assert type(error) is crosshook.Error and error.code == "brand_new"
