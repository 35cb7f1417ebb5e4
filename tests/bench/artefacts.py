"""Builds and installs what the probes need, all of it below target/bench."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from workloads import SHELL_VARIABLE

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROBES = HERE / "probes"
GEMINI = "@google/gemini-cli-core@0.61.0"
BARE = ("-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector")
LIBRARIES = ("-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl")


@dataclass(frozen=True)
class Artefacts:
    """Where everything is."""

    home: Path

    @property
    def programs(self) -> Path:
        return self.home / "bin"

    @property
    def python(self) -> str:
        return str(self.home / "venv/bin/python")

    @property
    def node(self) -> Path:
        """The folder with node_modules."""
        return self.home / "node"

    @property
    def engine(self) -> str:
        return str(self.programs / "engine-probe")

    def command(self, kind: str) -> list[str]:
        """How the probe of a kind is started, in `node`."""
        node = {"node": "ours.mjs", "node-peer": "peer.mjs", "gemini": "gemini.mjs"}
        python = {"python": "ours.py", "python-peer": "peer.py", "aiohttp": "peer.py"}
        if kind in node:
            return ["node", str(PROBES / node[kind])]
        if kind in python:
            return [self.python, str(PROBES / python[kind])]
        return [str(self.programs / {"floor": "floor", "C": "ours", "engine": "engine-probe"}[kind])]

    def env(self) -> dict[str, str]:
        # Without SHLVL, a bash that Node starts takes itself for one that rshd has started, and reads ~/.bashrc.
        return {**os.environ, **SHELL_VARIABLE, "SHLVL": "1", "PYTHONPATH": str(self.programs)}


def target() -> Path:
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()


def build(peers: bool) -> Artefacts:
    """Builds everything; what is up to date already costs seconds."""
    made = Artefacts(target() / "bench")
    for folder in (made.programs, made.node):
        folder.mkdir(parents=True, exist_ok=True)
    c(made)
    rust(made)
    python(made, peers)
    node(made, peers)
    return made


def run(*argv: object, folder: Path = ROOT) -> None:
    """Runs a command whose output counts only when it fails."""
    command = list(map(str, argv))
    print("setting up:", " ".join(command[:6]), file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}\nfailed: {' '.join(command)}")


def c(made: Artefacts) -> None:
    for name, flags in (("floor", ()), ("answer_hook", ()), ("empty_hook", BARE)):
        compile_c(made, name, *flags)
    library = ("--lib", "--crate-type", "staticlib", "--no-default-features", "--features", "capi,http")
    run("cargo", "rustc", "--locked", "--release", "--package", "crosshook", *library)
    compile_c(made, "ours", f"-I{ROOT / 'include'}", target() / "release/libcrosshook.a", *LIBRARIES)


def compile_c(made: Artefacts, name: str, *more: object) -> None:
    cc = os.environ.get("CC", "cc")
    run(cc, "-O2", "-Wall", "-Wextra", "-o", made.programs / name, PROBES / f"{name}.c", *more)


def rust(made: Artefacts) -> None:
    folder = made.home / "cargo"
    # Not --locked: when the core has got another dependency, Cargo.lock gets it too.
    run("cargo", "build", "--release", "--target-dir", folder, "--manifest-path", HERE / "Cargo.toml")
    release = folder / "release"
    copy(release / "engine-probe", made.programs / "engine-probe")
    copy(release / "libcrossing_python.so", made.programs / "crossing_python.abi3.so")
    copy(release / "libcrossing_node.so", made.node / "crossing_node.node")


def copy(source: Path, to: Path) -> None:
    """Replaces a file that may be running or loaded."""
    to.unlink(missing_ok=True)
    shutil.copy2(source, to)


def python(made: Artefacts, peers: bool) -> None:
    if not Path(made.python).exists():
        run(sys.executable, "-m", "venv", made.home / "venv")
    pip = (made.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--force-reinstall", "--no-deps", ROOT / "bindings-python")
    if peers:
        run(*pip, "aiohttp>=3.9,<4")


def node(made: Artefacts, peers: bool) -> None:
    package = ROOT / "bindings-node"
    run("npm", "run", "build", folder=package)
    for old in made.node.glob("crosshook-*.tgz"):
        old.unlink()
    run("npm", "pack", "--pack-destination", made.node, folder=package)
    tarball = next(made.node.glob("crosshook-*.tgz"))
    manifest = made.node / "package.json"
    if not manifest.exists():
        manifest.write_text('{"private": true}\n')
    install = ("npm", "install", "--no-audit", "--no-fund", "--no-save", "--omit=optional", "--ignore-scripts")
    # One call: npm removes what neither package.json nor this call names.
    run(*install, tarball, *([GEMINI] if peers else []), folder=made.node)
