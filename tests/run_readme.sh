#!/usr/bin/env bash
# Runs the README's commands and examples as they stand there (the Rust one is a documentation test of the crate).
# Also looks up the tests that docs/security.md names. After run_c.sh, run_python.sh and run_node.sh, whose builds it uses.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
work=$target/readme
mkdir -p "$work/node_modules"

# The N-th code block of a language.
block() {
    awk -v fence="\`\`\`$1" -v wanted="$2" '$0 == fence { found++; on = (found == wanted); next } /^```/ { on = 0 } on' README.md
}

# says WHAT WANTED COMMAND...: the command's output holds the text.
says() {
    local what=$1 wanted=$2 got
    shift 2
    got=$("$@")
    case $got in
    *"$wanted"*) echo "README, $what: ok" ;;
    *) echo "README, $what: wanted '$wanted', got: $got" && return 1 ;;
    esac
}

says "first command" '"decision": "deny"' bash -c "$(block sh 1)"

python=${PYTHON:-python3}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
block python 1 >"$work/example.py"
says Python "block run the tests first" "$target/python-$version/bin/python" "$work/example.py"

ln -sfn "$PWD/bindings-node" "$work/node_modules/crosshook"
block js 1 >"$work/example.mjs"
says Node deny node "$work/example.mjs"

block c 1 >"$work/example.c"
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -pedantic -Iinclude "$work/example.c" -L"$target/c-tests/lib" -lcrosshook -o "$work/example"
says C '"decision":"block","reason":"go on"' env LD_LIBRARY_PATH="$target/c-tests/lib" "$work/example"

bash tests/check_security_page.sh
