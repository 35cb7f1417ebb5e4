"""What is measured: the cases, grouped into sections that run by themselves."""

from __future__ import annotations

from measure import Case, Section
from workloads import HOOK, KIB, LEAVES_CHILD, MIB, SLOW, Files, bash, matching, patterns, several, sh, zcode

SH, BASH = ("/bin/sh", "-c"), ("/bin/bash", "-c")
MINUTE = "60000"


def sections(files: Files, python: str, port: str) -> list[Section]:
    """All of them. `python` is the interpreter that has the wheel; `port` that of the HTTP hook."""
    return [
        one_hook(files),
        large_host(files),
        parallel(files),
        payload(files),
        cold(files),
        endings(files),
        quiet(files),
        ready(files),
        http(files, port),
        worker(files, python),
        imports(files, python),
        loop_lag(files),
        memory(files),
    ]


def floor(event: str, *argv: str, count: int = 1, mode: str = "pipe", n: int = 5) -> Case:
    return Case("floor", ("spawn", str(count), mode, event, *argv), n)


def one_hook(files: Files) -> Section:
    """One command hook and an event of 1 KB."""
    event = files.event(KIB)
    by_sh, by_bash = files.options("sh", sh(HOOK)), files.options("bash", bash(HOOK))
    empty = files.options("empty", zcode({"type": "process", "command": files.empty, "args": []}))
    simple_sh = files.options("simple-sh", sh(files.answer))
    simple_bash = files.options("simple-bash", bash(files.answer))
    cases = {
        "C sh": floor(event, *SH, HOOK),
        "C bash": floor(event, *BASH, HOOK),
        "C empty": floor(event, files.empty, n=10),
        "C sh -c simple": floor(event, *SH, files.answer),
        "C bash -c simple": floor(event, *BASH, files.answer),
        "C simple": floor(event, files.answer),
        "asyncio sh": Case("python-peer", ("spawn", "1", event, *SH, HOOK)),
        "asyncio empty": Case("python-peer", ("spawn", "1", event, files.empty)),
        "child_process sh": Case("node-peer", ("spawn", "1", event, *SH, HOOK)),
        "Gemini bash": Case("gemini", ("hooks", "ok", MINUTE, event, HOOK)),
        "Gemini simple": Case("gemini", ("hooks", "ok", MINUTE, event, files.answer)),
    }
    ours = {"sh": by_sh, "bash": by_bash, "empty": empty, "sh simple": simple_sh, "bash simple": simple_bash}
    for name, options in ours.items():
        n = 10 if name == "empty" else 5
        cases[f"Rust {name}"] = Case("engine", ("dispatch", options, event, "ok"), n)
        cases[f"C interface {name}"] = Case("C", ("dispatch", options, event), n)
        cases[f"Python {name}"] = Case("python", ("dispatch", options, event), n)
        cases[f"Node {name}"] = Case("node", ("dispatch", options, event, "ok"), n)
    return named("hook", cases)


def large_host(files: Files) -> Section:
    """The same hook from a host that holds 2 GB."""
    event = files.event(KIB)
    by_sh, by_bash = files.options("sh", sh(HOOK)), files.options("bash", bash(HOOK))
    cases = {
        "Rust small": Case("engine", ("dispatch", by_sh, event, "ok")),
        "Rust": Case("engine large", ("dispatch", by_sh, event, "ok")),
        "Node bash small": Case("node", ("dispatch", by_bash, event, "ok")),
        "Node bash": Case("node large", ("dispatch", by_bash, event, "ok")),
        "Gemini bash": Case("gemini large", ("hooks", "ok", MINUTE, event, HOOK)),
    }
    return named("2 GB", cases, ballast={"engine large": 2048, "node large": 2048, "gemini large": 2048})


def parallel(files: Files) -> Section:
    """Several hooks at once."""
    event = files.event(KIB)
    cases = {"C 1": floor(event, *SH, HOOK)}
    for count in (8, 64):
        commands = several(HOOK, count)
        options = files.options(f"sh-{count}", sh(*commands))
        times = str(count)
        cases |= {
            f"C {count}": floor(event, *SH, HOOK, count=count, n=1),
            f"Rust {count}": Case("engine", ("dispatch", options, event, "ok"), 1),
            f"Python {count}": Case("python", ("dispatch", options, event), 1),
            f"Node {count}": Case("node", ("dispatch", options, event, "ok"), 1),
            f"asyncio {count}": Case("python-peer", ("spawn", times, event, *SH, HOOK), 1),
            f"child_process {count}": Case("node-peer", ("spawn", times, event, *SH, HOOK), 1),
            f"Gemini {count}": Case("gemini", ("hooks", "ok", MINUTE, event, *commands), 1),
        }
    return named("parallel", cases, share=0.5)


