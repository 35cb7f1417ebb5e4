#!/usr/bin/env python3
"""A host in one further language, by foreign function calls alone: Python's ctypes on the shared C library.

usage: ctypes_host.py LIBRARY [HEADER]

Numbers come from the header, by default include/crosshook.h. (The Python package does not work like this: it has a binding of its own.) Prints
"N passed, N failed". Python 3 standard library only.
"""
import ctypes
import json
import pathlib
import re
import sys
import threading
from ctypes import POINTER, byref, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

HEADER = (
    pathlib.Path(sys.argv[2])
    if len(sys.argv) > 2
    else pathlib.Path(__file__).resolve().parent.parent.parent / "include" / "crosshook.h"
)
NUMBERS = {
    name: int(number)
    for name, number in re.findall(
        r"\b(CROSSHOOK_\w+)(?: =)? (\d+)\b", HEADER.read_text(encoding="utf-8")
    )
}
EVENT = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {}}
DENY = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}


class Str(ctypes.Structure):
    """crosshook_str"""

    _fields_ = [("data", c_void_p), ("len", c_size_t)]

    def text(self):
        return ctypes.string_at(self.data, self.len).decode() if self.len else ""


class Buf(Str):
    """crosshook_buf"""


def lend(value):
    """A text, or something as JSON, as an argument. The bytes live as long as the result."""
    data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    text = Str(ctypes.cast(c_char_p(data), c_void_p), len(data))
    text.keep = data
    return text


Free = ctypes.CFUNCTYPE(None, c_void_p)
Host = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
Done = ctypes.CFUNCTYPE(None, c_void_p, c_int32, Str, c_void_p)
Listener = ctypes.CFUNCTYPE(None, c_void_p, Str)
ERROR = POINTER(c_void_p)
SIGNATURES = {
    "abi_version": (c_uint32, []),
    "version": (Str, []),
    "status_code": (Str, [c_int32]),
    "engine_new": (c_int32, [Str, POINTER(c_void_p), ERROR]),
    "engine_new_with_host": (c_int32, [Str, Host, c_void_p, Free, POINTER(c_void_p), ERROR]),
    "engine_free": (None, [c_void_p]),
    "dispatch": (c_int32, [c_void_p, Str, POINTER(Buf), ERROR]),
    "start": (c_int32, [c_void_p, Str, Done, c_void_p, Free, POINTER(c_void_p), ERROR]),
    "run_wait": (c_int32, [c_void_p, c_int64, POINTER(c_bool), ERROR]),
    "run_free": (None, [c_void_p]),
    "register_function": (c_int32, [c_void_p, Str, POINTER(Buf), ERROR]),
    "watch": (c_int32, [c_void_p, Listener, c_void_p, Free, POINTER(c_uint64), ERROR]),
    "unwatch": (c_int32, [c_void_p, c_uint64, POINTER(c_bool), ERROR]),
    "request_json": (Str, [c_void_p]),
    "request_kind": (c_int32, [c_void_p]),
    "request_reply": (None, [c_void_p, Str]),
    "request_fail": (None, [c_void_p, Str]),
    "error_code": (Str, [c_void_p]),
    "error_message": (Str, [c_void_p]),
    "error_free": (None, [c_void_p]),
    "buf_free": (None, [POINTER(Buf)]),
    "shutdown": (c_int32, [ERROR]),
}


class Failed(Exception):
    """A call that failed; the first argument is its code."""


