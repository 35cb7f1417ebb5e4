"""The example program works, and prints what it prints in every language."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOUR = Path(__file__).parents[1] / "examples" / "tour.py"
OUTPUT = Path(__file__).parents[2] / "tests" / "examples" / "tour.txt"


def test_the_tour(tmp_path):
    command = [sys.executable, "-W", "error", str(TOUR)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert (done.stderr.decode(), done.returncode) == ("", 0)
    assert done.stdout == OUTPUT.read_bytes()


def test_its_types(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(TOUR)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
