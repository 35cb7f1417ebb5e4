"""The command line that the package brings along."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from conftest import DENY, EVENT, leave_pids, settings, wait_until, wait_until_dead

import crosshook

MODULE = [sys.executable, "-W", "error", "-m", "crosshook"]
SCRIPT = [str(Path(sysconfig.get_path("scripts")) / "crosshook")]


def arguments(folder: Path, command: str) -> list[str]:
    """Those of a dispatch with one hook."""
    file = folder / "settings.json"
    file.write_text(json.dumps(settings(command)))
    return ["dispatch", "--dialect", "qwen", "--settings", str(file), "--home", str(folder)]


@pytest.mark.parametrize("program", [MODULE, SCRIPT], ids=["module", "script"])
def test_it_dispatches(tmp_path, program):
    command = [*program, *arguments(tmp_path, DENY)]
    done = subprocess.run(command, input=json.dumps(EVENT), capture_output=True, text=True, timeout=60, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    outcome = json.loads(done.stdout)
    assert (outcome["decision"], outcome["reason"]) == ("deny", "no")


@pytest.mark.parametrize(
    ("given", "status", "stdout", "stderr"),
    [
        (["--version"], 0, f"crosshook {crosshook.__version__}\n", ""),
        (["list", "--dialect", "qwen", "--settings", "/none.json"], 1, "", "crosshook: /none.json: "),
        (["list", "--dialect", "nobody"], 2, "", "error: invalid value 'nobody'"),
    ],
)
def test_its_exit_status(given, status, stdout, stderr):
    done = subprocess.run([*MODULE, *given], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (status, stdout)
    assert done.stderr.startswith(stderr)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_hooks(tmp_path, number):
    noted = tmp_path / "pids"
    command = [*MODULE, *arguments(tmp_path, leave_pids(noted))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(EVENT).encode())
        process.stdin.close()
        process.stdin = None
        wait_until(noted.exists)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (128 + number, b"", b"")
    wait_until_dead(noted)
