#!/bin/sh
# The first PostgreSQL server runs this once. It lets the standby copy the database, and makes commits wait for it.
set -eu

psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=password="$REPLICATION_PASSWORD" \
  --set=standby="$STANDBY_NAME" <<'SQL'
create role replicator login replication password :'password';
-- The next start of the server reads the setting. On the command line, it would also apply to the setup of the
-- database, which would wait for a standby that cannot run yet.
alter system set synchronous_standby_names to :'standby';
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
