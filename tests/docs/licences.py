"""Checks the licences and the origin of every crate in Cargo.lock against deny.toml, for machines without cargo-deny.

usage: licences.py    Python 3.10 or newer, standard library only
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def allowed() -> tuple[set[str], dict[str, set[str]]]:
    """The licences that any crate may have, and what single crates may have beside them."""
    text = (ROOT / "deny.toml").read_text(encoding="utf-8")
    general = re.search(r"^allow = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    single = re.findall(r'\{ crate = "([^"]+)", allow = \[(.*?)\] \}', text)
    return quoted(general[1] if general else ""), {name: quoted(names) for name, names in single}


def quoted(text: str) -> set[str]:
    return set(re.findall(r'"([^"]+)"', text))


def satisfied(expression: str, licences: set[str]) -> bool:
    """Whether an SPDX expression can be fulfilled with these licences. `/` is how older crates write `OR`."""
    words = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))

    def choice() -> bool:
        holds = both()
        while words and words[0] == "OR":
            words.pop(0)
            holds = both() or holds
        return holds

    def both() -> bool:
        holds = one()
        while words and words[0] == "AND":
            words.pop(0)
            holds = one() and holds
        return holds

    def one() -> bool:
        name = words.pop(0)
        if name == "(":
            holds = choice()
            words.pop(0)
            return holds
        if words and words[0] == "WITH":
            words.pop(0)
            name = f"{name} WITH {words.pop(0)}"
        return name in licences

    holds = choice()
    if words:
        raise ValueError(f"not understood: {expression}")
    return holds


def packages() -> list[dict[str, Any]]:
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    found = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    listed: list[dict[str, Any]] = json.loads(found)["packages"]
    return listed


def faults(listed: list[dict[str, Any]]) -> list[str]:
    general, single = allowed()
    wrong = []
    for package in listed:
        name, licence, source = package["name"], package["license"], package["source"]
        if not licence:
            wrong.append(f"{name}: names no licence")
        elif not satisfied(licence, general | single.get(name, set())):
            wrong.append(f"{name}: {licence} is not allowed by deny.toml")
        if source is not None and not source.startswith("registry+"):
            wrong.append(f"{name}: comes from {source}, not from the registry")
    return wrong


def check_itself() -> None:
    for expression, holds in {
        "MIT": True,
        "GPL-3.0": False,
        "GPL-3.0 OR MIT": True,
        "MIT AND GPL-3.0": False,
        "(MIT OR GPL-3.0) AND ISC": True,
        "Apache-2.0 WITH LLVM-exception OR GPL-3.0": True,
        "Apache-2.0 WITH Other-exception": False,
        "GPL-3.0/MIT": True,
    }.items():
        if satisfied(expression, {"MIT", "ISC", "Apache-2.0 WITH LLVM-exception"}) != holds:
            raise SystemExit(f"licences.py takes {expression} wrongly")


def main() -> int:
    check_itself()
    listed = packages()
    wrong = faults(listed)
    for fault in wrong:
        print(fault, file=sys.stderr)
    if not wrong:
        print(f"licences: those of all {len(listed)} crates are allowed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
