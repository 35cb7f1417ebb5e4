"""What goes in beside events: options."""

from __future__ import annotations

from collections.abc import Mapping
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
