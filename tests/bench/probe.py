"""A probe: a process that answers one case at a time, so that one driver can keep many alive and run them in turns."""

from __future__ import annotations

import contextlib
import select
import subprocess
from collections.abc import Sequence
from pathlib import Path

# A case that takes longer than this hangs.
LIMIT_SECONDS = 180


class Failed(Exception):
    """The case could not be measured; the text says why."""


class Probe:
    def __init__(self, argv: Sequence[str], folder: Path, env: dict[str, str]) -> None:
        self.argv = argv
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, cwd=folder, env=env, text=True, bufsize=1, stdin=pipe, stdout=pipe)

    def ask(self, case: str, n: int, *arguments: str) -> list[float]:
        """The case's figures, n of them."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write("\t".join((case, str(n), *arguments)) + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Failed(f"the probe has died: {error}") from error
        # One line is asked and one comes back, so nothing waits in the buffer when this looks at the descriptor.
        if not select.select([self.process.stdout], [], [], LIMIT_SECONDS)[0]:
            self.process.kill()
            raise Failed(f"no answer within {LIMIT_SECONDS} s")
        answer = self.process.stdout.readline().strip()
        if answer.startswith("!") or not answer:
            raise Failed(answer[1:].strip()[:300] or "the probe has died")
        return [float(figure) for figure in answer.split()]

    def lives(self) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.1)
        return self.process.poll() is None

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        with contextlib.suppress(OSError):  # it has died, and something for it was left in the buffer
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
