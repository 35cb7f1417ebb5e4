#!/bin/sh
# A host whose session lies outside of its PID namespace, as the first process of a container often is: getsid() says 0
# there. With the debug build of the command line, which checks what it takes for granted.
# usage: outside_session.sh CROSSHOOK PYTHON
set -eu
crosshook=$1
python=$2
unshare=$(command -v unshare) || { echo "there is no unshare"; exit 77; }
if "$unshare" --pid --fork true 2>/dev/null; then
    inside="$unshare --pid --fork"
elif "$unshare" --user --map-root-user --pid --fork true 2>/dev/null; then
    inside="$unshare --user --map-root-user --pid --fork"
else
    echo "no new PID namespace is permitted here"
    exit 77
fi
session=$($inside "$python" -c 'import os; print(os.getsid(0))')
[ "$session" = 0 ] || { echo "the session is $session there, not 0" >&2; exit 1; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for dialect in codebuddy qwen zcode; do
    hooks='{"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}'
    case $dialect in
    zcode) hooks="{\"enabled\": true, \"events\": $hooks}" ;;
    esac
    echo "{\"hooks\": $hooks}" >"$dir/settings.json"
    echo '{"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Bash", "tool_input": {}}' >"$dir/event.json"
    outcome=$($inside "$crosshook" dispatch --dialect "$dialect" --settings "$dir/settings.json" "$dir/event.json")
    case $outcome in
    *'"decision":"deny","reason":"no"'*) ;;
    *)
        echo "$dialect: $outcome" >&2
        exit 1
        ;;
    esac
done
