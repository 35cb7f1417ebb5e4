#!/usr/bin/env bash
# The benchmark: sets up what it needs below target/bench, measures, prints a table. README.md says how to read it.
# usage: tests/bench/run.sh [--rounds N] [--only P1,P8] [--no-peers] [--write-results]
set -euo pipefail
exec "${PYTHON:-python3}" "$(dirname "$0")/bench.py" "$@"
