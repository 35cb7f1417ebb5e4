"""A tour of what lives longer than one event: each function shows one feature and can be copied on its own.

Run it with the package installed: python tour.py
"""

from __future__ import annotations

import asyncio
import json
import queue
import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import crosshook

COMMON = {"session_id": "s-1", "cwd": tempfile.gettempdir()}
TOOL = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, **COMMON}


def check(what: str, value: object, wanted: object) -> None:
    if value != wanted:
        raise SystemExit(f"{what}: got {value!r}, wanted {wanted!r}")


def denial(reason: str) -> dict[str, object]:
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


@contextmanager
def server() -> Iterator[str]:
    """A web server on a free port that denies whatever it is asked."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = json.dumps(denial("no network today")).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}/"
        listening.shutdown()


def http() -> None:
    # A hook may be a web service: the event is posted to it, and its JSON answer counts like that of a command.
    with server() as url:
        settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": url}]}]}}
        with crosshook.Engine(dialect="qwen", settings=settings) as engine:
            outcome = engine.dispatch(TOOL)
    check("http, decision", outcome["decision"], "deny")
    check("http, reason", outcome["reason"], "no network today")
    print(f"http: {outcome['decision']}, {outcome['reason']}")


def prompt() -> None:
    # A prompt hook asks your model: you get the prompt, with the event in place of $ARGUMENTS, and return the reply.
    def model(request: crosshook.types.Request) -> dict[str, object]:
        check("prompt, its text", request["prompt"].startswith("May it run? {"), True)
        return {"ok": False, "reason": "too risky"}

    hook = {"type": "prompt", "prompt": "May it run? $ARGUMENTS"}
    settings = {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}
    with crosshook.Engine(dialect="codebuddy", settings=settings, model=model) as engine:
        outcome = engine.dispatch(TOOL)
    check("prompt, decision", outcome["decision"], "deny")
    check("prompt, reason", outcome["reason"], "too risky")
    print(f"prompt: {outcome['decision']}, {outcome['reason']}")


def agent() -> None:
    # An agent hook is the same with an agent, which may look around before it answers; it may be an `async def`, too.
    async def run_agent(request: crosshook.types.Request) -> str:
        check("agent, kind", request["kind"], "agent")
        return '{"ok": false, "reason": "not reviewed"}'

    settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "agent", "prompt": "Review it"}]}]}}
    with crosshook.Engine(dialect="codebuddy", settings=settings, agent=run_agent) as engine:
        outcome = engine.dispatch(TOOL)
    check("agent, decision", outcome["decision"], "deny")
    check("agent, reason", outcome["reason"], "not reviewed")
    print(f"agent: {outcome['decision']}, {outcome['reason']}")


def function() -> None:
    # A function of your program is a hook like those of the settings, until it is unregistered.
    with crosshook.Engine(dialect="qwen", settings={}) as engine:
        identity = engine.register_function(lambda event: denial("not on Fridays"), "PreToolUse", matcher="Bash")
        outcome = engine.dispatch(TOOL)
        engine.unregister(identity)
        check("function, hooks after it was unregistered", engine.dispatch(TOOL)["hooks"], [])
    check("function, decision", outcome["decision"], "deny")
    check("function, reason", outcome["reason"], "not on Fridays")
    print(f"function: {outcome['decision']}, {outcome['reason']}")


def background() -> None:
    # Nobody waits for a background hook: what runs can be listed, and what it had to say is fetched later.
    said = {"hookEventName": "PostToolUse", "additionalContext": "late context from the background"}
    command = "sleep 0.3; echo " + shlex.quote(json.dumps({"hookSpecificOutput": said}))
    hook = {"type": "command", "command": command, "async": True}
    settings = {"hooks": {"PostToolUse": [{"hooks": [hook]}]}}
    with crosshook.Engine(dialect="codebuddy", settings=settings) as engine:
        engine.dispatch({**TOOL, "hook_event_name": "PostToolUse", "tool_response": {}})
        running = len(engine.background())
        check("background, how many run", running, 1)
        check("background, done", engine.wait_background(timeout=20), True)
        contexts = [result["additional_context"] for result in engine.take_late_results()]
    check("background, contexts", contexts, ["late context from the background"])
    print(f"background: {running} running, done, {contexts[0]}")


def once() -> None:
    # A hook with `once` runs a single time in each session. End sessions when they are over: then it can run again.
    with server() as url:
        settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": url, "once": True}]}]}}
        with crosshook.Engine(dialect="qwen", settings=settings) as engine:
            outcomes = [engine.dispatch(TOOL), engine.dispatch(TOOL)]
            check("once, session ended", engine.end_session("s-1"), True)
            outcomes.append(engine.dispatch(TOOL))
    ran = [sum(hook["status"] != "skipped" for hook in outcome["hooks"]) for outcome in outcomes]
    check("once, how many ran", ran, [1, 0, 1])
    print(f"once: {ran[0]}, then {ran[1]} of {len(outcomes[1]['hooks'])} hooks ran")


def stop() -> None:
    # A Stop hook that never gives in would keep the agent going forever: of 8 blocks in a row Qwen Code does not honour
    # the last. Leave `stop_hook_active` out of the events and the engine counts; False would begin anew.
    hook = {"type": "command", "command": "echo 'go on' >&2; exit 2"}
    settings = {"hooks": {"Stop": [{"hooks": [hook]}]}}
    with crosshook.Engine(dialect="qwen", settings=settings) as engine:
        outcomes = [engine.dispatch({"hook_event_name": "Stop", **COMMON}) for _ in range(9)]
    decisions = [outcome["decision"] for outcome in outcomes]
    check("stop, decisions", decisions, ["block"] * 7 + ["none", "block"])
    check("stop, why it stops", outcomes[7]["diagnostics"][0]["code"], "stop_cap_reached")
    print(f"stop: block {decisions.count('block')} of {len(decisions)} times")


def goal() -> None:
    # A goal keeps a session going until your model calls it met. It can be saved, and restored in another process.
    event = {"hook_event_name": "Stop", "last_assistant_message": "Done.", **COMMON}
    options: dict[str, Any] = {"dialect": "codebuddy", "settings": {}}
    with crosshook.Engine(model=lambda request: {"ok": False, "reason": "tests fail"}, **options) as engine:
        engine.set_goal("s-1", "all tests pass")
        check("goal, decision", engine.dispatch(event)["decision"], "block")
        saved = json.dumps(engine.goal("s-1"))
    with crosshook.Engine(model=lambda request: {"ok": True}, **options) as engine:
        engine.restore_goal("s-1", json.loads(saved))
        check("goal, decision when it is met", engine.dispatch(event)["decision"], "none")
        reached = engine.goal("s-1")
    check("goal, status", reached and reached["status"], "met")
    check("goal, last reason", json.loads(saved)["last_reason"], "tests fail")
    print("goal: block until met, restored")


def display() -> None:
    # Hooks follow a message while it grows. This one takes a second, and what is pushed meanwhile does not pile up: the
    # next delivery has it all, and the finished text is delivered at once.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "shown")
        command = f"(cat; echo) >> {shlex.quote(str(file))}; sleep 1"
        settings = {"hooks": {"MessageDisplay": [{"hooks": [{"type": "command", "command": command}]}]}}
        with crosshook.Engine(dialect="qwen", settings=settings) as engine:
            message = engine.message_display(COMMON)
            message.push("Hello, ")
            end = time.monotonic() + 20
            while not (file.exists() and file.read_text().endswith("\n")) and time.monotonic() < end:
                time.sleep(0.01)
            message.push("world")
            check("display, finished", message.finish(timeout=20), True)
        deliveries = [json.loads(line) for line in file.read_text().splitlines()]
    texts = [(delivery["displayed_text"], delivery["is_final"]) for delivery in deliveries]
    check("display, deliveries", texts, [("Hello, ", False), ("Hello, world", True)])
    print(f"display: {len(deliveries)} deliveries, the last with all of the text")


def context() -> None:
    # Hooks add context for the model. This is its text as Qwen Code hands it over: in tags, and with < and > escaped,
    # so that no hook can close them.
    said = {"hookEventName": "UserPromptSubmit", "additionalContext": "mind the <gap>"}
    command = "echo " + shlex.quote(json.dumps({"hookSpecificOutput": said}))
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}}
    with crosshook.Engine(dialect="qwen", settings=settings) as engine:
        outcome = engine.dispatch({"hook_event_name": "UserPromptSubmit", "prompt": "Hello", **COMMON})
        text = engine.render_context(outcome)
    check("context, text", "\nmind the &lt;gap&gt;\n" in (text or ""), True)
    print("context: the model's text holds the hook's words")


def cancel() -> None:
    # Cancelling the task of a dispatch, as a timeout does, kills its hooks with everything that they have started.
    settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sleep 30"}]}]}}

    async def main() -> str:
        with crosshook.Engine(dialect="qwen", settings=settings) as engine:
            dispatch = asyncio.create_task(engine.dispatch_async(TOOL))
            await asyncio.sleep(0.3)
            dispatch.cancel()
            try:
                return (await dispatch)["decision"]
            except asyncio.CancelledError:
                return "cancelled"

    ended = asyncio.run(main())
    check("cancel, how the dispatch ended", ended, "cancelled")
    print(f"cancel: {ended}")


def watch() -> None:
    # A listener is told what happens while it happens, in a thread of its own: for progress lines, and logs.
    settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}
    notices: queue.SimpleQueue[crosshook.types.Notice] = queue.SimpleQueue()
    with crosshook.Engine(dialect="qwen", settings=settings) as engine:
        listener = engine.watch(notices.put)
        engine.dispatch(TOOL)
        told = [notices.get(timeout=20)["type"] for _ in range(2)]
        engine.unwatch(listener)
    check("watch, notices", told, ["started", "finished"])
    print(f"watch: {', '.join(told)}")


if __name__ == "__main__":
    for show in (http, prompt, agent, function, background, once, stop, goal, display, context, cancel, watch):
        show()
