#!/usr/bin/env bash
# What `./run` shows: a stream, a plan, a private run over it, and what to try
# next. Needs the program alone: tour.sh SOTTO
set -euo pipefail
sotto=$(realpath "$1")
rounds=300000
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say() { printf '\n%s\n' "$*"; }
show() {
  printf '\n$ sotto %s\n' "$*"
  (cd "$folder" && "$sotto" "$@")
}

say 'A stream of users: each has a number x, and the true label is whether x is above a
threshold that nobody knows. (sotto generate threshold makes such streams.)'
printf '\n$ sotto generate threshold --rounds %s --seed 7 > stream.csv\n' "$rounds"
"$sotto" generate threshold --rounds "$rounds" --seed 7 >"$folder/stream.csv"
head -n 4 "$folder/stream.csv"

say 'Before any data is touched: what would it cost to learn it privately?'
show plan pop --epsilon 1 --delta 1e-6 --horizon "$rounds"

say 'The private run: every user gets a prediction that only they see, then gives the
label. --compare also runs the plain learner, which protects nobody.'
show run pop --epsilon 1 --delta 1e-6 --horizon "$rounds" -d stream.csv --compare

cat <<'TXT'

The mistakes are the price of privacy: they are made early, and become rare. With more
rounds, or a larger epsilon, their share falls.

Try next:
  ./run generate threshold --rounds 1e6 --seed 7 > stream.csv
  ./run run pop --epsilon 3 --delta 1e-6 --horizon 1e6 -d stream.csv --report page.html
  ./run run pop --epsilon 1 --delta 1e-6 --horizon 1e6 -d stream.csv --public
  ./run run pop --epsilon 1 --delta 1e-6 --horizon 1e6 -d stream.csv --variant paper
  ./run run pop --help                 your own data, your own learner, stop and resume
  seq 1000 | sed 's/.*/1/' | ./run count --epsilon 1 --delta 1e-6 --horizon 1000 | tail -n 1
  seq 100000 > numbers; seq 5000 10000 95000 | ./run quantile --data numbers --epsilon 1 --delta 1e-6 --horizon 1000
  ./run account --mechanism pop --reports 400 --stopper 0.15 --gap 100 --noise-scale 205 --delta 1e-6
  ./run --help                         all commands
  ./run bench                          the benchmarks, as JSON
  ./check                              every test and check
TXT
