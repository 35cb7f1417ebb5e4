#!/usr/bin/env bash
# Builds the pages below docs/, runs every code block of them and of README.md, compares the tables of events with what
# the engine does, looks up the tests that docs/security.md names, and checks the files of a release: workflows, versions,
# licences. After run_c.sh, run_python.sh and run_node.sh, whose builds it uses. CROSSHOOK_BLESS=1 writes the tables anew.
set -euo pipefail
cd "$(dirname "$0")/.."
built=${CARGO_TARGET_DIR:-target}

python=${PYTHON:-python3}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
package=target/python-$version/bin/python
tools=target/docs-venv
[ -x "$tools/bin/pip" ] || "$python" -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt

bash tests/check_security_page.sh
"$python" tests/docs/release.py
"$python" tests/docs/licences.py
"$tools/bin/python" tests/docs/workflows.py .github/workflows/*.yml
"$tools/bin/sphinx-build" --quiet --fail-on-warning --keep-going -d target/docs-cache docs target/docs-html
echo "pages: built in target/docs-html"

cargo build --locked --release --package crosshook
"$python" tests/docs/tables.py "$built/release/crosshook" docs/dialects/*.md
echo "tables of events: agree with the engine"
# The features of `cargo test` in run.sh, so that nothing is built anew.
cargo build --locked --package crosshook --lib --features internals,tracing,capi
"$tools/bin/python" tests/docs/run.py --crosshook "$built/release/crosshook" --python "$package" \
    --library "$built/c-tests/lib" --rlib "$built/debug/libcrosshook.rlib" --work target/docs-run \
    README.md $(find docs -name '*.md' | sort)
