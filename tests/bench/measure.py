"""Runs cases in turns and keeps what they gave."""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from probe import Failed, Probe

Launch = Callable[[str], Probe]


@dataclass(frozen=True)
class Case:
    """One thing to measure. `probe` names the process: a kind, and a word of its own where it must be another one."""

    probe: str
    request: tuple[str, ...]
    n: int = 5
    # The process is made anew for every round.
    fresh: bool = False


@dataclass
class Section:
    """Cases that are measured together, in one run."""

    name: str
    cases: dict[str, Case]
    # Of the rounds that were asked for, for what takes seconds a round.
    share: float = 1.0
    # All probes rest for so many seconds before each case.
    idle: float = 0.0
    # Megabytes that a probe touches first.
    ballast: dict[str, int] = field(default_factory=dict)


@dataclass
class Samples:
    """What one case gave: all figures, and the median of each round."""

    all: list[float] = field(default_factory=list)
    rounds: list[float] = field(default_factory=list)

    def add(self, figures: list[float]) -> None:
        self.all += figures
        self.rounds.append(statistics.median(figures))

    def quantile(self, part: float) -> float:
        ordered = sorted(self.all)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


Results = dict[str, "Samples | Failed"]


def run(section: Section, wanted: Iterable[str], rounds: int, launch: Launch) -> Results:
    """Measures the wanted cases of a section: every round has each of them once, in another order."""
    cases = {name: section.cases[name] for name in section.cases if name in set(wanted)}
    rounds = min(rounds, max(3, round(rounds * section.share)))
    load = os.getloadavg()[0]
    print(f"{section.name}: {len(cases)} cases, {rounds} rounds, load {load:.1f}", file=sys.stderr, flush=True)
    results: Results = {}
    probes = Probes(section, launch)
    try:
        for name, case in cases.items():
            attempt(results, name, partial(probes.warm, case))
        for _ in range(rounds):
            order = [name for name in cases if not isinstance(results.get(name), Failed)]
            random.shuffle(order)
            if section.idle:
                time.sleep(section.idle)
            for name in order:
                attempt(results, name, partial(probes.measure, cases[name]))
    finally:
        probes.close()
    return results


def settle(limit: float = 10) -> None:
    """Waits until the CPUs have been idle for a moment; not for ever, where others work."""
    until = time.monotonic() + limit
    while busy(0.3) > 0.15 and time.monotonic() < until:
        pass


def busy(seconds: float) -> float:
    """The share of the CPUs' time that was used."""

    def spent() -> tuple[int, int]:
        times = [int(part) for part in Path("/proc/stat").read_text().split(maxsplit=9)[1:9]]
        return sum(times), times[3] + times[4]  # idle, and waiting for a disk

    before = spent()
    time.sleep(seconds)
    after = spent()
    return 1 - (after[1] - before[1]) / max(1, after[0] - before[0])


def attempt(results: Results, name: str, work: Callable[[], list[float] | None]) -> None:
    try:
        figures = work()
    except Failed as failure:
        results[name] = failure
        return
    if figures is not None:
        samples = results.setdefault(name, Samples())
        assert isinstance(samples, Samples)
        samples.add(figures)


class Probes:
    """The processes of one section."""

    def __init__(self, section: Section, launch: Launch) -> None:
        self.section, self.launch = section, launch
        self.alive: dict[str, Probe] = {}

    def get(self, name: str) -> Probe:
        if name not in self.alive:
            try:
                self.alive[name] = self.launch(name.split(" ")[0])
            except OSError as error:
                raise Failed(str(error)) from error
            if name in self.section.ballast:
                self.alive[name].ask("ballast", self.section.ballast[name])
        return self.alive[name]

    def warm(self, case: Case) -> None:
        if not case.fresh:
            self.ask(case, 1)

    def measure(self, case: Case) -> list[float]:
        if case.fresh and case.probe in self.alive:
            self.alive.pop(case.probe).close()
        return self.ask(case, case.n)

    def ask(self, case: Case, n: int) -> list[float]:
        probe = self.get(case.probe)
        try:
            return probe.ask(case.request[0], n, *case.request[1:])
        except Failed:
            if not probe.lives():  # the other cases get another one
                self.alive.pop(case.probe).close()
            raise

    def close(self) -> None:
        for probe in self.alive.values():
            probe.close()
