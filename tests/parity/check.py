"""Checks that every language has the public surface of surface.json, and nothing else.

usage: check.py      with a Python that has the package installed; reads the sources of the others, runs the addon in bindings-node
"""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import crosshook
from crosshook import _errors, _native, types, worker

ROOT = Path(__file__).resolve().parents[2]
SURFACE: dict[str, Any] = json.loads(Path(__file__).with_name("surface.json").read_text(encoding="utf-8"))

faults: list[str] = []


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def compare(what: str, found: typing.Iterable[str], wanted: typing.Iterable[str]) -> None:
    found, wanted = set(found), set(wanted)
    faults.extend(f"{what}: {name} is missing" for name in sorted(wanted - found))
    faults.extend(f"{what}: {name} is not in the table" for name in sorted(found - wanted))


def camel(name: str) -> str:
    return re.sub(r"_(.)", lambda found: found[1].upper(), name)


def names(kind: str, language: str, usual: typing.Callable[[str], str]) -> set[str]:
    """The methods of a class, under their names in one language."""
    chosen = (entry.get(language, usual(name)) for name, entry in SURFACE[kind].items())
    return {name for name in chosen if name is not None}


def block(source: str, head: str) -> str:
    """What stands between the braces of the item that begins so."""
    _, found, rest = source.partition(head)
    if not found:
        faults.append(f"no `{head}` in the sources")
    return rest.partition("\n}")[0]


def rust() -> None:
    error = block(text("core/src/error.rs"), "pub const fn code")
    compare("Rust, error codes", re.findall(r'=> "(\w+)"', error.partition("pub const ALL")[0]), SURFACE["error_codes"])
    options = block(text("core/src/options.rs"), "struct Wire<'a> {")
    compare("Rust, options", re.findall(r"^    (\w+): ", options, re.MULTILINE), SURFACE["options"])
    camels = re.findall(r'alias = "(\w+)"', options)
    compare("Rust, options in camelCase", camels, [camel(name) for name in SURFACE["options"] if "_" in name])
    outcome = block(text("core/src/outcome/mod.rs"), "pub struct Outcome {")
    compare("Rust, outcome", re.findall(r"^    pub (\w+): ", outcome, re.MULTILINE), SURFACE["outcome"])
    sources = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "core/src/engine").glob("*.rs")}
    methods = [name for source in sources.values() for name in impls(source, "Engine")]
    ours = {name for name in methods if not name.endswith("_json") or name == "from_json"}
    compare("Rust, Engine", ours, names("engine", "rust", str) | set(SURFACE["rust_for_bindings"]))
    without_engine = re.findall(r"^pub fn (\w+)", text("core/src/lib.rs"), re.MULTILINE)
    compare("Rust, functions without an engine", without_engine, SURFACE["functions_without_engine"])
    compare("Rust, MessageDisplay", impls(sources["display.rs"], "MessageDisplay"), names("message_display", "rust", str))


def impls(source: str, name: str) -> list[str]:
    """The public methods of a type."""
    bodies = re.findall(rf"^impl {name} \{{\n(.*?)^\}}", source, re.MULTILINE | re.DOTALL)
    return [found for body in bodies for found in re.findall(r"^    pub (?:async )?fn (\w+)", body, re.MULTILINE)]


def c() -> None:
    header = text("include/crosshook.h")
    functions = set(re.findall(r"^\w[\w ]*[ *](crosshook_\w+)\(", header, re.MULTILINE))
    wanted = names("engine", "c", "crosshook_{}".format) | names("message_display", "c", "crosshook_display_{}".format)
    wanted |= {f"crosshook_{name}" for name in SURFACE["functions_without_engine"]}
    compare("C, functions", functions, wanted | set(SURFACE["c_others"]))
    codes = {name.lower() for name in re.findall(r"^    CROSSHOOK_STATUS_(\w+) = ", header, re.MULTILINE)}
    compare("C, statuses", codes, SURFACE["error_codes"] + SURFACE["c_only_status"])


def python() -> None:
    compare("Python, error codes", _errors.BY_CODE, SURFACE["error_codes"])
    compare("Python, error codes of the native half", _native.ERROR_CODES, SURFACE["error_codes"])
    options = set(inspect.signature(crosshook.Engine.__init__).parameters) - {"self"}
    compare("Python, options", options, SURFACE["options"] + SURFACE["functions"] + SURFACE["python_only_options"])
    for what, kind in (("engine", crosshook.Engine), ("message_display", crosshook.MessageDisplay)):
        methods = {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}
        compare(f"Python, {kind.__name__}", methods, names(what, "python", str))
    functions = {name for name, _ in inspect.getmembers(crosshook, inspect.isfunction) if not name.startswith("_")}
    compare("Python, functions", functions, SURFACE["functions_without_engine"] + SURFACE["python_only_functions"])
    compare("Python, crosshook.worker", worker.__all__, SURFACE["worker_module"])
    compare("Python, decisions", typing.get_args(types.Decision), SURFACE["decisions"])
    compare("Python, statuses", typing.get_args(types.Status), SURFACE["statuses"])
    compare("Python, Outcome", types.Outcome.__annotations__, SURFACE["outcome"])
    compare("Python, HookReport", types.HookReport.__annotations__, SURFACE["hook_report"])
    for dialect in SURFACE["dialects"]:
        outcomes("Python", dialect, crosshook.Engine(dialect=dialect, settings=hooked(dialect)).dispatch(event(dialect)))
    try:
        crosshook.Engine(dialect="nobody", settings={})
    except crosshook.InvalidOptionsError as error:
        compare("the dialects that an error names", re.findall(r"\w+", str(error).partition("one of ")[2]), SURFACE["dialects"])
    else:
        faults.append("Python: an unknown dialect is taken")


