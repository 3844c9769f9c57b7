#!/usr/bin/env bash
# What `./run` shows: a private run over a built-in stream, and what it costs.
set -euo pipefail
sotto=$1
show() {
  printf '\n$ sotto %s\n' "$*"
  "$sotto" "$@"
}
printf 'A private run over a built-in stream: 100,000 lines, an event on every third.\n'
printf '\n$ ... | sotto count --epsilon 1 --delta 1e-6 --horizon 100000\n'
printf '%10s %10s %10s\n' line true private
seq 100000 | awk '{print ($1 % 3 == 0) ? 1 : 0}' |
  "$sotto" count --epsilon 1 --delta 1e-6 --horizon 100000 |
  awk 'NR == next_row || NR == 1 { printf "%10d %10d %10d\n", NR, int(NR / 3), $1; next_row = (NR < 10) ? 10 : NR * 10 }'
show account --mechanism above-threshold --reports 100 --target-epsilon 1 --delta 1e-6
show account --mechanism pop --reports 400 --stopper 0.15 --gap 100 --noise-scale 205 --delta 1e-6
cat <<'TXT'

The column "true" is shown because this stream is not private; sotto printed only
the last one.

Try next:
  ./run --help                         the commands
  seq 1000 | sed 's/.*/1/' | ./run monitor --threshold 500 --epsilon 1 --horizon 1000 | tail -n 1
  seq 100000 > numbers; seq 5000 10000 95000 | ./run quantile --data numbers --epsilon 1 --delta 1e-6 --horizon 1000
  ./run account --help                 what a mechanism costs, before it runs
  ./run bench                          the benchmarks, as JSON
  ./check                              every test and check
TXT
