"""Turns a function into a hook: a worker where the settings say so, a usual command hook everywhere else.

::

    from crosshook.worker import Block, serve

    def guard(event):
        if "rm -rf" in event["tool_input"].get("command", ""):
            raise Block("use the trash instead")

    serve(guard)

As a worker (``"worker": true``) the program is started once and answers every event; without that, and in agents that know
no workers, it answers one event and ends. What the function prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, BinaryIO, TypeAlias

    Answer: TypeAlias = "dict[str, Any] | str | None"
    Hook: TypeAlias = "Callable[[dict[str, Any]], Answer | Awaitable[Answer]]"

__all__ = ["Block", "serve"]

_IS_WORKER = "CROSSHOOK_WORKER"


class Block(Exception):
    """Raised by a hook to say no; its text is the reason. The same as exit code 2 with the reason on standard error."""


def serve(hook: Hook) -> None:
    """Answers events by calling `hook`, until there are no more.

    `hook` gets the event as a dict and returns its answer: a dict (the JSON answer), a str (plain text) or None. It may be
    a coroutine function. An exception of another kind than `Block` is printed and means that the hook has failed; a
    worker lives on. `SystemExit` counts as the exit of a command.

    Returns when a worker's input has ended. A hook that is no worker ends the program with its exit code.
    """
    # Programs that the hook starts inherit neither the events nor the mark, and print to standard error.
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    sys.stdout.flush()
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    is_worker = os.environ.pop(_IS_WORKER, "") == "1"
    runner = _Runner(hook)
    with os.fdopen(source, "rb") as events, os.fdopen(sink, "wb") as answers:
        if is_worker:
            return _work(runner, events, answers)
        code, stdout, stderr = runner.run(json.loads(events.read()))
        answers.write(stdout.encode("utf-8", "surrogatepass"))
    if stderr:
        print(stderr, file=sys.stderr)
    sys.exit(code)


def _work(runner: _Runner, events: BinaryIO, answers: BinaryIO) -> None:
    for line in events:
        event = json.loads(line)
        said: dict[str, Any] = {"id": event.pop("crosshook", {}).get("id")}
        said["exit_code"], said["stdout"], stderr = runner.run(event)
        if stderr is not None:
            said["stderr"] = stderr
        sys.stdout.flush()
        sys.stderr.flush()
        answers.write(json.dumps({"crosshook": said}).encode() + b"\n")
        answers.flush()


class _Runner:
    """Calls the hook, and says how a command would have ended: exit code, standard output, standard error."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._loop: Any = None

    def run(self, event: dict[str, Any]) -> tuple[int, str, str | None]:
        try:
            answer = self._hook(event)
            if answer is not None and not isinstance(answer, (dict, str)):
                answer = self._awaited(answer)
            return 0, _text(answer), None
        except Block as no:
            return 2, "", str(no)
        except SystemExit as end:
            if end.code is None or isinstance(end.code, int):
                return (end.code or 0) & 0xFF, "", None
            return 1, "", str(end.code)
        except Exception:
            import traceback

            traceback.print_exc()
            return 1, "", None

    def _awaited(self, answer: Any) -> Any:
        if not hasattr(answer, "__await__"):
            return answer
        import asyncio

        async def wait() -> Any:
            return await answer

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(wait())


def _text(answer: Any) -> str:
    if answer is None:
        return ""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, dict):
        return json.dumps(answer) + "\n"
    raise TypeError(f"the hook returned {type(answer).__name__}, not a dict, a str or None")