def event(dialect: str) -> dict[str, Any]:
    """The event of the end of a turn."""
    return {"hook_event_name": "AfterAgent" if dialect == "gemini" else "Stop", "cwd": "/"}


def hooked(dialect: str) -> dict[str, Any]:
    """Settings with one silent hook for `event`."""
    events = {event(dialect)["hook_event_name"]: [{"hooks": [{"type": "command", "command": "exit 0"}]}]}
    return {"hooks": {"enabled": True, "events": events} if dialect == "zcode" else events}


def outcomes(language: str, dialect: str, outcome: Any) -> None:
    """An outcome has the keys of the table, and its values where nothing was said."""
    compare(f"{language}, the outcome of {dialect}", outcome, SURFACE["outcome"])
    for key, value in SURFACE["defaults"].items():
        if outcome.get(key) != value:
            faults.append(f"{language}, {dialect}: {key} is {outcome.get(key)!r}, not {value!r}")
    if len(outcome["hooks"]) != 1:
        faults.append(f"{language}, {dialect}: {len(outcome['hooks'])} hooks ran, not one")
    for hook in outcome["hooks"]:
        compare(f"{language}, the report of a hook of {dialect}", hook, SURFACE["hook_report"])


def node() -> None:
    script = """
        import * as all from "./index.mjs";
        import * as worker from "./worker.mjs";
        const { Engine, MessageDisplay } = all;
        const isClass = (value) => /^class /.test(Function.prototype.toString.call(value));
        const functions = Object.keys(all).filter((name) => typeof all[name] === "function" && !isClass(all[name]));
        const methods = (kind) => Object.getOwnPropertyNames(kind.prototype).filter((name) => name !== "constructor");
        const outcomes = JSON.parse(process.argv[1]).map(([dialect, settings, event]) => [
          dialect,
          new Engine({ dialect, settings }).dispatchSync(event),
        ]);
        console.log(JSON.stringify({ functions, engine: methods(Engine), message_display: methods(MessageDisplay), outcomes, worker: Object.keys(worker) }));
    """
    argument = json.dumps([(dialect, hooked(dialect), event(dialect)) for dialect in SURFACE["dialects"]])
    command = ["node", "--input-type=module", "-e", script, argument]
    done = subprocess.run(command, cwd=ROOT / "bindings-node", stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    compare("Node, crosshook/worker", found["worker"], SURFACE["worker_module"])
    compare("Node, functions", found["functions"], [camel(name) for name in SURFACE["functions_without_engine"]])
    for kind in ("engine", "message_display"):
        compare(f"Node, {kind}", found[kind], names(kind, "node", camel))
    for dialect, outcome in found["outcomes"]:
        outcomes("Node", dialect, outcome)
    declared()


def declared() -> None:
    """What Node's declarations say."""
    helpers = re.findall(r"^export (?:class|function) (\w+)", text("bindings-node/worker.d.ts"), re.MULTILINE)
    compare("Node, crosshook/worker as declared", helpers, SURFACE["worker_module"])
    faces = text("bindings-node/index.d.ts")
    functions = re.findall(r"^export function (\w+)\(", faces, re.MULTILINE)
    compare("Node, functions as declared", functions, [camel(name) for name in SURFACE["functions_without_engine"]])
    for kind, name in (("engine", "Engine"), ("message_display", "MessageDisplay")):
        methods = re.findall(r"^  (\w+)[(<]", block(faces, f"export class {name} {{"), re.MULTILINE)
        compare(f"Node, {name} as declared", set(methods) - {"constructor"}, names(kind, "node", camel))
    options = block(text("bindings-node/options.d.ts"), "export interface EngineOptions {")
    wanted = [camel(name) for name in SURFACE["options"] + SURFACE["functions"]]
    compare("Node, options", re.findall(r"^  (\w+)\??:", options, re.MULTILINE), wanted)
    codes = text("bindings-node/errors.d.ts").partition("export type ErrorCode =")[2].partition(";")[0]
    compare("Node, error codes", re.findall(r'"(\w+)"', codes), SURFACE["error_codes"])
    outcome = text("bindings-node/generated/outcome.d.ts")
    for head, key in (("OutcomeBase", "outcome"), ("HookReport", "hook_report")):
        keys = re.findall(r"^  (\w+)\??:", block(outcome, f"export interface {head} {{"), re.MULTILINE)
        compare(f"Node, {head}", keys, SURFACE[key])
    for head, key in (("HookStatus", "statuses"), ("Decision", "decisions")):
        line = re.search(rf"export type {head} = (.*);", outcome)
        compare(f"Node, {head}", re.findall(r'"(\w+)"', line[1] if line else ""), SURFACE[key])
    events = block(text("bindings-node/generated/events.d.ts"), "export interface DialectEvents {")
    compare("Node, dialects", re.findall(r"^  (\w+):", events, re.MULTILINE), SURFACE["dialects"])


rust()
c()
python()
node()
if faults:
    sys.exit("\n".join(faults))
print(f"{len(SURFACE['engine'])} methods, {len(SURFACE['options'])} options, {len(SURFACE['error_codes'])} error codes: the same in Rust, C, Python and Node")
