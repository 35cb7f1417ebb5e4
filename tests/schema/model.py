"""What the JSON schemas say, as records with fields: the form from which types of any language can be written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Schema = dict[str, Any]


@dataclass
class Field:
    name: str
    schema: Schema
    required: bool

    @property
    def doc(self) -> str:
        return doc_of(self.schema)


@dataclass
class Record:
    """An object type."""

    name: str
    doc: str
    fields: list[Field]
    bases: list[str] = field(default_factory=list)
    is_open: bool = False
    """Whether keys that are not listed are usual: settings files hold other things, too."""


@dataclass
class Choice:
    """A type that is one of several; literals, or names of records."""

    name: str
    doc: str
    schema: Schema


@dataclass
class Event:
    record: Record
    decisions: str


def load(path: Path) -> Schema:
    schema: Schema = json.loads(path.read_text(encoding="utf-8"))
    return schema


def doc_of(schema: Schema) -> str:
    """Without rustdoc's links."""
    return re.sub(r"\[(`\w+`)\]", r"\1", schema.get("description", ""))


def name_of(reference: str) -> str:
    return reference.rpartition("/")[2]


def as_schema(value: Schema | bool) -> Schema:
    """`true` is the schema of anything; a reference with a description beside it is wrapped in `allOf`."""
    if isinstance(value, bool):
        return {}
    if [*map(len, value.get("allOf", []))] == [1]:
        return {**value["allOf"][0], **{key: part for key, part in value.items() if key != "allOf"}}
    return value


def fields_of(schema: Schema) -> list[Field]:
    """In the order of `required`, which is that of the Rust types; `properties` may be sorted by name."""
    required = schema.get("required", [])
    properties: dict[str, Schema | bool] = schema.get("properties", {})
    names = [*(name for name in required if name in properties), *(name for name in properties if name not in required)]
    return [Field(name, as_schema(properties[name]), name in required) for name in names]


def outcome(schema: Schema) -> list[Record | Choice]:
    """The outcome and what it holds; what is referred to comes before."""
    found: list[Record | Choice] = []

    def visit(name: str, part: Schema) -> None:
        if any(known.name == name for known in found):
            return
        for reference in references(part):
            visit(reference, schema["definitions"][reference])
        doc = doc_of(part)
        if "properties" in part:
            found.append(Record(name, doc, fields_of(part)))
        else:
            found.append(Choice(name, doc, part))

    visit("Outcome", {key: value for key, value in schema.items() if key != "definitions"})
    return found


def references(schema: Any) -> list[str]:
    """The definitions that a schema refers to, in order."""
    if isinstance(schema, list):
        return [name for part in schema for name in references(part)]
    if not isinstance(schema, dict):
        return []
    own = [name_of(schema["$ref"])] if isinstance(schema.get("$ref"), str) else []
    return own + [name for value in schema.values() for name in references(value)]


def events(schema: Schema) -> tuple[dict[str, Record], dict[str, Event]]:
    """What events share, and the events by name. An event has of a key that its bases have nothing of its own."""
    definitions = schema["definitions"]
    shared: dict[str, Record] = {}
    found: dict[str, Event] = {}
    for name, part in definitions.items():
        bases = [name_of(base["$ref"]) for base in part.get("allOf", [])]
        if not bases:
            shared[name] = Record(name, part["description"], fields_of(part))
            continue
        inherited = {known.name: known for base in bases for known in shared[base].fields}
        own = [one for one in fields_of(part) if not repeats(name, one, inherited)]
        found[name] = Event(Record(name, part["description"], own, bases), part["x-decisions"])
    listed = [name_of(one["$ref"]) for one in schema["oneOf"]]
    if listed != list(found):
        raise SystemExit(f"event.schema.json: `oneOf` lists other events than there are: {set(listed) ^ set(found)}")
    return shared, found


def repeats(event: str, one: Field, inherited: dict[str, Field]) -> bool:
    base = inherited.get(one.name)
    if base is None:
        return False
    if (base.schema.get("type"), base.required) != (one.schema.get("type"), one.required):
        raise SystemExit(f"event.schema.json: `{one.name}` of {event} is not what it is in all events")
    return True


def event_names(settings: Schema) -> list[str]:
    """The events that a dialect has; other keys that may stand beside them are `true` in its schema."""
    properties = settings["definitions"]["events"]["properties"]
    return [name for name, value in properties.items() if value is not True]


def settings(dialect: str, schema: Schema) -> list[Record | Choice]:
    """The settings of a dialect, under names that begin with the dialect's."""
    prefix = dialect.capitalize()
    names = {"events": f"{prefix}HookEvents", "groups": f"{prefix}HookGroup", "hook": f"{prefix}Hook"}
    definitions = schema["definitions"]
    for name in definitions:
        names.setdefault(name, f"{prefix}{pascal(name)}Hook")
    found: list[Record | Choice] = []

    def resolved(value: Schema | bool) -> Schema:
        """With references to the final names; `groups` are lists."""
        part = dict(as_schema(value))
        if "items" in part:
            part["items"] = resolved(part["items"])
        if "$ref" in part:
            name = name_of(part["$ref"])
            part["$ref"] = names[name]
            if name == "groups":
                part = {"type": "array", "items": {"$ref": part.pop("$ref")}, **part}
        return part

    def record(name: str, part: Schema) -> None:
        parts = []
        for one in fields_of(part):
            inner = resolved(one.schema)
            if "properties" in inner:
                nested = f"{name}{pascal(one.name)}"
                record(nested, inner)
                inner = {"$ref": nested, "description": inner.get("description", "")}
            parts.append(Field(one.name, inner, one.required))
        is_open = part.get("additionalProperties") is not False
        found.append(Record(name, part.get("description", ""), parts, is_open=is_open))

    def hooks() -> None:
        alternatives = []
        for option in definitions["hook"]["oneOf"]:
            if "$ref" in option:
                name = name_of(option["$ref"])
                record(names[name], {"description": f"A hook of the type `{name}`.", **definitions[name]})
                alternatives.append({"$ref": names[name]})
            else:
                record(f"{prefix}SkippedHook", option)
                alternatives.append({"$ref": f"{prefix}SkippedHook"})
        found.append(Choice(names["hook"], "A hook, told apart by `type`.", {"anyOf": alternatives}))

    hooks()
    record(names["groups"], {"description": "Hooks for what a matcher matches.", **definitions["groups"]["items"]})
    record(names["events"], {"description": "The hooks, by event.", **definitions["events"]})
    root = {key: value for key, value in schema.items() if key != "definitions"}
    record(f"{prefix}Settings", {**root, "description": f"{schema['title']}."})
    return found


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_"))
