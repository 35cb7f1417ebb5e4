"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from pathlib import Path


def says(*argv: str) -> str:
    """The first line that a program prints, or that it is missing."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True)
    except OSError:
        return "missing"
    return next(iter((done.stdout + done.stderr).splitlines()), "silent")


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def memory() -> str:
    kilobytes = int(Path("/proc/meminfo").read_text().split()[1])
    return f"{kilobytes / 1024 / 1024:.0f} GiB"


def crate(name: str) -> str:
    """A crate with the version that the benchmark is locked to."""
    lines = (Path(__file__).parent / "Cargo.lock").read_text().splitlines()
    at = lines.index(f'name = "{name}"')
    return f"{name} {lines[at + 1].split(chr(34))[1]}"


def peers(python: str, gemini: str) -> str:
    found = "from importlib import metadata as m, util as u; print(u.find_spec('aiohttp') and m.version('aiohttp') or '')"
    version = says(python, "-c", found)
    aiohttp = f"aiohttp {version}" if version else "no aiohttp"
    return f"{gemini}, {aiohttp}, {crate('regex')}, {crate('regress')}"


def facts(python: str, gemini: str) -> dict[str, str]:
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": f"{processor()}, {len(os.sched_getaffinity(0))} CPUs",
        "memory": memory(),
        "kernel": f"{platform.system()} {platform.release()}",
        "C library": " ".join(platform.libc_ver()),
        "/bin/sh": os.path.realpath("/bin/sh"),
        "bash": says("bash", "--version"),
        "Rust": says("rustc", "--version"),
        "C compiler": says(os.environ.get("CC", "cc"), "--version"),
        "Python": says(python, "--version"),
        "Node": says("node", "--version"),
        "peers": peers(python, gemini),
        "commit": says("git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"),
    }
