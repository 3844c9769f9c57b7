#!/usr/bin/env bash
# An engineer with a csv file and a fresh clone has a private model of it and its predictions after
# at most eight commands, ./run build among them. The table below stands for the engineer's own.
set -euo pipefail

awk 'BEGIN {
  srand(5); print "customer age;spent;channel;churned"
  for (i = 0; i < 6000; i++) {
    age = 18 + int(rand() * 60); spent = int(rand() * 500)
    channel = rand() < 0.5 ? "web" : "shop"
    print age ";" spent ";" channel ";" (rand() < 0.05 + 0.9 * (spent < 200) ? "yes" : "no")
  }
}' | tr ';' ',' >customers.csv

# Commands
: ./run build
sotto schema --header customers.csv --label churned --labels no,yes --facts 'customer age=18..90;spent=0..500;channel=web|shop' >schema.json
sotto plan --epsilon 1 --delta 1e-6 --horizon 6000 --schema schema.json
sotto run tide --epsilon 1 --delta 1e-6 --horizon 6000 --schema schema.json -d customers.csv --publish model.json --report report.html --compare --json >run.json
sotto show model.json
sotto predict --model model.json --data customers.csv >predictions.txt
sotto predict --model model.json --data customers.csv --json >score.json
# End of the commands

python3 - <<'P'
import json

run, score = json.load(open("run.json")), json.load(open("score.json"))
lines = open("predictions.txt").read().split("\n")[:-1]
assert len(lines) == 6000 and set(lines) <= {"yes", "no"}, "one prediction a row, by the table's own labels"
assert run["mistakes"] < 0.8 * run["baselines"]["majority"], "better than always saying the majority label"
assert run["non_private_mistakes"] < run["mistakes"], "the price of privacy is there"
assert score["error_rate"] < 0.25 and "error_rate" in score["not_covered"], score
P
