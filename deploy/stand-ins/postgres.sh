#!/bin/sh
# As the official image begins: a new database is laid out by a server that only its socket reaches, then the real one starts.
set -eu
data=/var/lib/postgresql/data
bin=$(echo /usr/lib/postgresql/*/bin)
if [ "$(id -u)" = 0 ]; then
  chown postgres "$data"
  exec setpriv --reuid postgres --regid postgres --init-groups sh "$0"
fi
if [ ! -s "$data/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  "$bin/initdb" -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  "$bin/pg_ctl" -D "$data" -w -o "-c listen_addresses=''" start
  createdb -U "$POSTGRES_USER" "$POSTGRES_USER"
  "$bin/pg_ctl" -D "$data" -w -m fast stop
fi
exec "$bin/postgres" -D "$data" -c listen_addresses='*'
