"""What the hooks are, and the events: written once as files that every probe reads, whatever its language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ANSWER = r"""printf '{"systemMessage":"ok"}\n'"""
HOOK = f"cat >/dev/null; {ANSWER}"
# The shell waits for its child: who ends the hook's process alone is not back before two seconds are over.
SLOW = f"cat >/dev/null; sleep 2; {ANSWER}"
LEAVES_CHILD = f"cat >/dev/null; sleep 1.5 & {ANSWER}"
# One line for each line; as a usual hook, its only one.
WORKER = """import json
import sys

for line in sys.stdin:
    event = json.loads(line)
    said = {"systemMessage": "ok" if event["tool_name"] == "Write" else "?", "crosshook": event.get("crosshook")}
    print(json.dumps(said), flush=True)
"""
TOOLS = ("Bash", "Edit", "Write", "Read", "Grep", "Glob", "WebFetch", "Task", "NotebookEdit", "TodoWrite")

# In the environment of every probe: the shell of the dialect whose hooks run in parallel and not by bash.
SHELL_VARIABLE = {"CODEBUDDY_CODE_SHELL": "/bin/sh"}

KIB = 1024
MIB = 1024 * KIB


def several(command: str, count: int) -> list[str]:
    """The same hook so many times; each with a word of its own, since equal commands are one hook."""
    return [command] if count == 1 else [f"{command}; : {i}" for i in range(count)]


def sh(*commands: str) -> dict[str, Any]:
    """Options: hooks that run in parallel, each by the shell that `SHELL_VARIABLE` names."""
    return {"dialect": "codebuddy", "settings": before_write(commands)}


def bash(*commands: str) -> dict[str, Any]:
    """Options: hooks that run in parallel, each by bash."""
    return {"dialect": "qwen", "settings": before_write(commands)}


def before_write(commands: tuple[str, ...]) -> dict[str, Any]:
    hooks = [{"type": "command", "command": command} for command in commands]
    return {"hooks": {"PreToolUse": [{"matcher": "Write|Edit", "hooks": hooks}]}}


def zcode(hook: dict[str, Any]) -> dict[str, Any]:
    """Options: one hook of the dialect that can start a program without a shell, and has timeouts in milliseconds."""
    events = {"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]}
    return {"dialect": "zcode", "settings": {"hooks": {"enabled": True, "events": events}}}


def matching(patterns: list[str]) -> dict[str, Any]:
    """Options: a hook for each of the patterns."""

    def group(i: int) -> dict[str, Any]:
        return {"matcher": patterns[i], "hooks": [{"type": "command", "command": f"true {i}"}]}

    groups = [group(i) for i in range(len(patterns))]
    return {"dialect": "codebuddy", "settings": {"hooks": {"PreToolUse": groups}}}


def patterns(count: int) -> list[str]:
    """Matchers as people write them: 70 % names, 20 % prefixes of MCP servers, 10 % that need a regular expression."""

    def pattern(i: int) -> str:
        tool, other = TOOLS[i % 10], TOOLS[(i + 3) % 10]
        kinds = {0: "Write|Edit", 5: f"{tool}{i}|{other}{i}", 6: f"{tool}{i}|{other}{i}"}
        kinds |= {7: f"mcp__server{i}__.*", 8: f"mcp__server{i}__.*", 9: rf"^(Notebook|Todo){i}[A-Z]\w+$"}
        return kinds.get(i % 10, f"{tool}_{i}")

    return [pattern(i) for i in range(count)]


def event(size: int, tool: str = "Write") -> dict[str, Any]:
    """An event whose JSON has about so many bytes."""
    line = '    let value = compute("key", index + 1); // a usual line of code\n'
    given: dict[str, Any] = {
        "session_id": "2f1c9b0e-7d0b-4a53-9a57-1f2a3b4c5d6e",
        "transcript_path": "/home/user/.agent/projects/x/2f1c9b0e.jsonl",
        "cwd": "/tmp",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": {"file_path": "/home/user/project/src/main.rs", "content": ""},
        "tool_use_id": "toolu_01ABCDEFGHIJKLMN",
    }
    room = size - len(json.dumps(given))
    given["tool_input"]["content"] = line * max(1, room // (len(json.dumps(line)) - 2))
    return given


def usual() -> dict[str, Any]:
    """A settings file as people have it."""

    def run(command: str, **more: Any) -> dict[str, Any]:
        return {"type": "command", "command": command, **more}

    format_it = "npx prettier --write $(jq -r .tool_input.file_path)"
    return {
        "permissions": {"allow": ["Bash(git status:*)", "Read(~/src/**)"], "deny": ["Read(.env)"]},
        "hooks": {
            "SessionStart": [{"hooks": [run("git status --short | head -20")]}],
            "UserPromptSubmit": [{"hooks": [run("~/.agent/hooks/branch.sh", timeout=5)]}],
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [run("~/.agent/hooks/guard.py", timeout=10)]},
                {"matcher": "Write|Edit", "hooks": [run('"$CLAUDE_PROJECT_DIR"/.hooks/paths.sh')]},
                {"matcher": "mcp__.*", "hooks": [run("~/.agent/hooks/audit.sh")]},
            ],
            "PostToolUse": [{"matcher": "Write|Edit", "hooks": [run(format_it)]}],
            "Stop": [{"hooks": [run("npm test --silent", timeout=300)]}],
            "Notification": [{"hooks": [run("notify-send agent")]}],
        },
    }


class Files:
    """Puts all of it below one folder and knows the paths."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.empty, self.answer = str(programs / "empty_hook"), str(programs / "answer_hook")

    def options(self, name: str, options: dict[str, Any]) -> str:
        return self._write(f"options-{name}.json", json.dumps(options))

    def event(self, size: int, tool: str = "Write") -> str:
        # Without blanks, as JSON.stringify and the bindings write it.
        return self._write(f"event-{size}-{tool}.json", json.dumps(event(size, tool), separators=(",", ":")))

    def patterns(self, count: int) -> str:
        return self._write(f"patterns-{count}.txt", "".join(f"{one}\n" for one in patterns(count)))

    def worker(self) -> str:
        return self._write("worker.py", WORKER)

    def settings(self) -> str:
        return self._write("settings.json", json.dumps(usual(), indent=2))

    def _write(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)
