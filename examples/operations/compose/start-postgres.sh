#!/bin/sh
# Starts PostgreSQL. If FOLLOW names a server and the database does not exist, PostgreSQL copies that server and
# follows it as STANDBY_NAME.
set -eu

if [ -n "${FOLLOW:-}" ] && [ ! -e "$PGDATA" ]; then
  rm -rf "$PGDATA.new"
  until PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --pgdata="$PGDATA.new" --wal-method=stream --checkpoint=fast \
    --write-recovery-conf --no-password \
    --dbname="host=$FOLLOW port=${FOLLOW_PORT:-5432} user=replicator application_name=$STANDBY_NAME"; do
    echo "$FOLLOW cannot be copied yet. Trying again." >&2
    sleep 2
  done
  # After its promotion it accepts writes alone, until it gets the name of its own standby.
  echo "synchronous_standby_names = ''" >> "$PGDATA.new/postgresql.auto.conf"
  mv "$PGDATA.new" "$PGDATA"
fi

exec docker-entrypoint.sh postgres "$@"
