#!/bin/sh
# The program with a leak around it, for the auditor to find:
#   leaky_sotto.sh LEAK SOTTO WORD...
# Each is a mistake that a program like this one can make, and has made.
leak=$1
sotto=$2
shift 2
for word in "$@"; do
  case $before in
    -d) data=$word ;;
    -p) answers=$word ;;
    --publish) model=$word ;;
  esac
  before=$word
done
[ -f "$data" ] || exec "$sotto" "$@"

# Rows that are there and cannot be used; rows that are used.
skipped=$(awk -F, 'NR==1 {n=NF; next} NF!=n || ($NF!="" && $NF!~/^[01]$/) {k++} END {print k+0}' "$data")
used=$(awk -F, 'NR==1 {n=NF; next} NF==n && $NF~/^[01]$/ {k++} END {print k+0}' "$data")
out=$(dirname "$answers")

case $leak in
  none) exec "$sotto" "$@" ;;
  # A row that is skipped is missing from a table.
  missing-row) table=$("$sotto" "$@") || exit $?; echo "$table" | head -n "-$skipped" ;;
  # A published file says how many rows were skipped.
  skipped-count) "$sotto" "$@" && sed -i "s/^{/{\"skipped\":$skipped,/" "$model" ;;
  # It says how many were used.
  used-count) "$sotto" "$@" && sed -i "s/^{/{\"used\":$used,/" "$model" ;;
  # One bad row ends everybody's run.
  error) [ "$skipped" = 0 ] || { echo "bad row" >&2; exit 2; }; exec "$sotto" "$@" ;;
  # A phase is read after the tick where the round is empty and before it
  # otherwise: the table tells where.
  phase-after-empty)
    "$sotto" "$@" && awk -F, 'NR>1 {e=($NF!~/^[01]$/); print NR-1, int((NR-1-!e)/4)}' "$data" > "$out/phases" ;;
esac