def payload(files: Files) -> Section:
    """16 MiB on standard input."""
    event = files.event(16 * MIB)
    one, eight = files.options("sh", sh(HOOK)), files.options("sh-8", sh(*several(HOOK, 8)))
    by_bash, absent = files.options("bash", bash(HOOK)), files.options("matchers-1", matching(patterns(1)))
    cases = {
        "C pipe": floor(event, *SH, HOOK, n=1),
        "C vmsplice": floor(event, *SH, HOOK, mode="vmsplice", n=1),
        "C 8 pipe": floor(event, *SH, HOOK, count=8, n=1),
        "C 8 vmsplice": floor(event, *SH, HOOK, count=8, mode="vmsplice", n=1),
        "Rust": Case("engine", ("dispatch", one, event, "ok"), 1),
        "Rust 8": Case("engine", ("dispatch", eight, event, "ok"), 1),
        "Rust quiet": Case("engine", ("quiet", absent, files.event(16 * MIB, "Absent")), 1),
        "Node object": Case("node", ("dispatch", by_bash, event, "ok"), 1),
        "Gemini": Case("gemini", ("hooks", "ok", MINUTE, event, HOOK), 1),
    }
    return named("16 MiB", cases, share=0.5)


def cold(files: Files) -> Section:
    """One hook after all have rested for five seconds."""
    event = files.event(KIB)
    by_sh, by_bash = files.options("sh", sh(HOOK)), files.options("bash", bash(HOOK))
    cases = {
        "C sh": floor(event, *SH, HOOK, n=1),
        "Rust sh": Case("engine", ("dispatch", by_sh, event, "ok"), 1),
        "Node bash": Case("node", ("dispatch", by_bash, event, "ok"), 1),
        "Gemini bash": Case("gemini", ("hooks", "ok", MINUTE, event, HOOK), 1),
    }
    return named("cold", cases, share=0.7, idle=5)


def endings(files: Files) -> Section:
    """Hooks that do not end by themselves in time, or not all of them."""
    event = files.event(KIB)
    slow = files.options("slow", zcode({"type": "command", "command": SLOW, "timeoutMs": 100}))
    leaves, leaves_none = files.options("leaves", sh(LEAVES_CHILD)), files.options("sh", sh(HOOK))
    cases = {
        "Rust timeout": Case("engine", ("dispatch", slow, event, "timeout"), 1),
        "Node timeout": Case("node", ("dispatch", slow, event, "timeout"), 1),
        "Gemini timeout": Case("gemini", ("hooks", "timeout", "100", event, SLOW), 1),
        "Rust child": Case("engine", ("dispatch", leaves, event, "ok"), 1),
        "Rust no child": Case("engine", ("dispatch", leaves_none, event, "ok"), 1),
        "Gemini child": Case("gemini", ("hooks", "ok", MINUTE, event, LEAVES_CHILD), 1),
    }
    return named("ending", cases, share=0.25)


def quiet(files: Files) -> Section:
    """Events for which nothing is selected, and functions of the host."""
    small, large = files.event(KIB, "Absent"), files.event(MIB, "Absent")
    write, none = files.event(KIB), files.options("none", {"dialect": "codebuddy", "settings": {"hooks": {}}})
    cases = {
        "serde RawValue 1 KB": Case("engine", ("parse", small)),
        "Python no-op": Case("python", ("no_op",)),
        "Python blank": Case("python", ("blank", none, small)),
        "Python coroutine": Case("python", ("coroutine",)),
        "Python function": Case("python", ("function", none, write)),
        "Python bare function": Case("python", ("function_bare", write)),
        "Node function": Case("node", ("host_function", none, write)),
        "Node bare function": Case("node", ("function_bare", write)),
        "JSON.stringify 1 MB": Case("node", ("stringify", large)),
    }
    for count in (1, 100, 10_000):
        options = files.options(f"matchers-{count}", matching(patterns(count)))
        cases[f"Rust {count}"] = Case("engine", ("quiet", options, small))
        cases[f"Node {count}"] = Case("node", ("quiet", options, small))
        cases[f"Gemini {count}"] = Case("gemini", ("plan", files.patterns(count)))
    hundred = files.options("matchers-100", matching(patterns(100)))
    for size, event in (("1 KB", small), ("1 MB", large)):
        cases[f"Python {size}"] = Case("python", ("quiet", hundred, event))
        cases[f"Node {size}"] = Case("node", ("quiet", hundred, event))
    cases["Python await"] = Case("python", ("quiet_await", hundred, small))
    cases["Node await"] = Case("node", ("quiet_await", hundred, small))
    cases["Node async call"] = Case("node", ("quiet_async", hundred, small))
    return named("quiet", cases)


