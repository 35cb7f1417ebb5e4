"""The shared test vectors: reading them, running one through the API, comparing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import crosshook

FOLDER = Path(__file__).parents[2] / "tests" / "vectors"
DIALECTS = ("codebuddy", "zcode", "qwen", "claude", "codex", "gemini")
DISPUTED = (FOLDER / "DISPUTED.md").read_text()
WHOLE = ("updated_input", "updated_output", "updated_permissions")
SLACK = 2
"""A machine that runs other tests too may take this many times what a vector allows."""


def read() -> Iterator[dict[str, Any]]:
    """All vectors, in the order of the files."""
    for dialect in DIALECTS:
        # Only "\n" ends a line here; other line ends may stand in strings.
        for line in (FOLDER / f"{dialect}.jsonl").read_bytes().split(b"\n"):
            if line.strip():
                yield json.loads(line)


def left_out(vector: dict[str, Any]) -> str | None:
    """Why this vector is not run, if it is not. The one place where vectors are left out."""
    if f"\n| `{vector['id']}` " in DISPUTED:  # the first column; others name vectors too
        return "disputed, see DISPUTED.md"
    return None


def run(vector: dict[str, Any], folder: Path) -> list[str]:
    """Runs a vector in a fresh `folder` and tells where the outcome is not what it should be."""
    vector = json.loads(json.dumps(vector).replace("{{TMP}}", str(folder)))
    home, project = folder / ".home", folder / ".project"
    home.mkdir()
    project.mkdir()
    replies = _canned(vector["llm"]) if "llm" in vector else None
    engine = crosshook.Engine(
        dialect=vector["dialect"],
        settings=[source for source in vector["sources"] if source["scope"] != "plugin"],
        plugins=[_plugin(vector["dialect"], source) for source in vector["sources"] if source["scope"] == "plugin"],
        discover=False,
        trusted=vector.get("trusted", True),
        home=home,
        project_dir=project,
        model=replies,
        agent=replies,
    )
    start = time.monotonic()
    outcomes = [engine.dispatch(event) for event in _events(vector)]
    took = (time.monotonic() - start) * 1000
    faults = list(_faults(vector, outcomes))
    if took > SLACK * vector.get("within_ms", float("inf")):
        faults.append(f"took {took:.0f} ms, {vector['within_ms']} are allowed")
    if after := vector.get("after"):
        time.sleep(after["wait_ms"] / 1000)
        faults += [f"{file} exists" for file in after.get("absent", []) if Path(file).exists()]
        for file, text in after.get("equals", {}).items():
            found = Path(file).read_text() if Path(file).exists() else None
            if found != text:
                faults.append(f"{file} holds {found!r}, not {text!r}")
    return faults


def _canned(replies: list[str]) -> Callable[[object], str]:
    """A model that gives these replies, in order, and then fails."""
    left = iter(replies)
    return lambda request: next(left)


def _plugin(dialect: str, source: dict[str, Any]) -> str:
    """Writes a plugin to its folder."""
    root = Path(source["root"])
    folder = {"zcode": ".zcode-plugin", "codebuddy": ".codebuddy-plugin"}.get(dialect, ".claude-plugin")
    files = {
        f"{folder}/plugin.json": json.dumps({"name": source["name"]}),
        "hooks/hooks.json": json.dumps(source["settings"]),
        **source.get("files", {}),
    }
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if name in source.get("files", {}):
            file.chmod(0o755)
    return str(root)


def _events(vector: dict[str, Any]) -> Iterator[dict[str, Any]]:
    event = vector["event"]
    for fill in vector.get("fill", []):
        *parents, last = fill["pointer"].strip("/").split("/")
        node = event
        for parent in parents:
            node = node[parent]
        node[last] = fill["char"] * fill["count"]
    yield event
    for _ in range(1, vector.get("repeat", 1)):
        yield {**event, "stop_hook_active": True}


def _faults(vector: dict[str, Any], outcomes: list[Any]) -> Iterator[str]:
    wanted = [vector["expect"]] * len(outcomes)
    wanted[-1] = vector.get("expect_last", vector["expect"])
    for want, outcome in zip(wanted, outcomes, strict=True):
        yield from differences(want, outcome)
    if vector.get("diagnostic") and not any(outcome["diagnostics"] for outcome in outcomes):
        yield "there is no diagnostic"
    for text in vector.get("not_in_reason", []):
        if any(text in (outcome["reason"] or "") for outcome in outcomes):
            yield f"{text!r} stands in the reason"


def differences(want: Any, got: Any, place: str = "", key: str = "") -> Iterator[str]:
    """Where `got` does not hold what `want` asks for: objects as subsets, lists item by item, the rest equal."""
    different = f"{place or '/'}: want {json.dumps(want)[:300]}, got {json.dumps(got)[:400]}"
    if key == "diagnostics":
        missing = [item for item in want if all(any(differences(item, one)) for one in got)]
        if missing or (got and not want):
            yield different
    elif key not in WHOLE and isinstance(want, dict) and isinstance(got, dict):
        for name, value in want.items():
            if name in got:
                yield from differences(value, got[name], f"{place}/{name}", name)
            else:
                yield f"{place}/{name}: is missing"
    elif key not in WHOLE and isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for index, (one, other) in enumerate(zip(want, got, strict=True)):
            yield from differences(one, other, f"{place}/{index}")
    elif want != got or isinstance(want, bool) != isinstance(got, bool):
        yield different
