#!/usr/bin/env bash
# What `./run` shows: a few questions Sotto answers before any data is touched.
set -euo pipefail
sotto=$1
show() {
  printf '\n$ sotto %s\n' "$*"
  "$sotto" "$@"
}
"$sotto" --help
show account --mechanism above-threshold --reports 100 --target-epsilon 1 --delta 1e-6
show account --mechanism pop --reports 400 --stopper 0.15 --gap 100 --noise-scale 205 --delta 1e-6
show account --mechanism gaussian --noise-scale 50 --compositions 1000 --delta 1e-6
cat <<'TXT'

Try next:
  ./run account --help                 every mechanism and both directions
  ./run account --mechanism discrete-laplace --compositions 100 --target-epsilon 1 --delta 1e-6 --json
  ./run bench                          the benchmarks, as JSON
  ./check                              every test and check
TXT
