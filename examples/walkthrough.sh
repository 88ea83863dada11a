#!/usr/bin/env bash
# The README's tour as one script. Start Pawl with the tools beside this file, then run it:
#   PAWL_TOOLS=./examples/tools.ts npm start
#   ./examples/walkthrough.sh
set -euo pipefail
api=${PAWL_URL:-http://127.0.0.1:8080}
key=(-H "authorization: Bearer ${PAWL_API_KEY:-none}")
json=(-H 'content-type: application/json')

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
turn_id() { grep -o 'turn_[0-9a-z]\{26\}' | head -1; }

say 'Start a turn with tools: the API commits it before it answers'
turn=$(curl -sf "${key[@]}" "${json[@]}" "$api/v1/turns" -d '{
  "model": "sim/demo",
  "input": "How is the weather in Lisbon?",
  "tools": ["get_weather"]
}' | turn_id)
echo "$turn"

say 'Poll it: the API answers when the turn ends, after 30 s at most'
curl -sf "${key[@]}" "$api/v1/turns/$turn?wait=30"; echo

say 'Watch it: events before, during or after, resumed by Last-Event-ID'
curl -sfN "${key[@]}" "$api/v1/turns/$turn/events" -H 'accept: text/event-stream' -H 'last-event-id: 2'

say 'Run a tool yourself: the turn waits until you answer'
turn=$(curl -sf "${key[@]}" "${json[@]}" "$api/v1/turns" -d '{
  "model": "sim/demo",
  "input": "Where am I?",
  "tools": [{ "name": "locate_user", "description": "Asks the device where the user is" }]
}' | turn_id)
call=$(curl -sf "${key[@]}" "$api/v1/turns/$turn?wait=30" | grep -o '"tool_call_id":"[^"]*"' | head -1 | cut -d'"' -f4)
curl -sf "${key[@]}" "${json[@]}" "$api/v1/turns/$turn/tool_outputs" \
  -d "{ \"tool_outputs\": [{ \"tool_call_id\": \"$call\", \"output\": \"Lisbon\" }] }" > /dev/null
curl -sf "${key[@]}" "$api/v1/turns/$turn?wait=30"; echo

say 'Repeat a request safely: the same key returns the same turn'
for _ in 1 2; do
  curl -sf "${key[@]}" "${json[@]}" -H 'idempotency-key: tour-'$$ "$api/v1/turns" \
    -d '{ "model": "sim/demo", "input": "Only once, please." }' | turn_id
done
