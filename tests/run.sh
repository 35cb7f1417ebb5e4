#!/usr/bin/env bash
# Every test of every language, on a machine with Rust, Python, Node and a C compiler; the rest is set up below target/.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo test --locked --features internals,tracing,capi
"${PYTHON:-python3}" tests/schema/generate.py --check
bash tests/run_c.sh
bash tests/run_python.sh
bash tests/run_node.sh
bash tests/run_packages.sh
bash tests/hosts/run.sh
bash tests/run_docs.sh
"${PYTHON:-python3}" tests/bench/test_bench.py
