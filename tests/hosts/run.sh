#!/usr/bin/env bash
# Hosts that are not kind to the engine: runs every program of this folder, each of which asserts that a hook that exits
# with 2 still blocks and that the host lives. README.md says what each of them is. Ends with 0 when all that could be
# tried held.
#
# After run_c.sh, run_python.sh, run_node.sh and `cargo test`, whose builds it uses. Linux.
#
# usage: tests/hosts/run.sh [NAME]...   a name is that of a file without its ending, such as pid1; default: all
#
#   CARGO_TARGET_DIR   where cargo builds (default: target); the C hosts go to its folder hosts
#   PYTHON, CC         the interpreter and the compiler (default python3, cc)
#   HOST_JOBS          programs at a time (default 2)
#   CROSSHOOK_SOAK     dispatches of each soak (default 2000)
#   CROSSHOOK_BALLAST  GiB of memory that the large host fills (default 4)
set -u
cd "$(dirname "$0")/../.."
here=tests/hosts
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}
out=$target/hosts
lib=$target/c-tests/lib
python=${PYTHON:-python3}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
package=$("target/python-$version/bin/python" -c 'import crosshook, os; print(os.path.dirname(crosshook.__file__))') || exit 1
rm -rf "$out"
mkdir -p "$out/site" "$out/log"
ln -s "$package" "$out/site/crosshook"
export PYTHONPATH=$out/site

[ -e "$lib/libcrosshook.so" ] || { echo "no $lib/libcrosshook.so: run tests/run_c.sh first" >&2; exit 1; }

# What has to be installed for some hosts; without it they are left out, with words.
"$python" -m venv "$out/venv" &&
    "$out/venv/bin/pip" install --quiet --disable-pip-version-check "gevent>=24" "uvloop>=0.19" >"$out/log/pip" 2>&1 ||
    echo "gevent and uvloop could not be installed: $(tail -n 1 "$out/log/pip")"

. tests/interpreters.sh

names=()
commands=()
only=("$@")

# add FILE HOW COMMAND...: one test, unless others are asked for. HOW stands behind the file's name in what is printed.
add() {
    local file=$1 how=$2 name
    shift 2
    if [ ${#only[@]} -gt 0 ]; then
        for name in "${only[@]}" ""; do [ "$name" = "${file%.*}" ] && break; done
        [ -n "$name" ] || return 0
    fi
    names+=("$file$how")
    commands+=("$(printf '%q ' "$@")")
}

# one NUMBER: runs a test and prints how it ended.
one() {
    local log=$out/log/$1 began=$EPOCHREALTIME status=0 seconds
    eval "timeout --kill-after=10 300 ${commands[$1]}" >"$log" 2>&1 </dev/null || status=$?
    seconds=$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $began }")
    echo "$status" >"$log.status"
    case $status in
    0) echo "held: ${names[$1]} ($seconds s)$(grep -v '^--' "$log" | sed '1s/^/: /' | head -n 1)" ;;
    77) echo "left out: ${names[$1]}: $(tail -n 1 "$log")" ;;
    *) printf 'FAILED: %s, status %s\n%s\n' "${names[$1]}" "$status" "$(tail -n 40 "$log")" ;;
    esac
}

for file in "$here"/*.c; do
    name=$(basename "$file" .c)
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -pedantic -O1 -g -Iinclude -pthread -o "$out/$name" "$file" \
        -L"$lib" -Wl,-rpath,"$lib" -lcrosshook || exit 1
done

# The same with the static library, under AddressSanitizer, LeakSanitizer and UBSan.
sanitized=(prefork reentry threads)
for name in "${sanitized[@]}"; do
    "${CC:-cc}" -std=c11 -O1 -g -Iinclude -pthread -fsanitize=address,undefined -fno-sanitize-recover=all -o "$out/$name-sanitized" \
        "$here/$name.c" "$target/release/libcrosshook.a" -lgcc_s -lutil -lrt -lpthread -lm -ldl || exit 1
done

# The longest first.
add soak.py "" "$python" "$here/soak.py"
add soak.mjs "" node --expose-gc "$here/soak.mjs"
if command -v valgrind >/dev/null; then
    # As many rounds as it has patience for. It knows no pidfd_open before version 3.20.
    few="CROSSHOOK_ROUNDS=5 CROSSHOOK_SOAK=60 CROSSHOOK_NO_RSS=1"
    for name in soak no_pidfd sigpipe reentry threads; do
        add $name.c ", valgrind" env $few valgrind --quiet --error-exitcode=9 --leak-check=full \
            --errors-for-leak-kinds=definite --show-leak-kinds=definite "$out/$name"
    done
else
    echo "left out: C hosts under valgrind, it is not installed"
fi
for name in "${sanitized[@]}"; do
    add $name.c ", sanitizers" env CROSSHOOK_ROUNDS=10 "$out/$name-sanitized"
done
for file in "$here"/exit_in_*.py; do
    while read -r interpreter; do
        add "$(basename "$file")" ", $("$interpreter" --version)" "$interpreter" "$file"
    done < <(interpreters)
done
for file in "$here"/*.{c,py,mjs}; do
    case $(basename "$file") in
    host.* | exit_in_* | ballast.c | soak.py | soak.mjs) ;;
    *.c) add "$(basename "$file")" "" "$out/$(basename "$file" .c)" ;;
    *.py) add "$(basename "$file")" "" "$out/venv/bin/python" "$file" ;;
    *.mjs) add "$(basename "$file")" "" node "$file" ;;
    esac
done
add outside_session.sh "" sh "$here/outside_session.sh" "$target/debug/crosshook" "$python"
add ballast.c "" "$out/ballast" # the last

# Waits for its turn, beside HOST_JOBS - 1 others.
turn() { while [ "$(jobs -rp | wc -l)" -gt "$1" ]; do wait -n; done; }

for number in "${!names[@]}"; do
    case ${names[number]} in
    ballast.c) turn 0 ;; # alone, for it measures times
    *) turn $((${HOST_JOBS:-2} - 1)) ;;
    esac
    one "$number" &
done
wait

held=$(grep -lx 0 "$out"/log/*.status | wc -l)
left_out=$(grep -lx 77 "$out"/log/*.status | wc -l)
failed=$(($(ls "$out"/log/*.status | wc -l) - held - left_out))
echo "hosts: $held held, $left_out left out, $failed failed"
[ "$failed" -eq 0 ] && [ "$held" -gt 0 ]
