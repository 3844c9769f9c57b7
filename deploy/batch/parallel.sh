#!/bin/sh
# Audits on all cores of this machine: parallel.sh FOLDER SHARDS TARGET [OPTION...]
#
#   deploy/batch/parallel.sh counts 16 stopper --runs 1000000
#
# Plays JOBS shards at once (default: one a core) by GNU parallel if it is installed, else by xargs.
# With HOSTS=one,two GNU parallel plays them there, over ssh: the folder must be shared by all of
# them, and this script be at the same path. Ends with the verdict and the exit code of the audit.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
jobs=${JOBS:-$(nproc)}
folder=$1 count=$2
shift 2
if command -v parallel > /dev/null && [ -z "${NO_PARALLEL:-}" ]; then
  seq "$count" | parallel --will-cite --quote --jobs "$jobs" ${HOSTS:+--sshlogin "$HOSTS"} --env SOTTO \
    "$here/shard.sh" "$folder" {} "$count" "$@" --threads 1
else
  seq "$count" | xargs -P "$jobs" -I {} "$here/shard.sh" "$folder" {} "$count" "$@" --threads 1
fi
exec "${SOTTO:-sotto}" audit merge "$folder"/*-of-"$count".json
