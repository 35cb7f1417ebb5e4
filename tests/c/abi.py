#!/usr/bin/env python3
"""The binary interface, compared with its record abi.txt.

usage: abi.py CC LIBRARY WORK_FOLDER [RECORD]

What is recorded: the exported functions with their signatures, callback types, the numbers of enumerations, and the
sizes, alignments and offsets of structs. Taken from include/crosshook.h, with the library's symbols and the compiler
CC as witnesses. With CROSSHOOK_BLESS=1 in the environment the record is written. Python 3 standard library only.
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
RECORD = HERE / "abi.txt"


def declarations():
    """The header without comments and preprocessor lines, as one line."""
    text = (INCLUDE / "crosshook.h").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#.*(\\\n.*)*$|//.*$", " ", text, flags=re.M)
    return re.sub(r"\s+", " ", text)


def parameter(text):
    """A parameter without its name and without `struct` and `enum`."""
    text = re.sub(r"\b(struct|enum) ", "", text.strip())
    return text if text == "void" else re.sub(r"\w+$", "", text).strip()


def signature(result, name, parameters):
    result = re.sub(r"\b(struct|enum) ", "", result.strip())
    return f"{name}({', '.join(map(parameter, parameters.split(',')))}) -> {result}"


def functions(text):
    found = re.findall(r"((?:const )?(?:struct |enum )?\w+ \**)(crosshook_\w+)\(([^()]*)\);", text)
    return {name: signature(result, name, parameters) for result, name, parameters in found}


def callbacks(text):
    found = re.findall(r"typedef (\w+) \(\*(crosshook_\w+)\)\(([^()]*)\);", text)
    return [signature(result, name, parameters) for result, name, parameters in found]


def enums(text):
    for name, body in re.findall(r"enum (crosshook_\w+)(?: : int32_t)? \{([^{}]*)\}", text):
        for constant, number in re.findall(r"(CROSSHOOK_\w+) = (-?\d+)", body):
            yield name, constant, number


def structs(text):
    for name, body in re.findall(r"typedef struct (crosshook_\w+) \{([^{}]*)\}", text):
        yield name, re.findall(r"(\w+) ?;", body)


def measure(text, compiler, work):
    """What the compiler makes of it, one line a fact."""
    program = ['#include "crosshook.h"', "#include <stdio.h>", "int main(void) {"]

    def show(label, *values):
        program.append(f'    printf("{label}\\n", {", ".join(f"(long)({value})" for value in values)});')

    show("abi %ld", "CROSSHOOK_ABI_VERSION")
    show("pointer: %ld bytes", "sizeof(void *)")
    for name in dict.fromkeys(name for name, _, _ in enums(text)):
        show(f"enum {name}: %ld bytes", f"sizeof({name})")
    for name, constant, _ in enums(text):
        show(f"enum {name}: {constant} = %ld", constant)
    for name, fields in structs(text):
        show(f"struct {name}: %ld bytes, aligned to %ld", f"sizeof({name})", f"_Alignof({name})")
        for field in fields:
            where = f"offsetof({name}, {field})", f"sizeof((({name} *)0)->{field})"
            show(f"struct {name}: {field} at %ld, %ld bytes", *where)
    source, binary = work / "abi.c", work / "abi"
    source.write_text("\n".join(program + ["    return 0;", "}", ""]), encoding="utf-8")
    command = [*compiler.split(), "-std=c11", f"-I{INCLUDE}", str(source), "-o", str(binary)]
    subprocess.run(command, check=True)
    return subprocess.run([binary], check=True, capture_output=True, text=True).stdout.splitlines()


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in lines.stdout.splitlines()}


def differences(before, after):
    """What to do, and why; nothing when the record holds."""
    lost, new = [line for line in before if line not in after], [line for line in after if line not in before]
    yield from (f"- {line}" for line in lost)
    yield from (f"+ {line}" for line in new)
    if any(line.startswith("abi ") for line in lost):
        yield "CROSSHOOK_ABI_VERSION was raised: bless the record."
    elif lost:
        yield "The binary interface has changed: raise CROSSHOOK_ABI_VERSION, or bless when nothing was released yet."
    elif new:
        yield "The binary interface has grown: bless the record."
    if lost or new:
        yield "To bless: CROSSHOOK_BLESS=1 sh tests/run_c.sh"


def main():
    compiler, library, work = sys.argv[1:4]
    record = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else RECORD
    text = declarations()
    declared, symbols = functions(text), exported(library)
    if declared.keys() != symbols:
        print(f"only in the header or only in the library: {sorted(declared.keys() ^ symbols)}")
        return 1
    facts = measure(text, compiler, pathlib.Path(work))
    facts += [f"callback {line}" for line in callbacks(text)]
    facts += [f"function {declared[name]}" for name in sorted(declared)]
    for kind, least in {"enum": 15, "struct": 6, "callback": 5, "function": 40}.items():
        if sum(fact.startswith(kind) for fact in facts) < least:
            print(f"the header was not understood: too few lines begin with {kind}")
            return 1
    if os.environ.get("CROSSHOOK_BLESS") == "1":
        record.write_text("\n".join(facts) + "\n", encoding="utf-8")
    found = list(differences(record.read_text(encoding="utf-8").splitlines(), facts))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
