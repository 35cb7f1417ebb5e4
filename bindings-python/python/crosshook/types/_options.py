"""What goes in beside events: options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypedDict


class Source(TypedDict, total=False):
    """One source of settings; exactly one of `settings` and `path` is to be given."""

    scope: str
    """``"system_defaults"``, ``"system"``, ``"managed"``, ``"user"``, ``"project"``, ``"local"``, ``"session"`` or
    ``"extension"``; if not given, the usual one of the dialect."""
    dialect: str
    """The dialect it is written in; if not given, that of the engine."""
    settings: Mapping[str, Any]
    """The settings themselves, in the form of the agent's file."""
    path: str | PathLike[str]
    """The file to read."""


class Plugin(TypedDict, total=False):
    """A plugin or extension; only `path` must be given."""

    path: str | PathLike[str]
    """Its folder."""
    dialect: str
    """The dialect by which it is read; if not given, that of the engine. One folder may be listed for several."""
    id: str
    """Its id, which names its data folder; if not given, its name."""
    data_dir: str | PathLike[str]
    """The folder for its data; if not given, as its dialect says, below the home directory."""
    enabled: bool
    """Whether its hooks run; those of a disabled plugin are listed only. If not given, they run."""
    managed: bool
    """Whether an organisation's settings force it: then its hooks count as managed (Claude Code)."""
    options: Mapping[str, str]
    """The values of its options, for dialects that hand them to hooks."""


class _Named(TypedDict):
    name: str
    """The dialect's name of the tool."""


class ToolName(_Named, total=False):
    """What a tool of yours is called in the dialect."""

    arguments: Mapping[str, str]
    """The dialect's names of its arguments, by yours: those that differ."""


class _Endpoint(TypedDict):
    base_url: str
    """The URL up to, and without, `/chat/completions`. Private networks are allowed."""
    model: str
    """The model, unless a hook names one."""


class Llm(_Endpoint, total=False):
    """An endpoint that speaks OpenAI's chat completions."""

    key_env: str
    """The environment variable that holds the key; if not given, ``OPENAI_API_KEY``. Unset: no key is sent."""


class RedactRule(TypedDict, total=False):
    """What is left out of a recording; exactly one key is to be given."""

    key: str
    """The values of all keys of this name; ``*`` is any text, and neither case nor ``_`` and ``-`` make a difference."""
    pointer: str
    """The value that this JSON pointer leads to, in the event, a hook's answer or the outcome."""
    pattern: str
    """Whatever this regular expression (in the syntax of Rust's crate `regex`) finds in a string."""


class _Recording(TypedDict):
    path: str | PathLike[str]
    """The file that lines are appended to. Made when it is not there, for its owner only. One that others may read or write,
    one of another user and a symbolic link are refused."""


class Record(_Recording, total=False):
    """Where dispatches are recorded, and what is left out."""

    redact: Sequence[RedactRule]
    """What is left out beside what the usual rules say."""
    usual_rules: bool
    """Whether keys whose names say that they hold a secret, and texts that look like one, are left out; if not given,
    they are."""
    max_bytes: int
    """Bytes that the file may have; if not given, 1 GiB. What would make it larger is not recorded, with a diagnostic."""
