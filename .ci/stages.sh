# Sourced by .ci/run and .ci/proof: a clean environment, the programs that the stages need, and the stages themselves.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A stray database, queue or setting of the caller must not decide what is tested.
for name in $(compgen -e); do
  case "$name" in DATABASE_URL | DATABASE_DIRECT_URL | DATABASE_READ_URL | REDIS_URL | HOST | PORT | NODE_ENV | NODE_OPTIONS | PAWL_* | PG*) unset "$name" ;; esac
done
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
if [ ! -w "${HOME:-/nowhere}" ]; then export HOME="$results/home"; mkdir "$HOME"; fi
export CI=1 REQUIRE_REDIS=1
code=0

say() { printf '\n== %s\n' "$*"; }

# Runs a stage to its end, also if an earlier stage has failed.
stage() {
  local name=$1 start=$SECONDS ended=0 how=passed
  shift
  say "$name"
  "$@" 2>&1 | tee "$results/stage.log" || ended=$?
  if [ "$ended" != 0 ]; then
    code=1 how="FAILED ($ended)"
    { printf '\n== the end of: %s\n' "$name"; tail -n 60 "$results/stage.log"; } >> "$results/failures.log"
  elif tail -n 1 "$results/stage.log" | grep -q '^Left out: '; then
    how='left out'
  fi
  printf '%-36s %-12s %s s\n' "$name" "$how" "$((SECONDS - start))" >> "$results/stages.log"
}

# Prints how each stage ended, then the end of each failed stage's output, then the number of tests. Returns the exit code.
conclude() {
  say 'result'
  printf '%-36s %-12s %s s\n' 'all' '' "$SECONDS" >> "$results/stages.log"
  cat "$results/stages.log"
  if [ -e "$results/failures.log" ]; then cat "$results/failures.log"; fi
  tail -n 1 "$results/counted.log"
  return "$code"
}

# Installs a Debian package. Run level 1 keeps Debian from starting a server on its default port.
install_package() {
  [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -q &&
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$1"
}

find_redis() {
  if command -v redis-server || install_package redis-server; then return; fi
  if docker info > /dev/null 2>&1; then echo 'no redis-server: the tests start one in a container'; return; fi
  echo 'Redis is missing. Install redis-server, run this as root on Debian, or start Docker.' >&2
  exit 1
}

find_chromium() {
  if command -v chromium-headless-shell || command -v chromium || command -v google-chrome || install_package chromium-headless-shell; then
    export REQUIRE_CHROMIUM=1
  else
    echo 'Chromium is missing: the tests of the page run without a browser.'
  fi
}

find_pgbouncer() {
  command -v pgbouncer || install_package pgbouncer || echo 'PgBouncer is missing: the restart tests run without a pooler.'
}

# Links everything on the PATH into one folder, except programs that start a Redis or a container.
hide_redis() {
  local folder
  # PostgreSQL refuses root and looks for its programs there as another user.
  chmod 755 "$results"
  mkdir "$results/bin"
  while IFS= read -r folder; do
    # The first program of a name on the PATH wins: a name that exists is not linked again.
    if [ -n "$(ls "$folder" 2> /dev/null)" ]; then ln -s "$(cd "$folder" && pwd)"/* "$results/bin/" 2> /dev/null || true; fi
  done <<< "${PATH//:/$'\n'}"
  rm -f "$results"/bin/redis* "$results"/bin/valkey* "$results"/bin/docker* "$results"/bin/podman*
  if PATH="$results/bin" command -v redis-server; then
    echo 'Redis is not hidden from the run without Redis.' >&2
    exit 1
  fi
}

# Runs tests with a report for the count at the end.
with_report() {
  local name=$1
  shift
  "$@" --reporter=default --reporter=json --outputFile.json="$results/$name.json"
}

test_with_redis() { RECORDINGS=all with_report with-redis npm test --; }
e2e_with_redis() { with_report e2e-with-redis npm run e2e --; }

# The suites of all projects that differ without Redis: each file that names Redis or the queue of the run, and the
# programs that choose a queue.
test_without_redis() (
  unset REQUIRE_REDIS
  export HIDE_DOCKER=1 PATH="$results/bin"
  files=$(grep -rliE 'redis|describeQueue' test --include='*.test.ts' | grep -vE '/restarts/|^test/crash/matrix/|^test/e2e/')
  # shellcheck disable=SC2086
  with_report without-redis npx vitest run $files test/standalone test/cli/pawl.test.ts
)

count_tests() {
  node .ci/count-tests.js "$results"/{with-redis,e2e-with-redis,without-redis}.json | tee "$results/counted.log"
}

say 'programs'
find_redis
find_chromium
find_pgbouncer
