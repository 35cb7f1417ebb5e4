"""Types for Python: TypedDicts.

Python 3.10 has no `NotRequired`, so keys that must be there have a class of their own.
"""

from __future__ import annotations

import keyword
import re
from typing import Any

from model import Choice, Event, Field, Record, Schema, name_of
from typescript import wrapped

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
WIDTH = 120


def type_of(schema: Schema) -> str:
    if "$ref" in schema:
        return name_of(schema["$ref"])
    if "const" in schema:
        return literal([schema["const"]])
    if "enum" in schema:
        return literal(schema["enum"])
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return choice_of(schema[key])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(type_of({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"list[{type_of(schema['items']) if 'items' in schema else 'Any'}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {type_of(values) if isinstance(values, dict) else 'Any'}]"
    return SCALARS[kind] if kind else "Any"


def literal(values: list[Any]) -> str:
    texts = [quoted(value) for value in values if value is not None]
    none = " | None" if None in values else ""
    return f"Literal[{', '.join(texts)}]{none}"


def quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def choice_of(options: list[Schema]) -> str:
    if all("const" in option for option in options):
        return literal([option["const"] for option in options])
    return " | ".join(dict.fromkeys(map(type_of, options)))


def doc(text: str, indent: str) -> list[str]:
    """A string that documents what stands before it, or the class it stands in."""
    if not text:
        return []
    lines = wrapped(text.replace("\\", "\\\\"), WIDTH - len(indent) - 6)
    lines[0] = '"""' + lines[0]
    lines[-1] += ' """' if lines[-1].endswith('"') else '"""'
    return [f"{indent}{line}".rstrip() for line in lines]


def members(fields: list[Field]) -> list[str]:
    lines: list[str] = []
    for one in fields:
        lines += [f"    {one.name}: {type_of(one.schema)}", *doc(one.doc, "    ")]
    return lines


def typed_dict(record: Record, name: str, bases: list[str]) -> list[str]:
    """Classes for the keys that must be there and for the others, and a call for those that no attribute can be named."""
    lines: list[str] = []
    words = [one for one in record.fields if keyword.iskeyword(one.name)]
    required = [one for one in record.fields if one.required and one not in words]
    optional = [one for one in record.fields if not one.required and one not in words]
    bases = list(bases)
    if words:
        entries = ", ".join(f'"{one.name}": "{type_of(one.schema)}"' for one in words)
        lines += [f"_{name}Words = TypedDict(", f'    "_{name}Words",', f"    {{{entries}}},", "    total=False,", ")", "", ""]
        bases.append(f"_{name}Words")
    if required and optional:
        lines += [f"class _{name}Keys({', '.join(bases) or 'TypedDict'}):", *members(required), "", ""]
        bases = [f"_{name}Keys"]
        required = []
    total = ", total=False" if optional else ""
    lines += [f"class {name}({', '.join(bases) or 'TypedDict'}{total}):", *doc(about(record, words), "    ")]
    if required or optional:
        lines += ["", *members(required or optional)]
    return [*lines, "", ""]


def about(record: Record, words: list[Field]) -> str:
    text = record.doc or "Further keys may stand beside these."
    for one in words:
        text += f" Its key `{one.name}`: {one.doc[:1].lower()}{one.doc[1:]}"
    return text


def alternatives(name: str, options: list[str], text: str) -> list[str]:
    flat = f"{name}: TypeAlias = {' | '.join(options)}"
    if len(flat) > WIDTH:
        rows = [f"    {'| ' if number else ''}{option}" for number, option in enumerate(options)]
        return [f"{name}: TypeAlias = (", *rows, ")", *doc(text, ""), "", ""]
    return [flat, *doc(text, ""), "", ""]


def declarations(parts: list[Record | Choice]) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Record):
            lines += typed_dict(part, part.name, part.bases)
        else:
            lines += alternatives(part.name, type_of(part.schema).split(" | "), part.doc)
    return lines


def events(shared: dict[str, Record], found: dict[str, Event], dialects: dict[str, list[str]]) -> list[str]:
    names = {"common": "EventBase", "tool_call": "_ToolCall"}
    lines: list[str] = []
    for name, record in shared.items():
        lines += typed_dict(record, names[name], [])
    for name, event in found.items():
        lines += typed_dict(event.record, f"{name}Event", [names[base] for base in event.record.bases])
    any_event = "Any event that is described here, told apart by `hook_event_name`."
    lines += alternatives("Event", [f"{name}Event" for name in found], any_event)
    for dialect, names_of_it in dialects.items():
        options = [f"{name}Event" for name in names_of_it]
        lines += alternatives(f"{dialect.capitalize()}Event", options, f"The events of the dialect `{dialect}`.")
    return lines


def settings(dialects: dict[str, list[Record | Choice]]) -> list[str]:
    return [line for parts in dialects.values() for line in declarations(parts)]


def file(about_file: str, lines: list[str]) -> str:
    text = "\n".join(lines).rstrip("\n") + "\n"
    names = [name for name in ("Any", "Literal", "TypeAlias", "TypedDict") if name in text]
    head = [f'"""{about_file}', "", "Made by tests/schema/generate.py from core/schema; do not edit.", '"""', ""]
    head += ["from __future__ import annotations", "", f"from typing import {', '.join(names)}", ""]
    if text.startswith("class "):
        head.append("")
    return "\n".join(head) + "\n" + text


def public(text: str) -> list[str]:
    """The names that a module of types offers."""
    classes = re.findall(r"^class ([A-Z]\w*)", text, re.MULTILINE)
    return sorted(classes + re.findall(r"^([A-Z]\w*): TypeAlias = ", text, re.MULTILINE))


def files(data: Any) -> dict[str, str]:
    made = {
        "outcome.py": file("The outcome, as every language sees it.", declarations(data.outcome)),
        "events.py": file("The events of the agents.", events(data.shared, data.events, data.event_names)),
        "settings.py": file("The settings of the agents, as far as they are about hooks.", settings(data.settings)),
    }
    lines = ['"""Types made from the schemas.', "", "Made by tests/schema/generate.py from core/schema; do not edit.", '"""', ""]
    everything: list[str] = []
    for name in sorted(made):
        names = public(made[name])
        everything += names
        lines += [f"from .{name.removesuffix('.py')} import (", *(f"    {one}," for one in names), ")"]
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in sorted(everything)), "]", ""]
    return {**made, "__init__.py": "\n".join(lines)}
