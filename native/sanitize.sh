#!/bin/sh
# Builds the kernels with the address and undefined-behaviour sanitizers, outside the source tree, and runs
# their tests. Any report ends the run with an error. `python`, with the build and test tools, must be on PATH.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -S "$root" -B "$work/build" -G Ninja -DPELLUCID_SANITIZE=ON -DPython_EXECUTABLE="$(command -v python)" \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g -D_GLIBCXX_ASSERTIONS" >/dev/null
cmake --build "$work/build"

# A package with the kernels and the reference only: other libraries would run under the sanitizers too.
mkdir "$work/pellucid"
touch "$work/pellucid/__init__.py"
cp -R "$root/src/pellucid/reference" "$work/build"/_native*.so "$work/pellucid/"

# An installation in place (pip install -e) finds its own kernels before any path is looked at. Not here.
cat >"$work/sanitized_kernels.py" <<'END'
import os
import sys

sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
from pellucid import _native

if not _native.__file__.startswith(os.path.dirname(__file__) + os.sep):
    sys.exit(f"{_native.__file__} is not what was built with the sanitizers.")
END

# The interpreter is not built with the sanitizers, so their libraries have to be there before anything else,
# and so has the one that throws exceptions. Python itself leaks on purpose.
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$work/build/CMakeCache.txt")
library() { "$compiler" -print-file-name="$1"; }
cd "$root"
LD_PRELOAD="$(library libasan.so) $(library libubsan.so) $(library libstdc++.so.6)" \
ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
PYTHONPATH="$work" PYTHONDONTWRITEBYTECODE=1 \
    python -m pytest -p no:cacheprovider -p sanitized_kernels "$@" \
    tests/unit/test_native.py tests/property/test_native_equals_reference.py \
    tests/property/test_native_baselines.py tests/unit/test_native_queries.py \
    tests/unit/test_text_table.py tests/property/test_text_files.py
