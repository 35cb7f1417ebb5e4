"""What the tests share: engines with one hook, and how to look at processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crosshook

EVENT: dict[str, Any] = {
    "hook_event_name": "PreToolUse",
    "session_id": "s-1",
    "transcript_path": "/tmp/t.jsonl",
    "cwd": "/",
    "permission_mode": "default",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "ls"},
}
"""An event that every hook of `settings` matches."""

DENY = "echo no >&2; exit 2"
"""A hook that denies with the reason `no`."""


def settings(*commands: str) -> dict[str, Any]:
    hooks = [{"type": "command", "command": command} for command in commands]
    return {"hooks": {"PreToolUse": [{"hooks": hooks}]}}


@pytest.fixture
def hooked(tmp_path: Path) -> Callable[..., crosshook.Engine]:
    """Makes an engine whose hooks are the given commands."""

    def make(*commands: str, **options: Any) -> crosshook.Engine:
        return crosshook.Engine(
            dialect="qwen", settings=settings(*commands), home=tmp_path, project_dir=tmp_path, **options
        )

    return make


def run_script(script: str, *arguments: object, prelude: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a Python script in a new process; with `EVENT`, `settings` and the like at hand."""
    if prelude:
        script = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom conftest import *\n" + script
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def wait_until(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def leave_pids(path: Path) -> str:
    """A hook that notes its own process and a child of its own in `path`, and then runs for a minute."""
    return f"sleep 60 & echo $$ $! > {path}.new; mv {path}.new {path}; wait"


def pids(path: Path) -> list[int]:
    """The processes that a `leave_pids` hook has noted."""
    return [int(pid) for pid in path.read_text().split()]


def alive(pid: int) -> bool:
    """Whether the process runs; a dead one that nobody has waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):  # it ended before, or between opening and reading
        if os.path.exists("/proc/self/stat"):
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_dead(path: Path) -> None:
    """Waits until none of the processes that a `leave_pids` hook has noted runs any more."""
    wait_until(lambda: not any(map(alive, pids(path))))


WAYS = ["blocking", "asyncio"]
"""The ways of `dispatch`."""


def dispatch(engine: crosshook.Engine, way: str, event: dict[str, Any] = EVENT) -> Any:
    """Dispatches in one of both ways."""
    return engine.dispatch(event) if way == "blocking" else asyncio.run(engine.dispatch_async(event))


def deny(reason: str) -> dict[str, Any]:
    """What a function answers that denies."""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


@pytest.fixture
def engine(hooked: Callable[..., crosshook.Engine]) -> crosshook.Engine:
    """An engine without hooks."""
    return hooked()
