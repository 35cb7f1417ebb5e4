#!/usr/bin/env python3
"""Run the shared vectors through a C or C++ host program (vectors.c, vectors.cpp) and compare.

usage: run_vectors.py [--jobs N] [--only SUBSTRING] [--start] HOST FILE.jsonl...

Each job keeps one host process, which serves one vector after the other; a host that dies fails its vector and is
started anew, and one that does not end with status 0 (a leak, say) fails the run. Exit status 0 when all hold.
Python 3 standard library only.
"""
import argparse
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

# These keys are compared as a whole, not as a subset.
WHOLE = {"updated_input", "updated_output", "updated_permissions"}
MANIFEST_FOLDERS = {"zcode": ".zcode-plugin", "codebuddy": ".codebuddy-plugin"}
DISPUTED = pathlib.Path(__file__).parent.parent / "vectors" / "DISPUTED.md"
ANSWER_LIMIT = 120  # seconds


def left_out(vector):
    """Why this vector is not run, or None."""
    # A row of the table begins with the id; other rows may mention it.
    disputed = f"\n| `{vector['id']}` " in DISPUTED.read_text(encoding="utf-8")
    return "disputed, see DISPUTED.md" if disputed else None


def brief(value):
    return json.dumps(value)[:300]


def differs(want, got, path="", key=None):
    """Yield a line for each place where `got` does not hold what `want` asks."""
    if key in WHOLE:
        if not same(want, got):
            yield f"{path}: want {brief(want)}, got {brief(got)}"
    elif key == "diagnostics":
        yield from diagnostics_differ(want, got, path)
    elif isinstance(want, dict):
        if not isinstance(got, dict):
            yield f"{path}: want an object, got {brief(got)}"
            return
        for name, value in want.items():
            if name not in got:
                yield f"{path}/{name}: missing"
            else:
                yield from differs(value, got[name], f"{path}/{name}", name)
    elif isinstance(want, list):
        if not isinstance(got, list) or len(want) != len(got):
            yield f"{path}: want {brief(want)}, got {brief(got)}"
            return
        for index, (one, other) in enumerate(zip(want, got)):
            yield from differs(one, other, f"{path}/{index}")
    elif not same(want, got):
        yield f"{path}: want {brief(want)}, got {brief(got)}"


def diagnostics_differ(want, got, path):
    if not want and got:
        yield f"{path}: want none, got {brief(got)}"
    for item in want:
        if all(list(differs(item, one)) for one in got or []):
            yield f"{path}: nothing like {brief(item)} in {brief(got)}"


def same(want, got):
    """Equal as JSON: to Python, True is 1."""
    if isinstance(want, bool) or isinstance(got, bool):
        return want is got
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(same(want[k], got[k]) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(same, want, got))
    return want == got


class HostDied(Exception):
    pass


class Host:
    """A running host program."""

    def __init__(self, command):
        self.errors = tempfile.TemporaryFile()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self.errors)

    def ask(self, kind, value):
        """Send one request, bytes or something as JSON, and return the kind of the answer and its text."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        watchdog = threading.Timer(ANSWER_LIMIT, self.process.kill)
        watchdog.start()
        try:
            self.process.stdin.write(b"%s %d\n%s\n" % (kind.encode(), len(body), body))
            self.process.stdin.flush()
            head = self.process.stdout.readline().split()
            text = self.process.stdout.read(int(head[1])) if len(head) == 2 else b""
            end = self.process.stdout.read(1)
        except BrokenPipeError:
            end = b""
        finally:
            watchdog.cancel()
        if end != b"\n":
            raise HostDied(self.close())
        return head[0].decode(), text.decode()

    def close(self):
        """Let the host end; what it said when it did not end well, else an empty text."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it has died already; its status says how
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = f"{self.process.wait()} (killed: it did not end)"
        self.process.stdout.close()
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip()
        self.errors.close()
        return f"exit status {status}: {said[:3000]}" if status != 0 or said else ""


def fill(event, places):
    for place in places:
        *parents, last = place["pointer"].strip("/").split("/")
        node = event
        for parent in parents:
            node = node[parent]
        node[last] = place["char"] * place["count"]


def write_plugin(dialect, source):
    """Write a plugin's files; where they are."""
    root = pathlib.Path(source["root"])
    manifest = {"name": source["name"]}
    files = dict(source.get("files", {}))
    files[f"{MANIFEST_FOLDERS.get(dialect, '.claude-plugin')}/plugin.json"] = json.dumps(manifest)
    files["hooks/hooks.json"] = json.dumps(source["settings"])
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return str(root)


