#!/bin/sh
# Everything about the npm package, on a fresh machine with Rust and Node 20 or newer: build, type check, tests, pack.
#
# usage: tests/run_node.sh [node --test options...]
set -eu
cd "$(dirname "$0")/../bindings-node"

npm ci --no-audit --no-fund
npm run build
npm run build:probe
npm run check
node --test "$@" test/*.test.mjs
