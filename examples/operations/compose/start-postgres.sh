#!/bin/sh
# Starts PostgreSQL. Where FOLLOW names a server and there is no database yet, that one is copied and followed, as STANDBY_NAME.
set -eu

if [ -n "${FOLLOW:-}" ] && [ ! -e "$PGDATA" ]; then
  rm -rf "$PGDATA.new"
  until PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --pgdata="$PGDATA.new" --wal-method=stream --checkpoint=fast \
    --write-recovery-conf --no-password \
    --dbname="host=$FOLLOW port=${FOLLOW_PORT:-5432} user=replicator application_name=$STANDBY_NAME"; do
    echo "$FOLLOW cannot be copied yet; trying again." >&2
    sleep 2
  done
  # Once it is promoted it takes writes alone, until it is told of a standby of its own.
  echo "synchronous_standby_names = ''" >> "$PGDATA.new/postgresql.auto.conf"
  mv "$PGDATA.new" "$PGDATA"
fi

exec docker-entrypoint.sh postgres "$@"
