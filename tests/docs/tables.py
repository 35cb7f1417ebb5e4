"""Writes the tables of events in docs/dialects/*.md by asking the engine, and checks that they are up to date.

Real hooks run for every event: what a page says is what the engine does. With CROSSHOOK_BLESS=1 the tables are written
anew, between these two lines of a page, with the dialect's name:

    <!-- events: DIALECT -->
    <!-- end of events -->

usage: tables.py CROSSHOOK PAGE...      the first is the command line program
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CROSSHOOK = ""
ROOT = Path(__file__).resolve().parents[2]
MARKED = re.compile(r"(<!-- events: (\w+) -->\n)(.*?)(<!-- end of events -->)", re.DOTALL)

# What the common fields of a real event are; a decision may depend on them.
COMMON = {"session_id": "s", "cwd": "/", "tool_name": "T", "tool_input": {}, "phase": "validation", "source": "S"}
# Fields that matchers may look at.
FIELDS = (
    "tool_name", "source", "reason", "trigger", "agent_type", "error", "notification_type", "load_reason", "file_path",
    "command_name", "mcp_server_name", "prompt", "model", "matcher", "subagent_type", "error_type",
    "compact_type", "permission_mode", "agent_id", "name", "expansion_type", "message", "task_id", "type",
)  # fmt: skip
PROBE = "zq"
HEAD = "| event | a matcher looks at | exit code 2 | plain text with exit code 0 | `\"continue\": false` |\n|---|---|---|---|---|\n"


def events_of(dialect: str) -> list[str]:
    """The dialect's events, as its published schema has them."""
    schema = json.loads((ROOT / f"core/schema/{dialect}.schema.json").read_text())
    return [name for name in schema["definitions"]["events"]["properties"] if name[0].isupper()]


def settings_of(dialect: str, event: str, group: Mapping[str, Any]) -> dict[str, Any]:
    if dialect == "zcode":
        return {"hooks": {"enabled": True, "events": {event: [group]}}}
    return {"hooks": {event: [group]}}


def ask(command: str, dialect: str, event: str, group: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """What `crosshook COMMAND` answers, with one group of hooks for one event."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(settings_of(dialect, event, group), file)
        file.flush()
        words = [CROSSHOOK, *command.split(), "--dialect", dialect, "--settings", f"user={file.name}"]
        end = subprocess.run(
            words, input=json.dumps({"hook_event_name": event, **fields}), capture_output=True, encoding="utf-8", timeout=60
        )
    if end.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {end.stderr}")
    return dict(json.loads(end.stdout))


def outcome_of(dialect: str, event: str, command: str) -> dict[str, Any]:
    """What one hook with this command does for the event."""
    return ask("dispatch", dialect, event, {"hooks": [{"type": "command", "command": command}]}, COMMON)


def looked_at(dialect: str, event: str) -> str:
    """The field of the event that a matcher is compared with."""
    group = {"matcher": PROBE, "hooks": [{"type": "command", "command": ":"}]}

    def fires(fields: Mapping[str, str]) -> bool:
        return bool(ask("explain --json", dialect, event, group, fields)["runs"])

    others = dict.fromkeys(FIELDS, "other")
    if fires(others):
        return "nothing"
    for field in FIELDS:
        if fires(others | {field: PROBE}):
            return f"the file name in `{field}`" if fires(others | {field: f"/a/{PROBE}"}) else f"`{field}`"
    raise SystemExit(f"{dialect}: a matcher on {event} looks at a field that is not in FIELDS")


def effect(outcome: Mapping[str, Any], word: str) -> str:
    """What one text of a hook led to."""
    if outcome["decision"] == "deny":
        return "denies"
    if outcome["decision"] == "block":
        return "blocks"
    if outcome["stop"] is not None:
        return "halts the agent"
    if any(word in text for text in outcome["additional_context"]):
        return "context"
    if any(word in text for text in outcome["system_messages"]):
        return "shown to the user"
    return "no effect"


def row(dialect: str, event: str) -> str:
    exit2 = effect(outcome_of(dialect, event, f"echo {PROBE} >&2; exit 2"), PROBE)
    plain = effect(outcome_of(dialect, event, f"echo {PROBE}"), PROBE)
    answer = json.dumps({"continue": False, "stopReason": PROBE})
    halt = effect(outcome_of(dialect, event, f"echo '{answer}'"), PROBE)
    return f"| {event} | {looked_at(dialect, event)} | {exit2} | {plain} | {halt} |\n"


def main(pages: list[Path]) -> int:
    stale = []
    for page in pages:
        text = page.read_text(encoding="utf-8")

        def fresh(found: re.Match[str]) -> str:
            dialect = found[2]
            rows = "".join(row(dialect, event) for event in events_of(dialect))
            return f"{found[1]}\n{HEAD}{rows}\n{found[4]}"

        wanted = MARKED.sub(fresh, text)
        if wanted != text and os.environ.get("CROSSHOOK_BLESS") == "1":
            page.write_text(wanted, encoding="utf-8")
        elif wanted != text:
            stale.append(str(page))
    if stale:
        print(f"stale tables of events, run with CROSSHOOK_BLESS=1: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    CROSSHOOK = os.path.abspath(sys.argv[1])
    sys.exit(main([Path(page) for page in sys.argv[2:]]))
