#!/bin/sh
# Starts Redis under the name SELF, at first as a replica of FOLLOW if that is set. Sentinels change its file later,
# and their changes remain after a restart.
set -eu
data=${DATA:-/data}
port=${PORT:-6379}

if [ ! -e "$data/redis.conf" ]; then
  cat > "$data/redis.conf.new" <<CONF
port $port
dir $data
protected-mode no
maxmemory 512mb
maxmemory-policy noeviction
appendonly yes
appendfsync everysec
replica-announce-ip $SELF
CONF
  if [ -n "${FOLLOW:-}" ]; then echo "replicaof $FOLLOW ${FOLLOW_PORT:-6379}" >> "$data/redis.conf.new"; fi
  mv "$data/redis.conf.new" "$data/redis.conf"
fi

exec redis-server "$data/redis.conf"
