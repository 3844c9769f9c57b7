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
# Documentation snippets and files outside the build have no compile command.
known=$(python3 - $files <<'PY'
import json, os, sys
have = {os.path.relpath(e["file"]) for e in json.load(open("build/release/compile_commands.json"))}
print("\n".join(f for f in sys.argv[1:] if f in have))
PY
)
printf '%s\n' "$known" | xargs -r -P 2 -n 1 clang-tidy --quiet -p build/release 2>/dev/null
