#!/bin/sh
# Builds the Python package as a user would (`pip install`), and runs its tests. Needs Rust, Python 3.10+ and pip.
# usage: tests/run_python.sh [PYTEST ARGUMENT]...      PYTHON=python3.13 chooses the interpreter
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
venv=target/python-$version
[ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "pytest>=8,<10" "mypy>=1.15,<3" ./bindings-python
exec "$venv/bin/python" -m pytest -rs -c bindings-python/pyproject.toml bindings-python/tests "$@"
