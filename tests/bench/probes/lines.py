"""The line protocol of the probes written in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable

Case = Callable[..., "list[float]"]


def serve(cases: dict[str, Case]) -> None:
    """Answers lines of fields between tabs, `case n argument...`, each with figures, or with `! what failed`."""
    for line in sys.stdin:
        case, n, *rest = line.rstrip("\n").split("\t")
        try:
            answer = " ".join(map(str, cases[case](int(n), *rest)))
        except Exception as error:
            answer = f"! {type(error).__name__}: {error}".replace("\n", " ")
        print(answer, flush=True)
