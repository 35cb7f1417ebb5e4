#!/usr/bin/env bash
# Fails when a program or library needs a newer glibc than it may: `.ci/glibc.sh 2.28 FILE...`
# Prints the newest version that each asks for.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: .ci/glibc.sh VERSION FILE..." >&2; exit 2; }
limit=$1
shift
for file in "$@"; do
    newest=$(objdump -T "$file" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
    echo "$file: ${newest:-no} glibc"
    [ "$(printf '%s\n' "$newest" "$limit" | sort -V | tail -n 1)" = "$limit" ] || { echo "that is newer than $limit" >&2; exit 1; }
done
