#!/bin/sh
# Makes what every process of a cluster must have alike: make-secrets.sh FOLDER NAME
#
#   deploy/make-secrets.sh secrets shop
#
# FOLDER/service: the key file, the API key NAME (its secret is printed, this once), the operator's
# token and the password of the service's login. FOLDER/database: the passwords of the database.
# Keep FOLDER where no backup of the database goes. A FOLDER that exists is refused: another key
# could not open what the first one sealed. SOTTO names the program.
set -eu
umask 077
sotto=${SOTTO:-sotto}
folder=$1 name=$2
mkdir "$folder" "$folder/service" "$folder/database"
work=$(mktemp -d)
"$sotto" serve --dir "$work" --listen "unix:$work/users" --operator "unix:$work/operator" 2> "$work/log" &
process=$!
trap 'kill "$process" 2> /dev/null || true; rm -rf "$work"' EXIT
tries=0
until curl -fs -o "$work/ready" --unix-socket "$work/operator" http://localhost/readyz; do
  tries=$((tries + 1))
  if [ "$tries" -gt 100 ] || ! kill -0 "$process" 2> /dev/null; then cat "$work/log" >&2; exit 1; fi
  sleep 0.1
done
curl -fsS --unix-socket "$work/operator" http://localhost/v1/keys -H 'Content-Type: application/json' \
  -d "{\"name\":\"$name\"}"
echo
kill "$process"
wait "$process"
for file in sotto.key credentials.key credentials.json; do mv "$work/$file" "$folder/service/"; done
random() { head -c 32 /dev/urandom | base64 | tr -d '\n=+/'; }
random > "$folder/service/operator.token"
random > "$folder/database/admin.password"
random > "$folder/database/service.password"
echo "*:*:*:sotto_login:$(cat "$folder/database/service.password")" > "$folder/service/pgpass"
echo "*:*:*:postgres:$(cat "$folder/database/admin.password")" > "$folder/database/admin.pgpass"
