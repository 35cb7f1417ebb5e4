"""Runs every code block of the documentation, and compares what it prints with the `output` block below it.

A page's blocks run in order, in one folder of the page's own, so that a later block finds the files of an earlier one.
What a block's language means:

    sh                  bash, with `crosshook` on the PATH and HOME in the page's folder
    python, js, ts      a program; ts is checked by `tsc --strict` first
    c, cpp              a program, built with warnings as errors and linked with the shared library
    rust                a documentation test (rustdoc)
    json, yaml, toml    read; see `settings` below
    output              what the block before it prints, exactly; durations and the page's folder are replaced
    text                neither code nor output

A comment before a block says more:

    <!-- test: file NAME -->              it is a file, saved under this name for the blocks below
    <!-- test: settings DIALECT -->       it is a settings file without a fault: `crosshook check` has nothing to say
    <!-- test: exit N -->                 it ends with this status
    <!-- test: says TEXT -->              what it prints holds this text
    <!-- test: skip WHY -->               it does not run
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[^`]*)$")
COMMENT = re.compile(r"^ *<!-- test: (?P<what>\w+) ?(?P<value>.*?) *-->$")
COMMENTS = {"file", "settings", "exit", "says", "skip"}
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
SECONDS = 120


@dataclass
class Block:
    """A code block, what the comments before it say, and the output that the page promises."""

    page: Path
    line: int
    language: str
    text: str
    comments: dict[str, str]
    output: str | None = None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line} ({self.language})"


@dataclass
class Tools:
    """The built artefacts that the blocks use."""

    crosshook: Path
    python: Path
    library: Path
    rlib: Path
    work: Path
    tsc: Path = field(default=ROOT / "bindings-node/node_modules/typescript/bin/tsc")


def blocks_of(page: Path) -> list[Block]:
    """The page's code blocks; a directive of Sphinx (`{name}`) is none."""
    found: list[Block] = []
    comments: dict[str, str] = {}
    lines = enumerate(page.read_text(encoding="utf-8").split("\n"), 1)
    for number, line in lines:
        if comment := COMMENT.match(line):
            comments[comment["what"]] = comment["value"]
        elif fence := FENCE.match(line):
            indent, language = len(fence["indent"]), fence["language"].strip()
            text = ""
            for _, inner in lines:
                if inner.strip() == fence["ticks"]:
                    break
                text += inner[indent:] + "\n"
            if language == "output" and found:
                found[-1].output = text
            elif not language.startswith("{"):
                found.append(Block(page, number, language, text, comments))
            comments = {}
        elif line.strip():
            comments = {}
    return found


class Failure(Exception):
    """A block does not do what its page says."""


