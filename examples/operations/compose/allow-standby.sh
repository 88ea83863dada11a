#!/bin/sh
# Run once, by the server that makes the database: lets the standby copy it, and has each commit wait for the standby.
set -eu

psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=password="$REPLICATION_PASSWORD" \
  --set=standby="$STANDBY_NAME" <<'SQL'
create role replicator login replication password :'password';
-- The server that is started next reads it. Given on its command line it would also hold for the steps that make the database,
-- which would wait for a standby that cannot be there yet.
alter system set synchronous_standby_names to :'standby';
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
