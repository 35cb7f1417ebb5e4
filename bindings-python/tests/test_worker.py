"""Hooks made with `crosshook.worker`: as workers, and as usual commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import EVENT

import crosshook

HOOK = """
import os, subprocess, sys
from crosshook.worker import Block, serve

asked = 0

def hook(event):
    global asked
    asked += 1
    print("a line that is no answer")
    os.write(1, b"another\\n")
    subprocess.run(["cat"], check=True)  # neither waits for an event nor takes one away
    what = event["tool_input"]["command"]
    if what == "deny":
        raise Block("not that\\nnever")
    if what == "text":
        return "two\\nlines"
    if what == "fail":
        raise KeyError("gone")
    if what == "exit":
        print("by exit", file=sys.stderr)
        sys.exit(2)
    if what == "message":
        sys.exit("no code")
    if what == "nonsense":
        return 5
    if what == "nothing":
        return None
    return {"systemMessage": f"{os.getpid()} {asked} {what} {os.environ.get('CROSSHOOK_WORKER')} {'crosshook' in event}"}
"""
SERVE = "\nserve(hook)\n"
ASYNC = """
import asyncio

async def later(event):
    await asyncio.sleep(0)
    return hook(event)

serve(later)
"""


def engine(folder: Path, script: str, **more: Any) -> crosshook.Engine:
    file = folder / "hook.py"
    file.write_text(script)
    hook = {"type": "command", "command": f"{sys.executable} {file}", "timeout": 60, **more}
    return crosshook.Engine(dialect="codebuddy", settings={"hooks": {"PreToolUse": [{"hooks": [hook]}]}}, home=folder)


def event(command: str) -> dict[str, Any]:
    return {**EVENT, "tool_input": {"command": command}}


@pytest.mark.parametrize("script", [HOOK + SERVE, HOOK + ASYNC], ids=["function", "coroutine"])
@pytest.mark.parametrize("worker", [True, False], ids=["worker", "command"])
def test_what_a_hook_says(tmp_path: Path, script: str, worker: bool) -> None:
    with engine(tmp_path, script, worker=worker) as asked:
        ask = {name: asked.dispatch(event(name)) for name in ("ä\ud800", "deny", "exit", "nothing", "text")}
        failed = {name: asked.dispatch(event(name)) for name in ("fail", "message", "nonsense")}
        last = asked.dispatch(event("last"))
    # The reason of a command is all that stands on its standard error.
    reason = "not that\nnever" if worker else "a line that is no answer\nanother\nnot that\nnever"
    assert (ask["deny"]["decision"], ask["deny"]["reason"]) == ("deny", reason)
    assert ask["exit"]["decision"] == "deny"
    assert ask["exit"]["reason"].endswith("by exit")
    assert [ask[name]["decision"] for name in ("nothing", "text")] == ["none", "none"]
    assert ask["text"]["hooks"][0]["stdout_bytes"] == len("two\nlines")
    for name, why in {"fail": "exit code 1", "message": "exit code 1", "nonsense": "exit code 1"}.items():
        report = failed[name]["hooks"][0]
        assert (failed[name]["decision"], report["status"]) == ("none", "error")
        assert why in report["error"]
    pid, count, what, variable, member = last["system_messages"][0].split()
    assert (what, variable, member) == ("last", "None", "False")
    first = ask["ä\ud800"]["system_messages"][0].split()
    assert first[1] == "1"
    # A worker is one process for all events, also after those that failed.
    assert (pid == first[0], count) == ((True, "9") if worker else (False, "1"))


def test_the_hook_as_other_programs_run_it(tmp_path: Path) -> None:
    file = tmp_path / "hook.py"
    file.write_text(HOOK + SERVE)

    def run(what: str) -> subprocess.CompletedProcess[str]:
        given = json.dumps(event(what), indent=1)
        command = [sys.executable, str(file)]
        return subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)

    denied = run("deny")
    assert (denied.returncode, denied.stdout) == (2, "")
    assert denied.stderr.endswith("not that\nnever\n")
    assert "a line that is no answer\n" in denied.stderr and "another\n" in denied.stderr
    allowed = run("x")
    assert (allowed.returncode, list(json.loads(allowed.stdout))) == (0, ["systemMessage"])
    assert (run("text").stdout, run("nothing").stdout, run("nothing").returncode) == ("two\nlines", "", 0)
    failed = run("fail")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "KeyError: 'gone'" in failed.stderr


def test_a_large_event_and_a_large_answer(tmp_path: Path) -> None:
    script = "from crosshook.worker import serve\nserve(lambda e: {'systemMessage': e['tool_input']['command'][::-1]})"
    text = "0123456789\n" * 100_000
    with engine(tmp_path, script, worker=True) as asked:
        for _ in range(2):
            assert asked.dispatch(event(text))["system_messages"] == [text[::-1]]
