"""Writes the types of Python and TypeScript from the JSON schemas in core/schema, or checks that they are up to date.

The schemas of settings are made from the tables of the dialects, that of the outcome from the Rust types (both by
`cargo test` with CROSSHOOK_BLESS=1); that of events is written by hand, and compared with the tables.

usage: generate.py [--check]      Python 3.10 or newer, standard library only
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import model
import python
import typescript

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "core" / "schema"
FOLDERS = {
    ROOT / "bindings-node" / "generated": typescript.files,
    ROOT / "bindings-python" / "python" / "crosshook" / "types" / "_generated": python.files,
}


@dataclass
class Data:
    outcome: list[model.Record | model.Choice]
    shared: dict[str, model.Record]
    events: dict[str, model.Event]
    event_names: dict[str, list[str]]
    settings: dict[str, list[model.Record | model.Choice]]


def read() -> Data:
    shared, events = model.events(model.load(SCHEMAS / "event.schema.json"))
    names: dict[str, list[str]] = {}
    settings: dict[str, list[model.Record | model.Choice]] = {}
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        dialect = path.name.removesuffix(".schema.json")
        if dialect in ("event", "outcome"):
            continue
        schema = model.load(path)
        names[dialect] = model.event_names(schema)
        if strangers := set(names[dialect]) - set(events):
            raise SystemExit(f"event.schema.json: events of {dialect} are missing: {sorted(strangers)}")
        settings[dialect] = model.settings(dialect, schema)
    return Data(model.outcome(model.load(SCHEMAS / "outcome.schema.json")), shared, events, names, settings)


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    data, stale = read(), []
    for folder, files in FOLDERS.items():
        made = {folder / name: text for name, text in files(data).items()}
        for path, text in made.items():
            if check and (not path.is_file() or path.read_text(encoding="utf-8") != text):
                stale.append(path.relative_to(ROOT))
            elif not check:
                folder.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
        stale += [path.relative_to(ROOT) for path in folder.glob("*.*") if check and path not in made]
    for path in stale:
        print(f"{path} is stale; run python3 tests/schema/generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
