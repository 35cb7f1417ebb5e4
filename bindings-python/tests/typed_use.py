"""How a typed host uses the package; checked by mypy (test_typing.py), never run."""

from pathlib import Path
from typing import Any

from typing_extensions import assert_type

import crosshook
from crosshook.types import Diagnostic, Event, Explanation, HookInfo, HookReport, Outcome


async def main() -> None:
    event: Event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    other: dict[str, Any] = {"hook_event_name": "Stop"}
    with crosshook.Engine(dialect="qwen", settings={"hooks": {}}, project_dir=Path("/")) as engine:
        assert_type(engine.dispatch(event), Outcome)
        assert_type(engine.dispatch(other), Outcome)
        assert_type(engine.dispatch({"hook_event_name": "Stop", "any_other": [1]}), Outcome)
        assert_type(engine.dispatch("{}"), str)
        assert_type(engine.dispatch(b"{}"), bytes)
        assert_type(await engine.dispatch_async(event), Outcome)
        assert_type(await engine.dispatch_async("{}"), str)
        assert_type(await engine.dispatch_async(b"{}"), bytes)
        assert_type(engine.explain(event), list[Explanation])
        assert_type(engine.list(), list[HookInfo])
        assert_type(engine.list()[0]["async"], bool)
        assert_type(engine.diagnostics(), list[Diagnostic])
        assert_type(engine.dispatch(event)["hooks"], list[HookReport])
        engine.dispatch(7)  # type: ignore[call-overload]
        crosshook.Engine(
            dialect="qwen", settings=[{"scope": "user", "path": Path("settings.json")}], fail_mode="closed"
        )
        crosshook.Engine(dialect="qwen", fail_mode="ajar")  # type: ignore[arg-type]
    assert_type(crosshook.Error().code, str)
    assert_type(crosshook.Error().details["line"], int | None)
