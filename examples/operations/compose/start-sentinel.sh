#!/bin/sh
# Starts a Sentinel that watches MASTER. It uses names, since container addresses change. Its file keeps its state.
set -eu
data=${DATA:-/data}

if [ ! -e "$data/sentinel.conf" ]; then
  cat > "$data/sentinel.conf.new" <<CONF
port ${PORT:-26379}
dir $data
protected-mode no
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel monitor pawl $MASTER ${MASTER_PORT:-6379} 2
sentinel down-after-milliseconds pawl 5000
sentinel failover-timeout pawl 20000
CONF
  mv "$data/sentinel.conf.new" "$data/sentinel.conf"
fi

exec redis-server "$data/sentinel.conf" --sentinel
