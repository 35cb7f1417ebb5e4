"""Tests of the benchmark itself, in seconds: its tables fit together, its sums are right, and the floor runs hooks.

usage: python3 tests/bench/test_bench.py        needs a C compiler
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import table
from artefacts import BARE, PROBES
from goals import GOALS, Goal, cases
from measure import Case, Results, Samples, Section, run
from probe import Failed, Probe
from sections import floor, sections
from workloads import HOOK, KIB, Files, event, patterns

SH = ("/bin/sh", "-c")


def samples(*rounds: list[float]) -> Samples:
    found = Samples()
    for one in rounds:
        found.add(one)
    return found


class Tables(unittest.TestCase):
    def test_every_goal_compares_cases_that_there_are(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            known = {case for section in sections(Files(path, path), "python3", "80") for case in section.cases}
        self.assertEqual({goal.what: cases(goal) - known for goal in GOALS if cases(goal) - known}, {})

    def test_events_have_the_size_that_was_asked_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for size in (KIB, KIB * KIB):
                written = Path(Files(Path(folder), Path(folder)).event(size)).stat().st_size
                self.assertTrue(0.9 * size < written <= size, written)
        self.assertEqual(event(KIB, "Absent")["tool_name"], "Absent")
        self.assertEqual(len(set(patterns(100))), 91)  # ten are the same "Write|Edit"


class Ratios(unittest.TestCase):
    GOAL = Goal("P0", "ours / floor", "a/ours", "a/floor", 2)

    def holds(self, goal: Goal, **results: Samples | Failed) -> table.Row:
        return table.row(goal, {f"a/{case}": found for case, found in results.items()})

    def test_the_ratio_is_that_within_each_round(self) -> None:
        # A disturbed round, in which both take ten times as long, changes nothing.
        row = self.holds(self.GOAL, ours=samples([15], [150], [15]), floor=samples([10], [100], [10]))
        self.assertEqual(row.cells, ("P0", "ours / floor", "15 ns", "10 ns", "1.500", "1.500", "<= 2", "yes"))

    def test_a_steady_floor_lets_the_median_decide_and_an_unsteady_one_the_quick_runs(self) -> None:
        ours = samples([15], [30], [30], [30], [30])
        steady = self.holds(self.GOAL, ours=ours, floor=samples([10], [10], [10], [10], [11]))
        self.assertEqual((steady.holds, steady.cells[-1], steady.cells[4]), (False, "no", "3.000"))
        unsteady = self.holds(self.GOAL, ours=ours, floor=samples([10], [10], [10], [10], [90]))
        self.assertEqual((unsteady.holds, unsteady.cells[-1], unsteady.cells[5]), (True, "yes *", "1.500"))

    def test_sums_differences_and_fixed_times(self) -> None:
        goal = Goal("P0", "", {"a/with": 1, "a/without": -1}, 5e6, 1)
        row = self.holds(goal, **{"with": samples([30e6], [34e6]), "without": samples([26e6], [28e6])})
        self.assertEqual((row.holds, row.cells[2], row.cells[4]), (True, "5 ms", "1.000"))

    def test_what_failed_is_neither_held_nor_missed(self) -> None:
        row = self.holds(self.GOAL, ours=Failed("no such program"), floor=samples([10]))
        self.assertIsNone(row.holds)
        text = table.text([row])
        self.assertIn("| not measured |", text)
        self.assertIn("no such program", text)
        self.assertEqual(table.verdict([row]), "0 of 1 hold, 0 do not, 1 were not measured")


class Floor(unittest.TestCase):
    """The driver with real probes: the floor in C, and hooks that it runs."""

    folder: tempfile.TemporaryDirectory[str]
    path: Path
    files: Files

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        for name, flags in (("floor", ()), ("empty_hook", BARE)):
            cc = (os.environ.get("CC", "cc"), "-O2", "-Wall", "-Wextra", "-Werror", *flags)
            subprocess.run([*cc, "-o", cls.path / name, PROBES / f"{name}.c"], check=True)
        cls.files = Files(cls.path / "files", cls.path)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def launch(self, kind: str) -> Probe:
        return Probe([str(self.path / kind)], self.path, dict(os.environ))

    def test_rounds_of_hooks(self) -> None:
        small, large = self.files.event(KIB), self.files.event(4 * KIB * KIB)
        measured = {
            "sh": floor(small, *SH, HOOK, n=2),
            "empty": floor(small, self.files.empty, n=2),
            "eight": floor(large, *SH, HOOK, count=8, n=1),
            "splice": floor(large, *SH, 'test "$(wc -c)" -gt 4000000 && echo whole', mode="vmsplice", n=1),
            "not asked": Case("floor", ("no such case",)),
        }
        wanted = ["sh", "empty", "eight", "splice"]
        found = self.measured(run(Section("test", measured), wanted, 2, self.launch))
        counts = {name: len(one.all) for name, one in found.items()}
        self.assertEqual(counts, {"sh": 4, "empty": 4, "eight": 2, "splice": 2})
        self.assertTrue(all(figure > 10_000 for one in found.values() for figure in one.all))
        self.assertLess(found["empty"].quantile(0.1), found["sh"].quantile(0.1))

    def test_a_worker_answers_each_round_trip(self) -> None:
        small, script = self.files.event(KIB), self.files.worker()
        measured = {
            "lasting": Case("floor", ("worker", small, sys.executable, "-I", script), 20),
            "anew": floor(small, sys.executable, "-I", script, n=1),
        }
        found = self.measured(run(Section("test", measured), measured, 2, self.launch))
        self.assertEqual({name: len(one.all) for name, one in found.items()}, {"lasting": 40, "anew": 2})
        self.assertLess(found["lasting"].quantile(0.5) * 5, found["anew"].quantile(0.1))

    def measured(self, results: Results) -> dict[str, Samples]:
        self.assertEqual([found for found in results.values() if isinstance(found, Failed)], [])
        return {name: found for name, found in results.items() if isinstance(found, Samples)}

    def test_a_case_that_fails_harms_no_other(self) -> None:
        small = self.files.event(KIB)
        measured = {
            "unknown": Case("floor", ("no such case",)),
            "fails": floor(small, *SH, "exit 3"),  # ends the probe
            "missing": Case("nobody", ("spawn",)),
            "good": floor(small, self.files.empty, n=1),
        }
        results = run(Section("test", measured), measured, 1, self.launch)
        self.assertIn("no such case", str(results["unknown"]))
        self.assertIn("the program failed", str(results["fails"]))
        self.assertIn("nobody", str(results["missing"]))
        self.assertEqual(len(self.measured({"good": results["good"]})["good"].all), 1)


if __name__ == "__main__":
    unittest.main()
