#!/usr/bin/env bash
# The demo of `./run`: plan, run and price of privacy on a generated table, in
# at most 40 lines.
#   tour.sh SOTTO [PAGE]     PAGE: where the report goes
set -euo pipefail
sotto=$(realpath "$1")
page=$(realpath -m "${2:-sotto-tour.html}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
facts=(--epsilon 1 --delta 1e-6 --horizon 1e5 --label-rate 0.9 --schema life.schema.json)

in_folder() { (cd "$folder" && "$sotto" "$@"); }
# number WORDS: the first number of the line of the report that has these words.
number() {
  awk -v words="$1" 'index($0, words) { gsub(",", ""); match($0, /[0-9]+/); print substr($0, RSTART, RLENGTH); exit }' \
    "$folder/run.txt"
}
percent() { awk -v m="$1" -v n="$2" 'BEGIN { printf "%.1f", 100 * m / n }'; }
bar() {  # name, mistakes, note
  local share
  share=$(percent "$2" "$labelled")
  printf '     %-12s %5s%%  |%s  %s\n' "$1" "$share" \
    "$(printf '=%.0s' $(seq "${share%.*}"))" "$3"
}

in_folder generate life --rounds 1e5 --seed 7 >"$folder/life.csv"
in_folder generate life --print-schema >"$folder/life.schema.json"
in_folder run tide "${facts[@]}" -d life.csv --compare --table-every 4.0 --report page.html >"$folder/run.txt"
cp "$folder/page.html" "$page"
labelled=$(number "rounds with label")
private=$(number "(the operator's own view)")
plain=$(number "without any privacy")
cost=$(awk -v a="$private" -v b="$plain" -v n="$labelled" 'BEGIN { printf "%+.1f", 100 * (a - b) / n }')

echo 'Sotto demo: 100,000 shoppers, one at a time. Does each one buy? One label in ten never arrives.'
echo
head -n 3 "$folder/life.csv" | sed 's/^/  /'
cat <<'TXT'

1. Plan, before any data is read
   $ sotto plan --epsilon 1 --delta 1e-6 --horizon 1e5 --label-rate 0.9 --schema life.schema.json
TXT
in_folder plan "${facts[@]}" | grep -E '^(tide|leader|winnow) ' | sed 's/^/   /'
cat <<'TXT'

2. Run: predict for each shopper, then learn from the label
   $ sotto run tide --epsilon 1 --delta 1e-6 --horizon 1e5 --label-rate 0.9 --schema life.schema.json -d life.csv
TXT
awk '/^ *rounds +mistakes/ || $1 ~ /^[0-9]+$/ && $1 >= 1000' "$folder/run.txt" | sed 's/^/   /'
printf '\n3. The price of privacy, on the same stream\n'
bar 'not private' "$plain" ''
bar tide "$private" "epsilon 1: $cost points"
bar majority "$(number "without features")" ''
bar 'last label' "$(number "repeating the last")" ''
cat <<TXT

4. What the guarantee says
   One shopper's data changes the probability of anything that others see by at most a factor
   2.72 (epsilon 1), plus 0.000001 (delta). This covers the published weights and all other
   shoppers' predictions. That a shopper came is public. The percentages above are not covered.

Report with plots: ${page#"$PWD"/}

Next:  your own table    docs/tutorial.md
       choose a model    docs/choose-a-model.md, sotto plan --help
       Python            docs/python.md
TXT
