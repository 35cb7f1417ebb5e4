"""How a typed host uses the package; checked by mypy (test_typing.py), never run."""

from pathlib import Path
from typing import Any

from typing_extensions import assert_type

import crosshook
from crosshook.types import (
    BackgroundHook,
    Changes,
    Diagnostic,
    Event,
    Explanation,
    Goal,
    HookInfo,
    HookReport,
    LateResult,
    Notice,
    Outcome,
    QwenEvent,
    QwenSettings,
    Registered,
    Request,
    ToolRequest,
    WantedGrant,
)
from crosshook.worker import Block, serve


def model(request: Request) -> str:
    return request["prompt"]


def guard(event: dict[str, Any]) -> dict[str, Any] | None:
    if event["tool_name"] == "Write":
        raise Block("read only")
    return {"systemMessage": "seen"}


async def later(event: dict[str, Any]) -> str:
    return str(event["tool_name"])


async def agent(request: Request) -> dict[str, Any]:
    return {"ok": request["kind"] == "agent"}


def mcp_tool(request: ToolRequest) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": request["tool"]}]}


def listen(notice: Notice) -> None:
    if notice["type"] == "finished":
        assert_type(notice["duration_ms"], float)
    elif notice["type"] == "diagnostic":
        assert_type(notice["diagnostic"], Diagnostic)


async def life(engine: crosshook.Engine) -> None:
    @engine.hook("PreToolUse", matcher="Bash", timeout=2.5, fail_mode="closed")
    def guard(event: dict[str, Any]) -> dict[str, Any] | None:
        return event or None

    @engine.hook("PreToolUse")
    async def guard_async(event: dict[str, Any]) -> str:
        return str(guard(event))

    assert_type(await guard_async({}), str)
    assert_type(engine.register_function(guard, "Stop", name="x"), str)
    assert_type(engine.register("s", {"hooks": {}}), Registered)
    assert_type(engine.register("s", {"dialect": "claude", "settings": {"hooks": {}}}), Registered)
    assert_type(engine.open_scope("agent", "user", "---", path=Path("x"), dialect="claude"), Registered)
    engine.open_scope("robot", "user", "---")  # type: ignore[arg-type]
    assert_type(engine.unregister("x"), bool)
    assert_type(engine.changes(), Changes)
    assert_type(engine.reload()["added"], list[HookInfo])
    assert_type(engine.wanted_grants(), list[WantedGrant])
    assert_type(engine.background(), list[BackgroundHook])
    assert_type(engine.take_late_results(), list[LateResult])
    assert_type(await engine.wait_background_async(1), bool)
    assert_type(engine.goal("s"), Goal | None)
    assert_type(engine.watch(listen), int)
    assert_type(engine.render_context(engine.dispatch({})), str | None)
    assert_type(engine.message_display({"hook_event_name": ""}).finish(), bool)
    assert_type(crosshook.log_diagnostics(engine), int)


def words(event: Event) -> str:
    """An event is told apart by its name."""
    if event["hook_event_name"] == "UserPromptSubmit":
        assert_type(event["prompt"], str)
        return event["prompt"]
    if event["hook_event_name"] == "PreToolUse":
        assert_type(event["tool_name"], str)
    return event["hook_event_name"]


def settings() -> QwenSettings:
    wrong: QwenSettings = {"hooks": {"Stopp": []}}  # type: ignore[typeddict-unknown-key]
    assert wrong
    return {
        "disableAllHooks": False,
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 5, "async": True}]}]},
    }


async def main() -> None:
    of_qwen: QwenEvent = {"hook_event_name": "Stop", "stop_hook_active": True}
    assert words(of_qwen)
    crosshook.Engine(dialect="qwen", settings=settings()).dispatch(of_qwen)
    assert_type(crosshook.dialect_names(), tuple[str, ...])
    assert_type(crosshook.settings_schema("qwen"), dict[str, Any])
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
        assert_type(engine.lint(), list[Diagnostic])
        assert_type(engine.dispatch(event)["hooks"], list[HookReport])
        engine.dispatch(7)  # type: ignore[call-overload]
        crosshook.Engine(
            dialect="qwen", settings=[{"scope": "user", "path": Path("settings.json")}], fail_mode="closed"
        )
        crosshook.Engine(dialect="qwen", model=model, agent=agent, mcp_tool=mcp_tool, plugins=["a", {"path": Path("b"), "dialect": "claude"}], log=True)
        crosshook.Engine(dialect="qwen", llm={"base_url": "http://localhost/v1", "model": "m"})
        crosshook.Engine(dialect="qwen", model=7)  # type: ignore[arg-type]
        crosshook.Engine(dialect="qwen", fail_mode="ajar")  # type: ignore[arg-type]
    serve(lambda event: None)
    serve(guard)
    serve(later)
    serve(lambda event: 7)  # type: ignore[arg-type, return-value]
    assert_type(crosshook.Error().code, str)
    assert_type(crosshook.Error().details["line"], int | None)
