"""The goals: which cases they compare, and the ratio that has to be reached. One line a goal."""

from __future__ import annotations

import os
from dataclasses import dataclass

MS = 1e6
CPUS = len(os.sched_getaffinity(0))

# What a time is made of: cases, as `section/case`, with the factor by which each counts.
Mix = dict[str, float]


@dataclass(frozen=True)
class Goal:
    id: str
    what: str
    ours: str | Mix
    # What it is divided by; a number is a fixed time in nanoseconds, or 1 for what is a ratio already.
    base: str | Mix | float
    # None: shown to explain the others, not a goal.
    limit: float | None


MATCHERS: Mix = {"ready/Rust 10,000 matchers": 1, "ready/Rust 10,000 times *": -1}
IN_COROUTINE: Mix = {"quiet/Python 1 KB": 1, "quiet/Python coroutine": 1}
WHEEL: Mix = {"import/python import": 1, "import/python": -1}
PACKAGE: Mix = {"import/node require": 1, "import/node": -1}

GOALS = (
    Goal("P1", "one hook by sh: Rust / C floor", "hook/Rust sh", "hook/C sh", 1.03),
    Goal("P1", "one hook by sh: C interface / C floor", "hook/C interface sh", "hook/C sh", None),
    Goal("P1", "one hook by sh: Python, asyncio / C floor", "hook/Python sh", "hook/C sh", None),
    Goal("P1", "one hook by sh: Node / C floor", "hook/Node sh", "hook/C sh", None),
    Goal("P2", "empty hook: Rust / C floor", "hook/Rust empty", "hook/C empty", 1.15),
    Goal("P2", "empty hook: C interface / C floor", "hook/C interface empty", "hook/C empty", None),
    Goal("P3", "one hook by bash: Node / Gemini", "hook/Node bash", "hook/Gemini bash", 0.65),
    Goal("P4", "one hook: Node by sh / Gemini by bash", "hook/Node sh", "hook/Gemini bash", 0.48),
    Goal("P4", "simple command: Node / Gemini", "hook/Node bash simple", "hook/Gemini simple", 0.25),
    Goal("P5", "host with 2 GB: Rust / small host", "2 GB/Rust", "2 GB/Rust small", 1.05),
    Goal("P5", "host with 2 GB: Node / small host", "2 GB/Node bash", "2 GB/Node bash small", 1.05),
    Goal("P5", "host with 2 GB: Node / Gemini", "2 GB/Node bash", "2 GB/Gemini bash", 0.07),
    Goal("P6", "8 hooks: Rust / (8 C floors / CPUs)", "parallel/Rust 8", {"parallel/C 1": 8 / CPUS}, 1.10),
    Goal("P6", "64 hooks: Rust / (64 C floors / CPUs)", "parallel/Rust 64", {"parallel/C 1": 64 / CPUS}, 1.10),
    Goal("P6", "8 hooks: C / (8 C floors / CPUs)", "parallel/C 8", {"parallel/C 1": 8 / CPUS}, None),
    Goal("P6", "64 hooks: C / (64 C floors / CPUs)", "parallel/C 64", {"parallel/C 1": 64 / CPUS}, None),
    Goal("P6", "8 hooks: Rust / C", "parallel/Rust 8", "parallel/C 8", None),
    Goal("P6", "64 hooks: Rust / C", "parallel/Rust 64", "parallel/C 64", None),
    Goal("P7", "64 hooks: Node by sh / Gemini by bash", "parallel/Node 64", "parallel/Gemini 64", 0.42),
    Goal("P7", "64 hooks: Python / asyncio", "parallel/Python 64", "parallel/asyncio 64", 0.70),
    Goal("P7", "64 hooks: Node / child_process.spawn", "parallel/Node 64", "parallel/child_process 64", 0.60),
    Goal("P8", "16 MiB on stdin: Rust / C with vmsplice", "16 MiB/Rust", "16 MiB/C vmsplice", 1.15),
    Goal("P8", "16 MiB on stdin: Rust / C with a usual pipe", "16 MiB/Rust", "16 MiB/C pipe", 0.45),
    Goal("P8", "16 MiB on stdin: Rust / Gemini", "16 MiB/Rust", "16 MiB/Gemini", 0.10),
    Goal("P8", "16 MiB on stdin: Node, from an object / Gemini", "16 MiB/Node object", "16 MiB/Gemini", None),
    Goal("P8", "16 MiB, nothing matches: Rust / C with vmsplice", "16 MiB/Rust quiet", "16 MiB/C vmsplice", None),
    Goal("P9", "8 hooks x 16 MiB: Rust / C with usual pipes", "16 MiB/Rust 8", "16 MiB/C 8 pipe", 0.60),
    Goal("P9", "8 hooks x 16 MiB: C with vmsplice / with usual pipes", "16 MiB/C 8 vmsplice", "16 MiB/C 8 pipe", None),
    Goal("P10", "after 5 s of rest: Rust / C", "cold/Rust sh", "cold/C sh", 1.15),
    Goal("P10", "after 5 s of rest: Rust / Gemini", "cold/Rust sh", "cold/Gemini bash", 0.20),
    Goal("P10", "after 5 s of rest: Node / Gemini", "cold/Node bash", "cold/Gemini bash", 0.20),
    Goal("P10", "after 5 s of rest: C / Gemini", "cold/C sh", "cold/Gemini bash", None),
    Goal("P11", "timeout of 100 ms, grandchild holds stdout: Rust / 100 ms", "ending/Rust timeout", 100 * MS, 1.05),
    Goal("P11", "the same: Node / Gemini", "ending/Node timeout", "ending/Gemini timeout", 0.055),
    Goal("P12", "hook leaves a child: Rust / leaves none", "ending/Rust child", "ending/Rust no child", 1.1),
    Goal("P12", "the same: Rust / Gemini", "ending/Rust child", "ending/Gemini child", None),
    Goal("P13", "nothing matches, 1 KB: Rust / RawValue parse", "quiet/Rust 1", "quiet/serde RawValue 1 KB", 0.7),
    Goal("P14", "nothing matches: Rust, 10,000 matchers / 1", "quiet/Rust 10000", "quiet/Rust 1", 1.2),
    Goal("P15", "nothing matches, 100 matchers: Node / Gemini's plan", "quiet/Node 100", "quiet/Gemini 100", 0.05),
    Goal("P15", "nothing matches, 10,000: Node / Gemini's plan", "quiet/Node 10000", "quiet/Gemini 10000", 0.0003),
    Goal("P16", "nothing matches, a dict: 1 MB / 1 KB", "quiet/Python 1 MB", "quiet/Python 1 KB", 1.2),
    Goal("P16", "nothing matches, a dict of 1 KB / a pyo3 no-op", "quiet/Python 1 KB", "quiet/Python no-op", 3),
    Goal("P16", "a blank outcome made in Python / a pyo3 no-op", "quiet/Python blank", "quiet/Python no-op", None),
    Goal("P17", "nothing matches, an object: 1 MB / 1 KB", "quiet/Node 1 MB", "quiet/Node 1 KB", 1.2),
    Goal("P17", "nothing matches, 1 MB / JSON.stringify of it", "quiet/Node 1 MB", "quiet/JSON.stringify 1 MB", 0.0005),
    Goal("P18", "10,000 matchers ready / regress", MATCHERS, "ready/regress", 0.08),
    Goal("P18", "10,000 matchers ready / regex", MATCHERS, "ready/regex", 0.005),
    Goal("P18", "whole engine of 10,000 matchers / regex", "ready/Rust 10,000 matchers", "ready/regex", None),
    Goal("P19", "one hook by sh: Python / asyncio", "hook/Python sh", "hook/asyncio sh", 0.78),
    Goal("P19", "empty hook: Python / asyncio", "hook/Python empty", "hook/asyncio empty", 0.35),
    Goal("P19", "one hook by sh: C floor / asyncio", "hook/C sh", "hook/asyncio sh", None),
    Goal("P19", "empty hook: C floor / asyncio", "hook/C empty", "hook/asyncio empty", None),
    Goal("P20", "await, nothing matches: Python / plain coroutine", "quiet/Python await", IN_COROUTINE, 2),
    Goal(
        "P20", "await, nothing matches: Node / plain async function", "quiet/Node await", "quiet/Node async call", 1.5
    ),
    Goal(
        "P21",
        "function of the host: Python / crossing and call",
        "quiet/Python function",
        "quiet/Python bare function",
        3,
    ),
    Goal("P21", "function of the host: Node / crossing and call", "quiet/Node function", "quiet/Node bare function", 3),
    Goal("P22", "HTTP hook: Rust / raw TCP", "http/Rust", "http/TCP", 2.5),
    Goal("P22", "HTTP hook: Rust / Node's fetch", "http/Rust", "http/fetch", 0.03),
    Goal("P22", "HTTP hook: Rust / aiohttp", "http/Rust", "http/aiohttp", 0.10),
    Goal("P22", "raw TCP / Node's fetch", "http/TCP", "http/fetch", None),
    Goal("P22", "raw TCP / aiohttp", "http/TCP", "http/aiohttp", None),
    Goal("P23", "worker in Python: Rust / C, a line and a line back", "worker/Rust", "worker/C", 2),
    Goal("P23", "worker in Python: Rust / C, python3 for each event", "worker/Rust", "worker/C python3", 0.002),
    Goal("P23", "the same: Python, awaited / python3 for each event", "worker/Python", "worker/C python3", None),
    Goal("P23", "the same: Node, awaited / python3 for each event", "worker/Node", "worker/C python3", None),
    Goal("P25", "simple command by sh: Rust / C sh -c", "hook/Rust sh simple", "hook/C sh -c simple", 0.50),
    Goal("P25", "simple command by bash: Rust / C bash -c", "hook/Rust bash simple", "hook/C bash -c simple", 0.45),
    Goal("P25", "simple command: C, started directly / C sh -c", "hook/C simple", "hook/C sh -c simple", None),
    Goal("made", "engine from a usual settings file: Rust / 1 ms", "ready/Rust usual settings", MS, 1),
    Goal("made", "engine from a usual settings file: Python / 1 ms", "ready/Python usual settings", MS, 1),
    Goal("made", "engine from a usual settings file: Node / 1 ms", "ready/Node usual settings", MS, 1),
    Goal("import", "import of the wheel, over bare Python / 5 ms", WHEEL, 5 * MS, 1),
    Goal("import", "require of the package, over bare Node / 10 ms", PACKAGE, 10 * MS, 1),
    Goal("lag", "1,000 dispatches in asyncio: longest lag of the loop / 10 ms", "lag/asyncio 1000", 10 * MS, 1),
    Goal("lag", "the same with asyncio's own processes / 10 ms", "lag/peer 1000", 10 * MS, None),
    Goal("memory", "event of 16 MiB: Rust, peak with the event / event", "memory/Rust", 1, 2),
    Goal("memory", "event of 16 MiB: Python, peak with the bytes / event", "memory/Python bytes", 1, None),
    Goal("memory", "event of 16 MiB: Node, peak with the Buffer / event", "memory/Node Buffer", 1, None),
)


def mix(term: str | Mix | float) -> Mix:
    """A term as cases with factors; empty for a fixed number."""
    if isinstance(term, str):
        return {term: 1}
    return term if isinstance(term, dict) else {}


def cases(goal: Goal) -> set[str]:
    return {*mix(goal.ours), *mix(goal.base)}
