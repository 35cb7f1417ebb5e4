"""Hooks of several dialects, and a host with its own names of tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import crosshook

CALL: dict[str, Any] = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "execute",
    "tool_input": {"cmd": "ls", "x": 1},
}
TOOLS = {"execute": {"name": "run_shell_command", "arguments": {"cmd": "command"}}, "look": "read_file"}


def rewriting(matcher: str, file: Path, command: str) -> dict[str, Any]:
    """A group whose hook keeps what it reads, and changes the command."""
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": command, "x": 2}}}
    line = f"cat > '{file}'; printf '%s' '{json.dumps(answer)}'"
    return {"matcher": matcher, "hooks": [{"type": "command", "command": line}]}


def test_a_hook_reads_its_own_dialect_and_the_host_its_own_names(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    source = {"dialect": "claude", "settings": {"hooks": {"PreToolUse": [rewriting("^Bash$", seen, "pwd")]}}}
    engine = crosshook.Engine(dialect="qwen", settings=[source], tools=TOOLS)
    outcome = engine.dispatch(CALL)
    assert outcome["updated_input"] == {"cmd": "pwd", "x": 2}
    read = json.loads(seen.read_text())
    assert (read["tool_name"], read["tool_input"]) == ("Bash", {"command": "ls", "x": 1})
    (why,) = engine.explain(CALL)
    assert (why["dialect"], why["runs"]) == ("claude", True)
    assert why["why"] == "`^Bash$` matches `Bash` (run_shell_command in Qwen Code)"


def test_the_files_of_other_dialects_are_looked_up(tmp_path: Path) -> None:
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo from claude >&2; exit 2"}]}]}}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(hooks))
    engine = crosshook.Engine(dialect="qwen", dialects=["claude"], home=tmp_path / "none", project_dir=tmp_path)
    outcome = engine.dispatch({"hook_event_name": "Stop", "session_id": "s", "cwd": "/"})
    assert (outcome["decision"], outcome["reason"]) == ("block", "from claude")
    assert [hook["dialect"] for hook in outcome["hooks"]] == ["claude"]


def test_names_that_cannot_be_meant_are_refused() -> None:
    wrong: Any = {"execute": 7}
    with pytest.raises(crosshook.InvalidOptionsError, match="a tool is the dialect's name"):
        crosshook.Engine(dialect="qwen", tools=wrong)
    with pytest.raises(crosshook.InvalidOptionsError, match='there is no dialect "clod"'):
        crosshook.Engine(dialect="qwen", dialects=["clod"])
