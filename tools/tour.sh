#!/usr/bin/env bash
# What `./run` shows: a stream that looks like life, which models suit it, a
# private run over it beside others, and what to try next.
#   tour.sh SOTTO [PAGE]     PAGE: where the page of plots goes
set -euo pipefail
sotto=$(realpath "$1")
page=$(realpath -m "${2:-sotto-tour.html}")
rounds=100000
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
facts=(--epsilon 1 --delta 1e-6 --horizon "$rounds" --label-rate 0.9 --schema life.schema.json)

say() { printf '\n%s\n' "$*"; }
show() {
  printf '\n$ sotto %s\n' "$*"
  (cd "$folder" && "$sotto" "$@")
}
quietly() { (cd "$folder" && "$sotto" "$@" 2>/dev/null); }
# number REPORT KEY: the first number of that name in a JSON report.
number() { grep -o "\"$2\":[0-9]*" <<<"$1" | head -n 1 | grep -o '[0-9]*$'; }
row() {  # what, mistakes, labelled
  printf '  %-44s %7s   %5s %%\n' "$1" "$2" \
    "$(awk -v m="$2" -v n="$3" 'BEGIN { printf "%.1f", 100 * m / n }')"
}

say 'A stream of users: each has an age, a job, a region and so on, and buys something or
does not. One label in ten never comes, and habits change with the season.'
printf '\n$ sotto generate life --rounds %s --seed 7 > life.csv\n' "$rounds"
quietly generate life --rounds "$rounds" --seed 7 >"$folder/life.csv"
quietly generate life --print-schema >"$folder/life.schema.json"
head -n 4 "$folder/life.csv"

say 'Before any data is touched: which private model suits such a table?'
show plan "${facts[@]}"

say 'The private run: every user gets a prediction that only they see, then gives the
label, or never does. What is learned is published; nobody can tell from it who came.'
show run auto "${facts[@]}" -d life.csv --report page.html
cp "$folder/page.html" "$page"
printf '\nThe page of plots: %s\n' "$page"

say 'Beside it, on the same stream:'
tide=$(quietly run tide "${facts[@]}" -d life.csv --json)
pop=$(quietly run pop "${facts[@]}" -d life.csv --learner logistic --json)
labelled=$(number "$tide" labelled)
row 'tide, epsilon 1' "$(number "$tide" mistakes)" "$labelled"
row 'POP over logistic regression, epsilon 1' "$(number "$pop" mistakes)" "$labelled"
row 'always the most frequent label (not private)' "$(number "$tide" majority)" "$labelled"
row 'the label before (not private)' "$(number "$tide" last_label)" "$labelled"

cat <<'TXT'

POP makes any online learner private, against any adversary, and pays for that: it is at
home where few examples decide, as on thresholds. `sotto plan` tells them apart.

Try next:
  ./run run auto --help                your own table
  ./run schema --help                  describe it
  ./run run tide --live --help         predict now, label later, as JSON lines
  ./run generate threshold --rounds 1e6 --seed 7 > stream.csv
  ./run run pop --epsilon 1 --delta 1e-6 --horizon 1e6 -d stream.csv --compare
  ./run run pop --epsilon 1 --delta 1e-6 --horizon 1e6 -d stream.csv --public
  seq 1000 | sed 's/.*/1/' | ./run count --epsilon 1 --delta 1e-6 --horizon 1000 | tail -n 1
  seq 100000 > numbers; seq 5000 10000 95000 | ./run quantile --data numbers --epsilon 1 --delta 1e-6 --horizon 1000
  ./run account --mechanism pop --reports 400 --stopper 0.15 --gap 100 --noise-scale 205 --delta 1e-6
  ./run --help                         all commands
  ./run bench                          the benchmarks, as JSON
  ./check                              every test and check
TXT
