#!/usr/bin/env bash
# Looks up every test that docs/security.md names: `file::name` is a function, a quoted test or a vector in that file.
set -euo pipefail
cd "$(dirname "$0")/.."
page=docs/security.md
missing=0
found=0
while IFS= read -r test; do
    file=${test%%::*}
    name=${test#*::}
    if [ -f "$file" ] && grep -qE "(fn|def) $name\(|^ *$name => |\"$name\"" "$file"; then
        found=$((found + 1))
    else
        echo "$page: there is no test $test"
        missing=$((missing + 1))
    fi
done < <(grep -o '`[^` ]*/[^`]*::[^`]*`' "$page" | tr -d '`' | sort -u)
echo "$page: $found tests found, $missing missing"
[ "$missing" -eq 0 ] && [ "$found" -gt 40 ]