def ready(files: Files) -> Section:
    """Making engines."""
    usual = files.options("usual", {"dialect": "codebuddy", "settings": [{"scope": "user", "path": files.settings()}]})
    many = files.options("matchers-10000", matching(patterns(10_000)))
    bare = files.options("everything-10000", matching(["*"] * 10_000))
    cases = {
        "Rust usual settings": Case("engine", ("make", usual)),
        "Python usual settings": Case("python", ("make", usual)),
        "Node usual settings": Case("node", ("make", usual)),
        "Rust 10,000 matchers": Case("engine", ("make", many), 1),
        "Rust 10,000 times *": Case("engine", ("make", bare), 1),
        "regress": Case("engine", ("regress", files.patterns(10_000)), 1),
        "regex": Case("engine", ("regex", files.patterns(10_000)), 1),
    }
    return named("ready", cases, share=0.5)


def http(files: Files, port: str) -> Section:
    """A hook that is a web service on this machine, over a connection that is kept."""
    event = files.event(KIB)
    hook = {"type": "http", "url": f"http://127.0.0.1:{port}/hook"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]}}
    options = files.options("http", {"dialect": "qwen", "settings": settings})
    cases = {
        "TCP": Case("floor", ("tcp", port, event), 30),
        "Rust": Case("engine", ("dispatch", options, event, "ok"), 30),
        "fetch": Case("node-peer", ("http", port, event), 30),
        "aiohttp": Case("aiohttp", ("http", port, event), 30),
    }
    return named("http", cases)


def worker(files: Files, python: str) -> Section:
    """A hook in Python that is started once, and the same started for each event."""
    event, script = files.event(KIB), files.worker()
    # A dialect whose hooks read the event as it came.
    hook = {"type": "command", "command": python, "args": ["-I", script], "worker": True}
    options = files.options("worker", {"dialect": "claude", "settings": {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}})
    cases = {
        "C": Case("floor", ("worker", event, python, "-I", script), 200),
        "C python3": floor(event, python, "-I", script, n=1),
        "Rust": Case("engine", ("dispatch", options, event, "ok"), 200),
        "Python": Case("python", ("dispatch", options, event), 200),
        "Node": Case("node", ("dispatch", options, event, "ok"), 200),
    }
    return named("worker", cases)


def imports(files: Files, python: str) -> Section:
    """What the packages add to the start of an interpreter."""
    event = files.event(KIB)
    # The program's own path comes first: what is imported must be the installed package.
    cases = {
        "python": floor(event, python, "-I", "-c", "pass", n=1),
        "python import": floor(event, python, "-I", "-c", "import crosshook", n=1),
        "node": floor(event, "/usr/bin/env", "node", "-e", "0", n=1),
        "node require": floor(event, "/usr/bin/env", "node", "-e", "require('crosshook')", n=1),
    }
    return named("import", cases)


def loop_lag(files: Files) -> Section:
    """A thousand dispatches in one event loop."""
    empty = files.options("empty", zcode({"type": "process", "command": files.empty, "args": []}))
    event = files.event(KIB)
    cases = {
        "asyncio 1000": Case("python", ("lag", empty, event, "1000"), 1),
        "peer 1000": Case("python-peer", ("lag", event, "1000", files.empty), 1),
    }
    return named("lag", cases, share=0.25)


def memory(files: Files) -> Section:
    """What one event of 16 MiB needs, in multiples of it."""
    event, options = files.event(16 * MIB), files.options("sh", sh(HOOK))
    cases = {
        name: Case(kind, ("memory", options, event), 1, fresh=True)
        for name, kind in (("Rust", "engine"), ("Python bytes", "python"), ("Node Buffer", "node"))
    }
    return named("memory", cases, share=0.25)


def named(name: str, cases: dict[str, Case], **more: object) -> Section:
    """A section whose cases are known as `section/case`."""
    return Section(name, {f"{name}/{case}": what for case, what in cases.items()}, **more)  # type: ignore[arg-type]
