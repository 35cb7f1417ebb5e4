"""Types for TypeScript."""

from __future__ import annotations

import json
from typing import Any

from model import Choice, Event, Field, Record, Schema, name_of

SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
WIDTH = 120
NAMES = {"Status": "HookStatus", "Outcome": "OutcomeBase", "common": "EventBase", "tool_call": "ToolCall"}
"""What is called otherwise than in the schemas."""


def type_of(schema: Schema) -> str:
    if "$ref" in schema:
        name = name_of(schema["$ref"])
        return NAMES.get(name, name)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(map(type_of, schema[key])))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(type_of({**schema, "type": one}) for one in kind)
    if kind == "array":
        items = type_of(schema["items"]) if "items" in schema else "unknown"
        return f"({items})[]" if " | " in items else f"{items}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values) if isinstance(values, dict) else 'unknown'}>"
    return SCALARS[kind] if kind else "unknown"


def comment(text: str, indent: str = "") -> list[str]:
    if not text:
        return []
    lines = wrapped(text, WIDTH - len(indent) - 3)
    if len(lines) == 1 and len(indent) + len(lines[0]) + 7 <= WIDTH:
        return [f"{indent}/** {lines[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def wrapped(text: str, width: int) -> list[str]:
    """Broken at blanks only; paragraphs stay apart."""
    lines: list[str] = []
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            lines.append("")
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


def member(one: Field) -> list[str]:
    mark = "" if one.required else "?"
    return [*comment(one.doc, "  "), f"  {one.name}{mark}: {type_of(one.schema)};"]


def interface(record: Record) -> list[str]:
    extends = f" extends {', '.join(NAMES.get(base, base) for base in record.bases)}" if record.bases else ""
    lines = [*comment(record.doc), f"export interface {NAMES.get(record.name, record.name)}{extends} {{"]
    for one in record.fields:
        lines += member(one)
    if record.is_open:
        lines.append("  [key: string]: unknown;")
    return [*lines, "}", ""]


def alternatives(head: str, options: list[str], end: str = ";") -> list[str]:
    flat = f"{head} {' | '.join(options)}{end}"
    if len(flat) <= WIDTH:
        return [flat]
    indent = " " * (len(head) - len(head.lstrip()) + 2)
    return [head, *(f"{indent}| {option}" for option in options[:-1]), f"{indent}| {options[-1]}{end}"]


def alias(choice: Choice) -> list[str]:
    name = NAMES.get(choice.name, choice.name)
    return [*comment(choice.doc), *alternatives(f"export type {name} =", type_of(choice.schema).split(" | ")), ""]


def declarations(parts: list[Record | Choice]) -> list[str]:
    lines: list[str] = []
    for part in parts:
        lines += interface(part) if isinstance(part, Record) else alias(part)
    return lines


def events(shared: dict[str, Record], found: dict[str, Event], dialects: dict[str, list[str]]) -> list[str]:
    lines = declarations(list(shared.values()))
    about = "What an event has beside {@link EventBase}, by its name. A host may add events of its own by declaration merging."
    fields = [*comment(about), "export interface EventFields {"]
    for name, event in found.items():
        record = event.record
        bases = [base for base in record.bases if base != "common"]
        fields_of_it = [one for one in record.fields if one.name != "hook_event_name"]
        own = Record(f"{name}Fields", f"What {name} has.", fields_of_it, bases)
        lines += interface(own)
        fields += [*comment(record.doc, "  "), f"  {name}: {name}Fields;"]
    permission = [f'"{name}"' for name, event in found.items() if event.decisions == "permission"]
    lines += [*fields, "}", ""]
    lines += ["/** The names of the events that {@link EventFields} describes. The engine takes any other name too. */"]
    lines += ["export type EventName = keyof EventFields;", ""]
    lines += ["/** The events that are about a permission: their outcomes allow, ask, defer or deny. */"]
    lines += [*alternatives("export type PermissionEventName =", permission), ""]
    lines += ["/** The names of the events that each dialect has. */", "export interface DialectEvents {"]
    for dialect, own_names in dialects.items():
        lines += alternatives(f"  {dialect}:", [f'"{name}"' for name in own_names])
    return [*lines, "}", ""]


def settings(dialects: dict[str, list[Record | Choice]]) -> list[str]:
    lines: list[str] = []
    for parts in dialects.values():
        lines += declarations(parts)
    lines += ["/** The settings of each dialect. */", "export interface DialectSettings {"]
    lines += [f"  {dialect}: {dialect.capitalize()}Settings;" for dialect in dialects]
    return [*lines, "}", ""]


def file(about: str, lines: list[str]) -> str:
    head = [f"// {about}", "// Made by tests/schema/generate.py from core/schema; do not edit.", ""]
    return "\n".join([*head, *lines]).rstrip("\n") + "\n"


def files(data: Any) -> dict[str, str]:
    return {
        "outcome.d.ts": file("The outcome, as every language sees it.", declarations(data.outcome)),
        "events.d.ts": file("The events of the agents.", events(data.shared, data.events, data.event_names)),
        "settings.d.ts": file("The settings of the agents, as far as they are about hooks.", settings(data.settings)),
    }
