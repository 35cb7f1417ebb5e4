"""Runs the benchmark; README.md says how."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import artefacts
import machine
import measure
import table
from artefacts import GEMINI, HERE, Artefacts
from goals import GOALS, Goal, cases
from probe import Probe
from sections import sections
from workloads import Files

PEERS = ("Gemini", "aiohttp")


def main() -> None:
    asked = arguments()
    wanted = [goal for goal in GOALS if chosen(goal, asked.only)]
    if not wanted:
        raise SystemExit(f"no such goal: {asked.only}; there are {', '.join(dict.fromkeys(goal.id for goal in GOALS))}")
    if not asked.peers:
        wanted = [goal for goal in wanted if not any(peer in case for case in cases(goal) for peer in PEERS)]
    made = artefacts.build(asked.peers) if asked.setup else Artefacts(artefacts.target() / "bench")
    load = [os.getloadavg()[0]]
    results = all_results(wanted, made, asked.rounds)
    load.append(os.getloadavg()[0])
    rows = [table.row(goal, results) for goal in wanted]
    text = report(rows, made, asked, load)
    print(text)
    if asked.write_results:
        head = "# Results\n\nWritten by `tests/bench/run.sh`; README.md says how to read it."
        (HERE / "RESULTS.md").write_text(f"{head}\n\n{text}\n")


def arguments() -> argparse.Namespace:
    about = "Measures Crosshook beside its floor and its peers."
    parser = argparse.ArgumentParser(prog="tests/bench/run.sh", description=about)
    parser.add_argument("--rounds", type=int, default=20, help="how often everything is measured (20)")
    parser.add_argument("--only", type=lambda text: text.split(","), help="these goals only: P1,P8,lag")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="installs and measures no other product")
    parser.add_argument("--no-setup", dest="setup", action="store_false", help="uses what an earlier run has built")
    parser.add_argument("--write-results", action="store_true", help="writes tests/bench/RESULTS.md")
    return parser.parse_args()


def chosen(goal: Goal, only: list[str] | None) -> bool:
    return only is None or goal.id in only


def all_results(wanted: list[Goal], made: Artefacts, rounds: int) -> measure.Results:
    needed = set().union(*(cases(goal) for goal in wanted))

    def launch(kind: str) -> Probe:
        return Probe(made.command(kind), made.node, made.env())

    results: measure.Results = {}
    with http_hook(made) as port:
        for section in sections(Files(made.home / "files", made.programs), made.python, port):
            if needed & section.cases.keys():
                measure.settle()
                results |= measure.run(section, needed, rounds, launch)
    return results


@contextmanager
def http_hook(made: Artefacts) -> Iterator[str]:
    """The web service that answers HTTP hooks; gives its port."""
    server = subprocess.Popen([made.engine, "server"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def report(rows: list[table.Row], made: Artefacts, asked: argparse.Namespace, load: list[float]) -> str:
    facts = machine.facts(made.python, GEMINI if asked.peers else "no Gemini CLI")
    facts["load"] = f"{load[0]:.1f} before, {load[1]:.1f} after, of which the bench itself makes about 2"
    facts["command"] = " ".join(["tests/bench/run.sh", *sys.argv[1:]])
    about = "\n".join(f"- {name}: {what}" for name, what in facts.items())
    return f"{about}\n\n{table.text(rows)}\n\n{table.verdict(rows)}"


if __name__ == "__main__":
    main()
