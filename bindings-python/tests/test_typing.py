"""The types that checkers see are right, and the stub of the native half is true."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")


def check(*arguments: str, folder: Path) -> None:
    command = [sys.executable, "-m", *arguments]
    environment = {**os.environ, "MYPY_CACHE_DIR": str(folder / "cache")}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_package(tmp_path):
    check("mypy", "--strict", "-p", "crosshook", folder=tmp_path)


def test_a_typed_host(tmp_path):
    check(
        "mypy",
        "--strict",
        "--warn-unused-ignores",
        str(Path(__file__).with_name("typed_use.py")),
        folder=tmp_path,
    )


def test_the_stub_of_the_native_half(tmp_path):
    check("mypy.stubtest", "crosshook._native", folder=tmp_path)
