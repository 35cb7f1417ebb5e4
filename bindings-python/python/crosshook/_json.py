"""Between Python values and JSON text, the only form in which data reaches the engine.

The module `json` is loaded with the first engine, not with the package: it costs more than all the rest.
"""

from __future__ import annotations

import json
from os import PathLike, fsdecode

from ._errors import Error, InternalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def encode(value: object, failure: type[Error], what: str) -> bytes:
    """`value` as JSON, as JavaScript's `JSON.stringify` would write it: real characters, since hooks written in
    shell look for them; only lone surrogates, which UTF-8 cannot hold, become ``\\udXXX`` escapes.

    Raises `failure` for what JSON cannot say (NaN, sets, cycles) and for what Python's `json` cannot write.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_path)
    except (TypeError, ValueError) as error:
        raise failure(f"{what} cannot be written as JSON: {error}") from error
    except RecursionError as error:
        raise failure(f"{what} is nested too deeply for Python's json module; pass it as JSON text") from error
    return utf8(text)


def utf8(text: str) -> bytes:
    """JSON text as UTF-8. A lone surrogate can only stand in a JSON string, where its backslash escape means it."""
    return text.encode("utf-8", "backslashreplace")


def decode(text: str) -> Any:
    """JSON text of the engine as Python values."""
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        message = "the answer holds a value that Python's json module cannot read; use JSON text in and out to get it"
        raise InternalError(f"{message}: {error}") from error


def _path(value: object) -> str:
    if isinstance(value, PathLike):
        return fsdecode(value)
    raise TypeError(f"{type(value).__name__} is no JSON type")
