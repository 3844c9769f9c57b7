#!/bin/sh
# Plays one shard of an audit and keeps its counts: shard.sh FOLDER I N TARGET [OPTION...]
#
#   deploy/batch/shard.sh counts 3 16 stopper --runs 1000000
#
# The file FOLDER/I-of-N.json appears whole, and a shard whose file is there is not played again:
# after an interruption start the same command once more. Ends with a line of progress.
# SOTTO names the program.
set -eu
folder=$1 index=$2 count=$3
shift 3
file=$folder/$index-of-$count.json
mkdir -p "$folder"
if [ ! -s "$file" ]; then
  part=$file.part-$$
  trap 'rm -f "$part"' EXIT
  "${SOTTO:-sotto}" audit "$@" --shard "$index/$count" > "$part"
  mv "$part" "$file"
fi
set -- "$folder"/*-of-"$count".json
echo "audit: $# of $count shards done" >&2
