"""The command line: ``crosshook``, or ``python -m crosshook``."""

from __future__ import annotations

import sys

from ._native import _main


def main() -> None:
    """Runs the command line with the arguments of this process, and exits with its status."""
    sys.stdout.flush()
    sys.exit(_main(["crosshook", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
