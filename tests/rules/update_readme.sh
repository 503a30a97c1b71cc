#!/bin/sh
# Writes the table of options into README.md. usage: sh tests/rules/update_readme.sh [BUILD_FOLDER]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build/release}
cmake --build "$build" --target print_options
python3 "$root/tests/rules/check_readme.py" --write "$build/bin/print_options"
