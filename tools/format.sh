#!/usr/bin/env bash
# tools/format.sh          formats every C++ file in place
# tools/format.sh --check  fails, naming them, if any would change or has a
#                          comment past column 80 (nothing breaks comments:
#                          lists and examples in them would not survive)
# tools/format.sh --staged --check   the same for what is staged (the git hook)
set -euo pipefail
cd "$(dirname "$0")/.."
files=(git ls-files --cached --others --exclude-standard)
mode=-i
for flag in "$@"; do
  case "$flag" in
    --check) mode="--dry-run -Werror" ;;
    --staged) files=(git diff --cached --name-only --diff-filter=AM) ;;
    *) echo "format.sh: unknown flag $flag" >&2; exit 2 ;;
  esac
done
# shellcheck disable=SC2086
"${files[@]}" -- '*.h' '*.cc' | xargs -r clang-format $mode
[ "$mode" = -i ] || "${files[@]}" -- '*.h' '*.cc' | xargs -r awk '
  /^ *\/\// && length > 80 { print FILENAME ":" FNR ": past column 80"; bad = 1 }
  END { exit bad }'
