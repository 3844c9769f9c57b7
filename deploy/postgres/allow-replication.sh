#!/bin/sh
# Lets standbys connect. The image of PostgreSQL runs it once, when it makes the database.
set -eu
echo "host replication postgres all scram-sha-256" >> "$PGDATA/pg_hba.conf"
