"""What goes in: events and options."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, TypedDict


class _Named(TypedDict):
    hook_event_name: str
    """The event: ``"PreToolUse"``, ``"Stop"``, ... The only key that must be there."""


class Event(_Named, total=False):
    """One event of an agent's life. Every key reaches the hooks, also those that are not listed here; a dict with
    further keys is as good."""

    session_id: str
    """Identifies the agent's session."""
    transcript_path: str
    """The file that holds the session's transcript."""
    cwd: str
    """The agent's working directory; hooks start there unless their settings say otherwise."""
    permission_mode: str
    """The agent's mode, in the agent's own words."""
    timestamp: str
    """When it happened, ISO 8601."""

    tool_name: str
    """Tool events: the tool. What matchers look at."""
    tool_input: Mapping[str, Any]
    """Tool events: the tool's arguments."""
    tool_use_id: str
    """Tool events: identifies the call."""
    tool_response: Any
    """PostToolUse: what the tool answered."""
    error: str
    """PostToolUseFailure, StopFailure: what failed."""
    is_interrupt: bool
    """PostToolUseFailure: whether the user interrupted the tool."""

    prompt: str
    """UserPromptSubmit, BeforeAgent, AfterAgent: what the user typed."""
    prompt_response: str
    """AfterAgent (Gemini CLI): what the agent answered."""
    llm_request: Mapping[str, Any]
    """BeforeModel, AfterModel, BeforeToolSelection (Gemini CLI): what the model is asked."""
    llm_response: Mapping[str, Any]
    """AfterModel (Gemini CLI): what the model answered."""
    message: str
    """Notification: its text."""
    notification_type: str
    """Notification: its kind. What matchers look at."""
    source: str
    """SessionStart: how the session began. What matchers look at."""
    reason: str
    """SessionEnd: why it ended. What matchers look at."""
    model: str
    """SessionStart: the model in use."""
    trigger: str
    """PreCompact, PostCompact: ``"manual"`` or ``"auto"``. What matchers look at."""
    stop_hook_active: bool
    """Stop, SubagentStop: whether the agent already goes on because of a stop hook."""
    last_assistant_message: str
    """Stop, SubagentStop: the agent's last words."""
    agent_id: str
    """Subagent events: identifies the subagent."""
    agent_type: str
    """Subagent events: its kind. What matchers look at."""


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
