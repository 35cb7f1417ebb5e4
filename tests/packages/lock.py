"""Fails when the second Cargo.lock holds a package that the first does not: lock.py COMMITTED USED"""

from __future__ import annotations

import re
import sys
from pathlib import Path


def packages(path: str) -> set[tuple[str, str]]:
    text = Path(path).read_text(encoding="utf-8")
    return set(re.findall(r'^name = "([^"]+)"\nversion = "([^"]+)"$', text, re.MULTILINE))


committed, used = map(packages, sys.argv[1:])
if "crosshook-python" not in {name for name, _ in used}:
    sys.exit(f"{sys.argv[2]} is not the lock file of the Python package")
if strangers := used - committed:
    sys.exit(f"built with other versions than the committed ones: {sorted(strangers)}")
