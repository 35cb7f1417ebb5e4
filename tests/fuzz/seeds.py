#!/usr/bin/env python3
"""Writes the seeds below tests/fuzz/seeds anew: from tests/vectors, and by hand what these do not have.

The files are committed; run this again when the vectors have changed or a dialect was added. Seeds named DIALECT-fixed-NAME
are inputs that once failed; they stay.
"""

import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors"
SEEDS = HERE / "seeds"
PER_DIALECT = 24
LARGEST = 1500
CUT, SUB = b"\x1e", b"\x1f"


def tables():
    """What the crate says of its dialects, in the order that the first byte of a seed counts in."""
    command = "cargo test -q --locked -p crosshook --features internals,capi --test fuzz_corpus -- --ignored --nocapture tables"
    printed = subprocess.run(command.split(), cwd=HERE.parent.parent, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(next(line for line in printed.splitlines() if line.startswith("[")))


TABLES = tables()


def events(dialect):
    """The names of a dialect's events in the order of its table."""
    return next(table["events"] for table in TABLES if table["name"] == dialect)


def in_file(dialect, hooks):
    """Settings with these hooks, by event."""
    path = next(table["events_path"] for table in TABLES if table["name"] == dialect)
    return {"hooks": {"enabled": True, "events": hooks} if "events" in path else hooks}


def vectors(dialect):
    path = VECTORS / f"{dialect}.jsonl"
    lines = path.read_text().split("\n") if path.exists() else []
    return [json.loads(line) for line in lines if line.strip()]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def spread(seeds, count=PER_DIALECT):
    """At most `count` different ones, evenly from the whole list; the short ones."""
    unique = [seed for seed in dict.fromkeys(seeds) if len(seed) <= LARGEST]
    step = max(1, len(unique) // count)
    return unique[::step][:count]


def printed(vector):
    """What the hooks of a vector print: the quoted texts of its printf commands."""
    text = json.dumps(vector["sources"])
    commands = [json.loads(f'"{found}"') for found in re.findall(r'"command": "((?:[^"\\]|\\.)*)"', text)]
    found = []
    for command in commands:
        found += re.findall(r"printf '%s' '([^']*)'(?! *>&2)", command)
    return [one for one in found if one]


def settings(index, dialect):
    seeds = []
    for vector in vectors(dialect):
        for source in vector["sources"]:
            if isinstance(source.get("settings"), dict):
                seeds.append(bytes([index]) + compact(source["settings"]))
    return spread(seeds)


def stdout(index, dialect):
    names = events(dialect)
    seeds = []
    for vector in vectors(dialect):
        name = vector["event"].get("hook_event_name") or vector["event"].get("hookEventName")
        if name not in names or not (texts := printed(vector)):
            continue
        first, *more = [text.encode() for text in texts]
        head = bytes([index, names.index(name), 0, 0])
        seeds.append(head + first + CUT + b"why" + b"".join(CUT + text for text in more))
    return spread(seeds, 40)


def recording(index, dialect):
    # What stands behind the choices of a seed for `stdout`, and a damage: a place, a length, nothing in its stead.
    def damaged(number, seed):
        head, outputs = seed[:4], seed[4:].split(CUT)
        return head + bytes([(number * 23) % 256, number % 4]) + CUT.join([b"", outputs[0], *outputs[2:]])

    return [damaged(number, seed) for number, seed in enumerate(stdout(index, dialect)[::3])]


def event(index, dialect):
    return spread([bytes([index]) + compact(vector["event"]) for vector in vectors(dialect)])


def matcher(index, dialect):
    seeds = []
    for vector in vectors(dialect):
        for pattern in re.findall(r'"matcher": "((?:[^"\\]|\\.)*)"', json.dumps(vector["sources"], ensure_ascii=False)):
            name = str(vector["event"].get("tool_name") or vector["event"].get("toolName") or "Bash")
            pattern = json.loads(f'"{pattern}"')
            seeds.append(bytes([index]) + pattern.encode() + CUT + name.encode())
    hard = ["(a*)*$", "(a|a)+b", r"(a+)+\1\1$", "(?=(a+))a*b\\1", "[^]", "(?<x>a)\\k<x>", "\\u{61}", "a{1000}{1000}", "^(?!Bash)"]
    seeds += [bytes([index]) + pattern.encode() + CUT + b"a" * 24 for pattern in hard]
    return spread(seeds, 32)


FRONTMATTER = [
    "---\nname: a\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: echo hi\n---\nText\n",
    "---\nname: s\ncontext: fork\nhooks:\n  Stop:\n    - hooks: [{type: command, command: 'exit 2', timeout: 5}]\n---\n",
    "---\nhooks: &h\n  PreToolUse: &g\n    - hooks: &i\n        - {type: command, command: a}\n  PostToolUse: *g\n---\n",
    "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: |\n            one\n            two\n---\n",
    "---\nhooks: [1, 2\n---\n",
    "---\r\nname: crlf\r\nhooks:\r\n  PreToolUse: []\r\n---\r\n",
    "\ufeff---\nhooks: !!str x\n...\n",
    "---\nhooks:\n  PreToolUse: nothing\n  Stop:\n    - hooks:\n        - type: prompt\n          prompt: ok?\n---\n",
    "no frontmatter\n",
]


def frontmatter(index, dialect):
    seeds = [bytes([index, owner, 1]) + text.encode() for owner in (0, 1) for text in FRONTMATTER]
    for vector in vectors(dialect):
        for source in vector["sources"]:
            hooks = (source.get("settings") or {}).get("hooks")
            hooks = hooks.get("events", hooks) if isinstance(hooks, dict) else None
            if hooks and len(compact(hooks)) < 600:
                seeds.append(bytes([index, 0, 0]) + CUT + compact(hooks))
    return spread(seeds, 30)


def capi(index, dialect):
    names = events(dialect)
    ends = next((name for name in ("Stop", "AfterAgent") if name in names), names[0])
    options = compact({"dialect": dialect, "settings": in_file(dialect, {}), "project_dir": "/", "home": "/nowhere", "env": {}})
    command = {"hooks": [{"type": "command", "command": "exit 2"}]}
    prompt = {"hooks": [{"type": "prompt", "prompt": "ok?"}]}
    ask = compact({"hook_event_name": names[0], "session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {}})
    stop = compact({"hook_event_name": ends, "session_id": "s", "cwd": "/"})
    file = compact(in_file(dialect, {names[0]: [command, prompt], ends: [prompt]}))
    function = compact({"event": names[0], "matcher": "Bash", "name": "f"})
    scope = compact({"owner": "agent", "source": "builtin", "text": FRONTMATTER[0]})
    programs = [
        [b"N" + options, b"L", b"G", b"X" + ask, b"D" + ask, b"!"],
        [b"N" + options, b"F" + function, b"D" + ask, b'r{"decision":"block","reason":"no"}', b"P" + ask, b"fbroken", b"u"],
        [b"N" + options, b"Rs" + SUB + file, b"D" + ask, b"P" + stop, b'r{"ok":false}', b't{"ok":true}', b"B", b"l", b"E" + b"s"],
        [b"N" + options, b"O" + scope, b"L", b"X" + ask, b"D" + ask, b"u", b"C" + b"x", b"H", b"h"],
        [b"N" + options, b"Ss" + SUB + b"tests pass", b"D" + stop, b'r{"ok":false,"reason":"red"}', b"Qs", b"ns", b"Ks", b"Ts" + SUB + b"{}"],
        [b"N" + options, b"k", b"F" + function, b"D" + ask, b"d", b"j", b"Z", b"D" + ask, b"W", b"gabc", b"vabc", b"b", b"w"],
        [b"N" + options, b"M" + compact({"hook_event_name": "MessageDisplay", "session_id": "s", "cwd": "/"}), b"pHello", b"p there", b"e", b"a"],
        [b"N" + options, b'V{"event":"Stop","decision":"block","reason":"r","additional_context":["c"]}', b"D\xff", b"N{", b"z"],
    ]
    return [CUT.join(program) for program in programs]


def main():
    for old in SEEDS.glob("*/*"):
        if "-fixed-" not in old.name:
            old.unlink()
    total = 0
    for make in (settings, stdout, matcher, frontmatter, event, recording, capi):
        folder = SEEDS / make.__name__
        folder.mkdir(parents=True, exist_ok=True)
        for index, dialect in enumerate(table["name"] for table in TABLES):
            for number, seed in enumerate(make(index, dialect)):
                (folder / f"{dialect}-{number:02}").write_bytes(seed)
                total += len(seed)
        print(f"{make.__name__}: {len(list(folder.iterdir()))} seeds")
    print(f"{total} bytes")


if __name__ == "__main__":
    main()
