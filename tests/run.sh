#!/bin/sh
# Sets portkit up in .venv and runs its tests; words after it go to pytest.
#     sh tests/run.sh
set -eu
cd "$(dirname "$0")/.."

[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
.venv/bin/python -m pytest "$@"
