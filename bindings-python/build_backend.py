"""The build backend (PEP 517): maturin's, but for the source package, whose Cargo.lock it makes fit.

maturin leaves the crate of the npm package out of the workspace that it packs, and packs the lock file of the whole
workspace; cargo would have to change that one, which ``--locked`` forbids.
"""

from __future__ import annotations

import gzip
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    build_editable,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    name: str = maturin.build_sdist(sdist_directory, config_settings)
    with tempfile.TemporaryDirectory() as folder:
        trim_lock(Path(sdist_directory, name), Path(folder))
    return name


def trim_lock(archive: Path, folder: Path) -> None:
    """Let cargo take out of the packed Cargo.lock what the packed workspace does not need; versions stay."""
    with tarfile.open(archive) as packed:
        members = packed.getmembers()
        packed.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else packed.extractall(folder)
    (root,) = folder.iterdir()
    command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", str(root / "Cargo.toml")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    lock = root / "Cargo.lock"
    # No time of today, so that the same sources give the same archive.
    with gzip.GzipFile(archive, "wb", mtime=0) as file, tarfile.open(fileobj=file, mode="w") as packed:
        for member in members:
            path = folder / member.name
            if path == lock:
                member.size = lock.stat().st_size
            if member.isfile():
                with path.open("rb") as data:
                    packed.addfile(member, data)
            else:
                packed.addfile(member)