def run(command: list[str | Path], folder: Path, tools: Tools, status: int = 0) -> str:
    """The command's standard output. Another exit status than the wanted one is a failure."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CROSSHOOK")}
    env |= {
        "HOME": str(folder),
        "PATH": f"{tools.work / 'bin'}{os.pathsep}{env['PATH']}",
        "LD_LIBRARY_PATH": str(tools.library),
    }
    if Path(command[0]).name in ("rustdoc", "bash"):  # rustup and cargo keep what they need there
        user = os.environ.get("HOME", "")
        env.setdefault("CARGO_HOME", f"{user}/.cargo")
        env.setdefault("RUSTUP_HOME", f"{user}/.rustup")
    end = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        encoding="utf-8",
    )
    if end.returncode != status:
        raise Failure(f"exit status {end.returncode}, not {status}\n{end.stdout}{end.stderr}")
    return end.stdout


def save(block: Block, folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")
    return path


def run_sh(block: Block, folder: Path, tools: Tools) -> str:
    # The README's commands are for the root of the repository.
    place = ROOT if block.page.parent == ROOT else folder
    status = int(block.comments.get("exit", "0"))
    return run(["bash", "-euo", "pipefail", "-c", block.text], place, tools, status)


def run_python(block: Block, folder: Path, tools: Tools) -> str:
    return run([tools.python, "-W", "error", save(block, folder, f"block{block.line}.py")], folder, tools)


def run_js(block: Block, folder: Path, tools: Tools) -> str:
    return run(["node", save(block, folder, f"block{block.line}.mjs")], folder, tools)


def run_ts(block: Block, folder: Path, tools: Tools) -> str:
    source = save(block, folder, f"block{block.line}.mts")
    types = ROOT / "bindings-node/node_modules/@types"
    options: list[str | Path] = [
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--typeRoots",
        types,
        "--types",
        "node",
    ]
    run(["node", tools.tsc, *options, source], folder, tools)
    return run(["node", source.with_suffix(".mjs")], folder, tools)


def compile_and_run(block: Block, folder: Path, tools: Tools, compiler: list[str], suffix: str) -> str:
    source = save(block, folder, f"block{block.line}{suffix}")
    program = source.with_suffix("")
    command: list[str | Path] = [
        *compiler,
        *WARNINGS,
        "-pthread",
        f"-I{ROOT / 'include'}",
        source,
        f"-L{tools.library}",
        "-lcrosshook",
    ]
    run([*command, "-o", program], folder, tools)
    return run([program], folder, tools)


def run_c(block: Block, folder: Path, tools: Tools) -> str:
    return compile_and_run(block, folder, tools, [os.environ.get("CC", "cc"), "-std=c11"], ".c")


def run_cpp(block: Block, folder: Path, tools: Tools) -> str:
    return compile_and_run(block, folder, tools, [os.environ.get("CXX", "c++"), "-std=c++17"], ".cpp")


def run_rust(block: Block, folder: Path, tools: Tools) -> str:
    page = save(block, folder, f"block{block.line}.md")
    page.write_text(f"```rust\n{block.text}```\n", encoding="utf-8")
    deps = tools.rlib.parent / "deps"
    options = ["--edition", "2024", "--extern", f"crosshook={tools.rlib}", "-L", f"dependency={deps}"]
    run(["rustdoc", "--test", *options, page], folder, tools)
    return ""


def read_json(block: Block, folder: Path, tools: Tools) -> str:
    json.loads(block.text)
    return check_settings(block, folder, tools)


def check_settings(block: Block, folder: Path, tools: Tools) -> str:
    dialect = block.comments.get("settings")
    if dialect:
        name = block.comments.get("file") or f"block{block.line}.{block.language}"
        path = save(block, folder, name)
        said = run([tools.crosshook, "check", "--json", "--dialect", dialect, "--settings", path], folder, tools)
        if said.strip():
            raise Failure(f"`crosshook check` has something to say:\n{said}")
    return ""


def read_yaml(block: Block, folder: Path, tools: Tools) -> str:
    yaml.safe_load(block.text)
    return ""


def read_toml(block: Block, folder: Path, tools: Tools) -> str:
    # Python 3.10 has no reader of TOML; the engine is one.
    if "settings" not in block.comments:
        raise Failure("only settings are written in TOML here")
    return check_settings(block, folder, tools)


RUNNERS = {
    "sh": run_sh,
    "python": run_python,
    "js": run_js,
    "ts": run_ts,
    "c": run_c,
    "cpp": run_cpp,
    "rust": run_rust,
    "json": read_json,
    "yaml": read_yaml,
    "toml": read_toml,
}


def steady(text: str, folder: Path) -> str:
    """The text without what differs from run to run."""
    text = text.replace(str(folder), "/folder")
    return re.sub(r'("duration_ms": ?)[\d.]+', r"\g<1>1.0", text)


def run_block(block: Block, folder: Path, tools: Tools) -> str:
    """Runs one block and says what became of it; raises `Failure`."""
    strangers = block.comments.keys() - COMMENTS
    if strangers:
        raise Failure(f"unknown comment: {', '.join(strangers)}")
    if "skip" in block.comments:
        if not block.comments["skip"]:
            raise Failure("`skip` needs a reason")
        return "skipped"
    if block.language == "text":
        return "text"
    if "file" in block.comments:
        save(block, folder, block.comments["file"])
        if block.language not in ("json", "yaml", "toml"):
            return "ran"
    if block.language not in RUNNERS:
        raise Failure("nothing is known of this language; a block that is neither code nor output is `text`")
    said = steady(RUNNERS[block.language](block, folder, tools), folder)
    if block.output is not None and said != steady(block.output, folder):
        raise Failure(f"it printed\n{said}and not\n{block.output}")
    if block.comments.get("says", "") not in said:
        raise Failure(f"it printed\n{said}without `{block.comments['says']}`")
    return "ran"


def run_page(page: Path, tools: Tools) -> tuple[dict[str, int], list[str]]:
    """How many blocks ran, were skipped and are text; and what failed."""
    folder = tools.work / page.relative_to(ROOT).with_suffix("")
    folder.mkdir(parents=True)
    counts = {"ran": 0, "skipped": 0, "text": 0}
    faults = []
    for block in blocks_of(page):
        try:
            counts[run_block(block, folder, tools)] += 1
        except (Failure, ValueError, OSError, subprocess.TimeoutExpired, yaml.YAMLError) as fault:
            faults.append(f"{block}: {fault}")
    return counts, faults


def prepare(tools: Tools) -> None:
    shutil.rmtree(tools.work, ignore_errors=True)
    (tools.work / "bin").mkdir(parents=True)
    (tools.work / "bin/crosshook").symlink_to(tools.crosshook)
    # Hooks of the pages may import the package; a link to an interpreter would not find it.
    python = tools.work / "bin/python3"
    python.write_text(f"#!/bin/sh\nexec {shlex.quote(str(tools.python))} \"$@\"\n", encoding="utf-8")
    python.chmod(0o755)
    (tools.work / "node_modules").mkdir()
    (tools.work / "node_modules/crosshook").symlink_to(ROOT / "bindings-node")


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the code blocks of Markdown pages.")
    parser.add_argument("--crosshook", required=True, type=Path, help="the command line program")
    parser.add_argument("--python", required=True, type=Path, help="a Python that has the package")
    parser.add_argument("--library", required=True, type=Path, help="the folder of the shared library")
    parser.add_argument("--rlib", required=True, type=Path, help="the Rust library, beside its folder deps")
    parser.add_argument("--work", required=True, type=Path, help="an own folder; it is emptied")
    parser.add_argument("pages", nargs="+", type=Path)
    given = parser.parse_args()
    # Not resolved: a virtual environment is known by the path of its interpreter.
    places = {
        name: Path(os.path.abspath(getattr(given, name))) for name in ("crosshook", "python", "library", "rlib", "work")
    }
    tools = Tools(**places)
    prepare(tools)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        ends = list(pool.map(lambda page: run_page(page.resolve(), tools), given.pages))
    faults = [fault for _, found in ends for fault in found]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    ran, skipped, text = (sum(counts[name] for counts, _ in ends) for name in ("ran", "skipped", "text"))
    print(f"{ran} blocks of {len(ends)} pages passed, {len(faults)} failed, {skipped} skipped, {text} text")
    return 1 if faults or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
