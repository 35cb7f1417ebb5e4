"""What can be asked without an engine: the dialects, and the schemas of their settings."""

from __future__ import annotations

from . import _native
from ._json import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def dialect_names() -> tuple[str, ...]:
    """The names of all dialects, as the option `dialect` of `Engine` takes them."""
    return _native.DIALECT_NAMES


def settings_schema(dialect: str) -> dict[str, Any]:
    """The JSON Schema (draft 7) of a dialect's settings, as a dict of the caller's own: for editors, and for hosts that
    check or complete settings themselves.

    :raises InvalidOptionsError: there is no such dialect
    """
    schema: dict[str, Any] = decode(_native.settings_schema(dialect))
    return schema


for _function in (dialect_names, settings_schema):
    _function.__module__ = "crosshook"  # where users find them