class Library:
    def __init__(self, path):
        library = ctypes.CDLL(path)
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(library, f"crosshook_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def check(self, function, *arguments):
        """Make a fallible call; raise what it fails with."""
        error = c_void_p()
        status = function(*arguments, byref(error))
        if status != NUMBERS["CROSSHOOK_STATUS_OK"]:
            code, message = self.error_code(error).text(), self.error_message(error).text()
            assert code == self.status_code(status).text()
            self.error_free(error)
            raise Failed(code, message)

    def json(self, function, *arguments):
        """Make a call whose result is JSON."""
        buf = Buf()
        self.check(function, *arguments, byref(buf))
        value = json.loads(buf.text())
        self.buf_free(byref(buf))
        return value

    def engine(self, options):
        engine = c_void_p()
        self.check(self.engine_new, lend(options), byref(engine))
        return engine

    def hosted(self, answer):
        """An engine with a function hook for Bash; `answer` gets the request as a dict, and gives the answer."""

        @Host
        def host(_, request):
            try:
                question = json.loads(self.request_json(request).text())
                assert self.request_kind(request) == NUMBERS["CROSSHOOK_KIND_FUNCTION"]
                said = lend(answer(question))
            except Exception as error:  # nothing may leave a callback
                self.request_fail(request, lend(repr(error)))
            else:
                self.request_reply(request, said)

        freed = threading.Event()
        free = Free(lambda _: freed.set())
        engine = c_void_p()
        options = lend({"dialect": "codebuddy", "settings": {}})
        self.check(self.engine_new_with_host, options, host, None, free, byref(engine))
        engine.keep, engine.freed = (host, free), freed
        self.json(self.register_function, engine, lend({"event": "PreToolUse", "matcher": "Bash"}))
        return engine


def versions(library):
    assert library.abi_version() == NUMBERS["CROSSHOOK_ABI_VERSION"]
    assert f'#define CROSSHOOK_VERSION "{library.version().text()}"' in HEADER.read_text(encoding="utf-8")


def command_hooks(library):
    hook = {"type": "command", "command": "echo 'not today' >&2; exit 2"}
    engine = library.engine({"dialect": "codebuddy", "settings": {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}})
    outcome = library.json(library.dispatch, engine, lend(EVENT))
    assert (outcome["decision"], outcome["reason"]) == ("deny", "not today"), outcome
    library.engine_free(engine)


def errors(library):
    try:
        library.engine({"dialect": "esperanto"})
    except Failed as failed:
        assert failed.args[0] == "invalid_options" and "esperanto" in failed.args[1], failed
    else:
        raise AssertionError("there is no such dialect")


def functions(library):
    engine = library.hosted(lambda question: DENY if question["event"]["tool_name"] == "Bash" else "")
    outcome = library.json(library.dispatch, engine, lend(EVENT))
    assert outcome["decision"] == "deny", outcome
    library.engine_free(engine)
    assert engine.freed.wait(10)


def functions_that_raise(library):
    engine = library.hosted(lambda question: question["no such key"])
    outcome = library.json(library.dispatch, engine, lend(EVENT))
    assert outcome["decision"] == "none" and outcome["hooks"][0]["status"] == "error", outcome
    assert "no such key" in json.dumps(outcome["diagnostics"]), outcome
    library.engine_free(engine)
    assert engine.freed.wait(10)


def runs_and_listeners(library):
    engine = library.hosted(lambda question: DENY)
    notices, results, number, found = [], [], c_uint64(), c_bool()
    listener = Listener(lambda _, notice: notices.append(json.loads(notice.text())["type"]))
    done = Done(lambda _, status, outcome, error: results.append((status, json.loads(outcome.text()))))
    library.check(library.watch, engine, listener, None, Free(), byref(number))
    run, finished = c_void_p(), c_bool()
    library.check(library.start, engine, lend(EVENT), done, None, Free(), byref(run))
    library.check(library.run_wait, run, 20000, byref(finished))
    library.run_free(run)
    library.check(library.unwatch, engine, number, byref(found))
    assert finished.value and found.value
    assert results[0][0] == NUMBERS["CROSSHOOK_STATUS_OK"] and results[0][1]["decision"] == "deny", results
    assert notices == ["started", "finished"], notices
    library.engine_free(engine)
    assert engine.freed.wait(10)


def main():
    library = Library(sys.argv[1])
    failed = 0
    tests = [versions, command_hooks, errors, functions, functions_that_raise, runs_and_listeners]
    for test in tests:
        try:
            test(library)
        except Exception as error:
            failed += 1
            print(f"FAILED {test.__name__}: {type(error).__name__}: {error}")
    library.check(library.shutdown)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