def options(vector, folder):
    """The engine options for a vector whose files may lie in `folder`."""
    home, project = os.path.join(folder, ".home"), os.path.join(folder, ".project")
    os.mkdir(home)
    os.mkdir(project)
    return {
        "dialect": vector["dialect"],
        "settings": [
            {"scope": s["scope"], "settings": s["settings"]} for s in vector["sources"] if s["scope"] != "plugin"
        ],
        "plugins": [write_plugin(vector["dialect"], s) for s in vector["sources"] if s["scope"] == "plugin"],
        "trusted": vector.get("trusted", True),
        "project_dir": project,
        "home": home,
    }


def events(vector):
    event = vector["event"]
    fill(event, vector.get("fill", []))
    return [event] + [dict(event, stop_hook_active=True)] * (vector.get("repeat", 1) - 1)


def run(host, vector):
    """Run one vector and return its faults."""
    folder = tempfile.mkdtemp(prefix="vec-")
    try:
        vector = json.loads(json.dumps(vector).replace("{{TMP}}", folder))
        if "llm" in vector:
            host.ask("replies", b"".join(text.encode() + b"\0" for text in vector["llm"]))
        kind, text = host.ask("engine", options(vector, folder))
        if kind != "ready":
            return [f"no engine: {text}"]
        outcomes, began = [], time.monotonic()
        for event in events(vector):
            kind, text = host.ask("event", event)
            if kind != "outcome":
                return [f"no outcome: {text}"]
            outcomes.append(json.loads(text))
        took = (time.monotonic() - began) * 1000
        return list(faults(vector, outcomes, took)) + list(after(vector))
    except HostDied as died:
        return [f"the host died: {died}"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def faults(vector, outcomes, took):
    last = len(outcomes) - 1
    for index, outcome in enumerate(outcomes):
        want = vector["expect_last"] if index == last and "expect_last" in vector else vector["expect"]
        yield from differs(want, outcome)
    if vector.get("diagnostic") and not any(o.get("diagnostics") for o in outcomes):
        yield "diagnostics: empty"
    for bad in vector.get("not_in_reason", []):
        if any(bad in (o.get("reason") or "") for o in outcomes):
            yield f"reason holds {bad!r}"
    if took > vector.get("within_ms", took):
        yield f"took {took:.0f} ms, allowed {vector['within_ms']}"


def after(vector):
    if "after" not in vector:
        return
    time.sleep(vector["after"]["wait_ms"] / 1000)
    for name in vector["after"].get("absent", []):
        if os.path.exists(name):
            yield f"{name} exists"
    for name, text in vector["after"].get("equals", {}).items():
        found = pathlib.Path(name).read_text() if os.path.exists(name) else None
        if found != text:
            yield f"{name} holds {found!r}, not {text!r}"


def work(command, todo, results, ends):
    """Serve vectors from `todo` with one host after the other until none is left."""
    host = Host(command)
    while True:
        try:
            index, vector = todo.get_nowait()
        except queue.Empty:
            break
        try:
            results[index] = run(host, vector)
        except Exception as error:  # a defect of this runner must not pass for a success
            results[index] = [f"{type(error).__name__}: {error}"]
        if host.process.poll() is not None:
            host = Host(command)
    ends.append(host.close())


def read(files):
    for name in files:
        with open(name, encoding="utf-8", newline="\n") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--only", default="", help="run the vectors whose id holds this text")
    parser.add_argument("--start", action="store_true", help="non-blocking calls instead of blocking ones")
    parser.add_argument("host", help="the host program")
    parser.add_argument("files", nargs="+", help="vectors, one JSON object a line")
    arguments = parser.parse_args()
    command = [arguments.host] + ["--start"] * arguments.start
    vectors = [v for v in read(arguments.files) if arguments.only in v["id"]]
    chosen = [vector for vector in vectors if not left_out(vector)]
    for vector in vectors:
        if left_out(vector):
            print(f"left out: {vector['id']} ({vector['dialect']}): {left_out(vector)}")
    todo, results, ends = queue.Queue(), [None] * len(chosen), []
    for item in enumerate(chosen):
        todo.put(item)
    threads = [threading.Thread(target=work, args=(command, todo, results, ends)) for _ in range(arguments.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failed = report(chosen, results)
    for end in filter(None, ends):
        failed += 1
        print(f"a host did not end well: {end}")
    print(f"{len(chosen) - min(failed, len(chosen))} passed, {failed} failed ({len(vectors) - len(chosen)} left out)")
    return 1 if failed or not chosen or len(ends) != len(threads) else 0


def report(vectors, results):
    failed = 0
    for vector, lines in zip(vectors, results):
        if lines == []:
            continue
        failed += 1
        print(f"{vector['id']} ({vector['dialect']}): {vector['note']}")
        for line in lines or ["not run"]:
            print(f"    {line}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
