#!/usr/bin/env bash
# clang-tidy on the sources changed since a base revision (default: the last
# commit's parent), uncommitted ones included. tools/tidy.sh --all takes all.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --all ]; then
  files=$(git ls-files '*.cc')
else
  base=${1:-$(git rev-parse --verify -q HEAD~1 || git hash-object -t tree /dev/null)}
  files=$( { git diff --name-only --diff-filter=AM "$base" -- '*.cc'
             git ls-files --others --exclude-standard -- '*.cc'; } | sort -u)
fi
[ -n "$files" ] || { echo "tidy: nothing changed"; exit 0; }
# Each file by itself, not united with others. Files outside the build have no
# compile command. What only g++ understands, a precompiled header and
# -fcx-limited-range, is left out of the others.
cmake --preset release -B build/tidy -DSOTTO_UNITY=OFF >/dev/null
known=$(python3 - $files <<'PY'
import json, os, re, sys
entries = json.load(open("build/tidy/compile_commands.json"))
for entry in entries:
    command = re.sub(r"-include \S*cmake_pch\S*", "", entry["command"])
    entry["command"] = re.sub(r"-Winvalid-pch|-fcx-limited-range", "", command)
json.dump(entries, open("build/tidy/compile_commands.json", "w"))
have = {os.path.relpath(entry["file"]) for entry in entries}
print("\n".join(name for name in sys.argv[1:] if name in have))
PY
)
printf '%s\n' "$known" | xargs -r -P 2 -n 1 clang-tidy --quiet -p build/tidy 2>/dev/null
