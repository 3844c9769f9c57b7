#!/bin/sh
# Starts a standby, and copies the primary first if there is nothing yet: standby.sh [OPTION of postgres...]
#
# PRIMARY: address of the primary, as libpq takes it. NAME: its name in synchronous_standby_names.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until pg_basebackup --pgdata "$PGDATA" --write-recovery-conf --wal-method stream \
    --checkpoint fast --dbname "$PRIMARY"; do
    sleep 2
  done
  chmod 0700 "$PGDATA"
fi
exec postgres -c "cluster_name=$NAME" "$@"
