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
from collections.abc import Mapping, Sequence
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
    "command_name", "mcp_server_name", "to_model",
)  # fmt: skip
PROBE = "zq"
HEAD = """| event | a matcher looks at | exit code 2 | plain text with exit code 0 | `"continue": false` |
|---|---|---|---|---|
"""


def events_of(dialect: str) -> list[str]:
    """The dialect's events, as its published schema has them."""
    schema = json.loads((ROOT / f"core/schema/{dialect}.schema.json").read_text())
    return [name for name in schema["definitions"]["events"]["properties"] if name[0].isupper()]


def dispatch(dialect: str, group: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The outcomes of these events, when the group of hooks stands under each of them."""
    hooks: dict[str, Any] = {event["hook_event_name"]: [group] for event in events}
    if dialect == "zcode":
        hooks = {"enabled": True, "events": hooks}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"hooks": hooks}, file)
        file.flush()
        end = subprocess.run(
            [CROSSHOOK, "dispatch", "--dialect", dialect, "--settings", f"user={file.name}"],
            input="\n".join(map(json.dumps, events)),
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
    if end.returncode != 0:
        raise SystemExit(f"crosshook dispatch --dialect {dialect}: {end.stderr}")
    return [json.loads(line) for line in end.stdout.splitlines()]


def answered(dialect: str, names: Sequence[str], command: str) -> list[str]:
    """For each event, what one hook with this command leads to."""
    group = {"hooks": [{"type": "command", "command": command}]}
    return [
        effect(outcome) for outcome in dispatch(dialect, group, [{"hook_event_name": name, **COMMON} for name in names])
    ]


def looked_at(dialect: str, names: Sequence[str]) -> list[str]:
    """For each event, the field that a matcher is compared with."""
    group = {"matcher": PROBE, "hooks": [{"type": "command", "command": ":"}]}
    others = dict.fromkeys(FIELDS, "other")
    tries = {"nothing": others}
    for field in FIELDS:
        # A whole field holds the first text, the name of a file is only the last part of the second.
        tries[f"`{field}`"] = others | {field: PROBE}
        tries[f"the file name in `{field}`"] = others | {field: f"/other/{PROBE}"}
        tries[f"not the file name in `{field}`"] = others | {field: f"/{PROBE}/other"}
    events = [
        {"hook_event_name": name, "session_id": "s", "cwd": "/", **fields}
        for name in names
        for fields in tries.values()
    ]
    fired = [bool(outcome["hooks"]) for outcome in dispatch(dialect, group, events)]
    found = []
    for start in range(0, len(fired), len(tries)):
        fires = {what for what, yes in zip(tries, fired[start : start + len(tries)], strict=True) if yes}
        found.append("nothing" if "nothing" in fires else field_of(fires))
    return found


def field_of(fires: set[str]) -> str:
    for field in FIELDS:
        file_name = f"the file name in `{field}`"
        if file_name in fires and f"not {file_name}" not in fires:
            return file_name
        if f"`{field}`" in fires:
            return f"`{field}`"
    raise SystemExit(f"a matcher looks at a field that is not among {', '.join(FIELDS)}: add it to FIELDS")


def effect(outcome: Mapping[str, Any]) -> str:
    """What the text of the hook, PROBE, led to."""
    if outcome["decision"] == "deny":
        return "denies"
    if outcome["decision"] == "block":
        return "blocks"
    if outcome["stop"] is not None:
        return "halts the agent"
    if any(PROBE in text for text in outcome["additional_context"]):
        return "context"
    if any(PROBE in text for text in outcome["system_messages"]):
        return "shown to the user"
    return "no effect"


def table(dialect: str) -> str:
    names = events_of(dialect)
    halt = json.dumps({"continue": False, "stopReason": PROBE})
    columns = (
        names,
        looked_at(dialect, names),
        answered(dialect, names, f"echo {PROBE} >&2; exit 2"),
        answered(dialect, names, f"echo {PROBE}"),
        answered(dialect, names, f"echo '{halt}'"),
    )
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in zip(*columns, strict=True))


def main(pages: list[Path]) -> int:
    stale = []
    for page in pages:
        text = page.read_text(encoding="utf-8")

        def fresh(found: re.Match[str]) -> str:
            return f"{found[1]}\n{table(found[2])}\n{found[4]}"

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
