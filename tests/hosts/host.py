"""What the Python hosts share. A host ends with 0 when everything held, with an exception when not, and with 77 and
words when this system does not let it be tried. Nothing here needs more than the standard library."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import crosshook

EVENT = {
    "hook_event_name": "PreToolUse",
    "session_id": "s-1",
    "cwd": "/",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "ls"},
}
OTHER = {**EVENT, "tool_name": "read_file", "tool_input": {"file_path": "/etc/hosts"}}
"""An event that no hook of `engine` matches."""


def engine(command: str, **options) -> crosshook.Engine:
    """An engine with this hook for shell commands."""
    hooks = [{"type": "command", "command": command}]
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}
    return crosshook.Engine(dialect="qwen", settings=settings, **options)


def denies(outcome) -> bool:
    return outcome["decision"] == "deny"


def left_out(why: str) -> None:
    print(why)
    sys.exit(77)


def rounds(usual: int) -> int:
    """How often a test is repeated: fewer times where CROSSHOOK_ROUNDS says so."""
    return min(usual, int(os.environ.get("CROSSHOOK_ROUNDS", usual)))


def wait_until(condition, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def leave_pids(path: object) -> str:
    """A hook that notes its own process and a child of its own in `path`, and then runs for a minute."""
    return f"sleep 60 & echo $$ $! > {path}.new; mv {path}.new {path}; wait"


def alive(pid: int) -> bool:
    """Whether the process runs; a dead one that nobody has waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def pids(path: Path) -> list[int]:
    return [int(pid) for pid in path.read_text().split()]


def forked(work) -> int:
    """The wait status of a forked child that does `work`; a hang in it is a failure."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            signal.alarm(60)
            code = 0 if work() else 1
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def run_python(script: str, *arguments: object) -> None:
    """Runs a script in a new interpreter of the same version, with all of this module at hand: it must end with 0 and
    write nothing."""
    here = str(Path(__file__).resolve().parent)
    head = f"import sys; sys.path.insert(0, {here!r})\nfrom host import *\n"
    command = [sys.executable, "-c", head + script, *map(str, arguments)]
    end = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    said = (end.returncode, end.stdout, end.stderr)
    assert said == (0, "", ""), f"{said}\n{script}"
