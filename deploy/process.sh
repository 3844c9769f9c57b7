#!/bin/sh
# Starts one process of a cluster: process.sh [OPTION of sotto serve...]
#
# SECRETS: folder service of make-secrets.sh. DIR: folder of this process, kept over restarts.
# DATABASE: address of the primary without the password file. MODELS: configuration file. PEER:
# address for other processes; ADVERTISE: the same as they reach it. Secrets are copied: the service
# refuses a key file that others may read, as mounted ones often are. An API key made by POST
# /v1/keys belongs to one process and is gone after its restart: make keys in SECRETS.
set -eu
install -m 0600 -t "$DIR" "$SECRETS"/*
exec "${SOTTO:-sotto}" serve --dir "$DIR" --config "$MODELS" \
  --engine "$DATABASE?passfile=$DIR/pgpass" \
  --listen "${LISTEN:-0.0.0.0:8080}" --operator "${OPERATOR:-0.0.0.0:8081}" \
  --operator-token-file "$DIR/operator.token" \
  --peer "${PEER:-0.0.0.0:8090}" ${ADVERTISE:+--advertise "$ADVERTISE"} "$@"
