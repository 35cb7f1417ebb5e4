"""Checks that workflows are YAML of the form that GitHub expects: triggers, jobs, steps, and what jobs need.

usage: workflows.py FILE...
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml


def faults(workflow: dict[Any, Any]) -> list[str]:
    # `on` is true in YAML 1.1.
    wrong = [] if workflow.get("on", workflow.get(True)) else ["there is no `on`"]
    if "permissions" not in workflow:
        wrong.append("there is no `permissions`: say what the jobs may do")
    jobs = workflow.get("jobs") or {}
    for name, job in jobs.items():
        needs = job.get("needs", [])
        for other in [needs] if isinstance(needs, str) else needs:
            if other not in jobs:
                wrong.append(f"{name} needs {other}, which is not there")
        if "uses" in job:
            continue
        if "runs-on" not in job or not job.get("steps"):
            wrong.append(f"{name} has no `runs-on` or no steps")
        for number, step in enumerate(job.get("steps", []), 1):
            if ("uses" in step) == ("run" in step):
                wrong.append(f"{name}, step {number}: has not exactly one of `uses` and `run`")
            if "@" not in step.get("uses", "./@") and not step["uses"].startswith("./"):
                wrong.append(f"{name}, step {number}: {step['uses']} names no version")
    return wrong if jobs else [*wrong, "there are no jobs"]


def main() -> int:
    status = 0
    for path in map(Path, sys.argv[1:]):
        try:
            wrong = faults(yaml.safe_load(path.read_text(encoding="utf-8")))
        except yaml.YAMLError as error:
            wrong = [str(error)]
        for fault in wrong:
            print(f"{path}: {fault}", file=sys.stderr)
        status |= bool(wrong)
    if status == 0:
        print(f"workflows: {len(sys.argv) - 1} files have the right form")
    return status


if __name__ == "__main__":
    sys.exit(main())
