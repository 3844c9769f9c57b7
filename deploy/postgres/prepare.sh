#!/bin/sh
# Prepares the database for the service: tables, roles, the service's login, a synchronous standby.
#
# PRIMARY: address of the primary for a superuser. NAME: the standby. PASSWORD_FILE: password of
# the service's login. Can be repeated. The standby becomes synchronous last: a commit that waits
# for a standby which is not there yet would wait forever.
set -eu
sotto=${SOTTO:-sotto}
until psql "$PRIMARY" -Atqc 'SELECT 1' > /dev/null; do sleep 1; done
"$sotto" engine init "$PRIMARY"
password=$(cat "$PASSWORD_FILE")
psql "$PRIMARY" -q -v ON_ERROR_STOP=1 -v "password=$password" << 'END'
SELECT 'CREATE ROLE sotto_login LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sotto_login') \gexec
ALTER ROLE sotto_login PASSWORD :'password';
GRANT sotto_service TO sotto_login;
END
streams="SELECT count(*) FROM pg_stat_replication WHERE application_name = '$NAME' AND state = 'streaming'"
until [ "$(psql "$PRIMARY" -Atqc "$streams")" = 1 ]; do
  echo "waiting for the standby $NAME" >&2
  sleep 1
done
psql "$PRIMARY" -q -c "ALTER SYSTEM SET synchronous_standby_names = '\"$NAME\"'" -c 'SELECT pg_reload_conf()' > /dev/null
echo "the database is prepared; every commit waits for $NAME"
