#!/bin/sh
#SBATCH --job-name=sotto-audit
#SBATCH --array=1-64
#SBATCH --cpus-per-task=1
#SBATCH --mem=512M
#SBATCH --time=04:00:00
#SBATCH --requeue
# Audits on a cluster with Slurm, a shard for each task of the array, in a shared folder:
#
#   job=$(sbatch --parsable deploy/batch/slurm.sh counts stopper --runs 100000000)
#   sbatch --dependency=afterok:$job --wrap 'sotto audit merge counts/*.json'
#
# slurm.sh FOLDER TARGET [OPTION...]. Change the number of shards by `sbatch --array=1-N`. Each task
# writes its line of progress into its slurm-*.out. A task that was ended is queued again; the array
# given once more plays only what is missing. Slurm copies this script: submit it in the folder of
# the source tree, or name the folder with shard.sh in SOTTO_BATCH.
set -eu
folder=$1
shift
exec "${SOTTO_BATCH:-$SLURM_SUBMIT_DIR/deploy/batch}/shard.sh" "$folder" \
  "$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_COUNT" "$@" --threads "${SLURM_CPUS_PER_TASK:-1}"
