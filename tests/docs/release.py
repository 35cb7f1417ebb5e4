"""Checks what has to agree before a release: the version in every manifest, and the licence files. (That wheel and npm
package hold them is tested with those packages.)

One place decides, `workspace.package.version` of Cargo.toml.

usage: release.py [TAG]    with a tag such as v0.1.0, it has to agree too
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LICENCES = ("LICENSE-MIT", "LICENSE-APACHE")
PACKAGES = ("core", "bindings-python", "bindings-node")


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def found(path: str, pattern: str) -> str:
    """What the pattern's group matches, at the beginning of some line."""
    match = re.search(f"^{pattern}", text(path), re.MULTILINE)
    return match[1] if match else "nothing"


def versions() -> dict[str, str]:
    """Every place that holds the version, and what it holds."""
    package = json.loads(text("bindings-node/package.json"))
    lock = json.loads(text("bindings-node/package-lock.json"))
    parts = (
        found("include/crosshook.h", rf"#define CROSSHOOK_VERSION_{part} (\d+)$")
        for part in ("MAJOR", "MINOR", "PATCH")
    )
    places = {
        "Cargo.toml, workspace.dependencies.crosshook": found("Cargo.toml", r'crosshook = \{ .*version = "([^"]*)"'),
        "bindings-node/package.json": package["version"],
        "bindings-node/package-lock.json": lock["version"],
        "bindings-node/package-lock.json, packages": lock["packages"][""]["version"],
        "include/crosshook.h, CROSSHOOK_VERSION": found("include/crosshook.h", r'#define CROSSHOOK_VERSION "([^"]*)"'),
        "include/crosshook.h, its parts": ".".join(parts),
        "CHANGELOG.md, the newest heading": found("CHANGELOG.md", r"## (\d\S*)"),
    }
    for name in re.findall(r'^name = "(crosshook[^"]*)"\nversion', text("Cargo.lock"), re.MULTILINE):
        places[f"Cargo.lock, {name}"] = found("Cargo.lock", rf'name = "{name}"\nversion = "([^"]*)"')
    return places


def faults(tag: str | None) -> list[str]:
    version = found("Cargo.toml", r'version = "([^"]*)"')
    wrong = [f"{place}: {value}, not {version}" for place, value in versions().items() if value != version]
    if tag is not None and tag != f"v{version}":
        wrong.append(f"the tag is {tag}, not v{version}")
    if 'dynamic = ["version"]' not in text("bindings-python/pyproject.toml"):
        wrong.append("bindings-python/pyproject.toml: has a version of its own")
    for package in PACKAGES:
        manifest = text(f"{package}/Cargo.toml")
        if "version.workspace = true" not in manifest:
            wrong.append(f"{package}/Cargo.toml: has a version of its own")
        if "license.workspace = true" not in manifest:
            wrong.append(f"{package}/Cargo.toml: has a licence of its own")
        for name in LICENCES:
            copy = ROOT / package / name
            if not copy.is_file() or copy.read_bytes() != (ROOT / name).read_bytes():
                wrong.append(f"{package}/{name}: is not the file of the root")
    return wrong


def left_out_of_the_crate() -> list[str]:
    command = ["cargo", "package", "--package", "crosshook", "--list", "--allow-dirty"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    if listed.returncode != 0:
        return [f"cargo package: {listed.stderr}"]
    names = listed.stdout.split("\n")
    return [f"the crate: {name} is left out" for name in (*LICENCES, "README.md", "src/lib.rs") if name not in names]


def main() -> int:
    wrong = faults(sys.argv[1] if len(sys.argv) > 1 else None) + left_out_of_the_crate()
    for fault in wrong:
        print(fault, file=sys.stderr)
    if not wrong:
        print("versions and licences: agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
