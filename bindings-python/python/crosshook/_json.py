"""Between Python values and JSON text, the only form in which data reaches the engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fsdecode

from ._errors import Error, InternalError, InvalidEventError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def encode(value: object, failure: type[Error], what: str) -> bytes:
    """`value` as JSON, as JavaScript's `JSON.stringify` would write it: real characters, since hooks written in
    shell look for them; only lone surrogates, which UTF-8 cannot hold, become ``\\udXXX`` escapes.

    Raises `failure` for what JSON cannot say (NaN, sets, cycles) and for what Python's `json` cannot write.
    """
    try:
        text = _encoder.encode(value)
    except (TypeError, ValueError) as error:
        raise failure(f"{what} cannot be written as JSON: {error}") from error
    except RecursionError as error:
        raise failure(f"{what} is nested too deeply for Python's json module; pass it as JSON text") from error
    return _utf8(text)


def encode_event(event: object) -> bytes:
    """An event in any of its forms as UTF-8 JSON. Text is passed on as it is: the engine checks it."""
    if isinstance(event, bytes):
        return event
    if isinstance(event, str):
        return _utf8(event)
    if isinstance(event, Mapping):
        return encode(event, InvalidEventError, "the event")
    raise TypeError(f"an event must be a dict, str or bytes, not {type(event).__name__}")


def decode(text: str) -> Any:
    """JSON text of the engine as Python values."""
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        message = "the answer holds a value that Python's json module cannot read; use JSON text in and out to get it"
        raise InternalError(f"{message}: {error}") from error


def _utf8(text: str) -> bytes:
    # A lone surrogate can only stand in a JSON string, and its backslash escape is what JSON writes for it.
    return text.encode("utf-8", "backslashreplace")


def _other(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, PathLike):
        return fsdecode(value)
    raise TypeError(f"{type(value).__name__} is no JSON type")


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_other)
"""Made once: `json.dumps` would make one for each call."""
