#!/bin/sh
# Starts one process of a cluster: process.sh [OPTION of sotto serve...]
#
# SECRETS: folder service of make-secrets.sh. DIR: folder of this process, kept over restarts.
# DATABASE: address of the primary without the password file. MODELS: configuration file. PEER:
# address for other processes; ADVERTISE: the same as they reach it. Secrets are copied: the service
# refuses a key file that others may read, as mounted ones often are. The API key in SECRETS counts at
# every process until it is removed there and all are restarted; keys made by POST /v1/keys are in the
# database.
set -eu
install -m 0600 -t "$DIR" "$SECRETS"/*
exec "${SOTTO:-sotto}" serve --dir "$DIR" --config "$MODELS" \
  --engine "$DATABASE?passfile=$DIR/pgpass" \
  --listen "${LISTEN:-0.0.0.0:8080}" --operator "${OPERATOR:-0.0.0.0:8081}" \
  --operator-token-file "$DIR/operator.token" \
  --peer "${PEER:-0.0.0.0:8090}" ${ADVERTISE:+--advertise "$ADVERTISE"} "$@"
