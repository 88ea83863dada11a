/** What `pawl --help` says, in 80 columns. */
export const usage = `Usage: npx pawl <command>

  run "input"      start a turn and watch it
      --model <provider/model>       sim/demo unless given
      --tools <name,name>            server-side tools it may call
      --instructions <text>          the system prompt
      --conversation <conv_…>        go on with a conversation
  watch <turn_…>   watch a turn from its beginning; asks you about calls that
                   wait to be allowed
  turns            list turns, newest first
      --status <status>              queued, in_progress, requires_action,
                                     completed, incomplete, failed, cancelled
      --limit <n>                    20 unless given
  retry <turn_…>   let a failed turn go on from its last checkpoint; watch it
  cancel <turn_…>  cancel a turn
  --version, -v    say which version this is

With --json each event or turn is a line of JSON. Ctrl-C leaves a turn, which
goes on.
PAWL_URL says where the API listens (http://127.0.0.1:8080; localhost:8080 will
do), PAWL_API_KEY is the key, NO_COLOR is honoured.
The exit code is 0 for completed, 1 for any other end or an error, 2 for a wrong
command, 3 where the turn waits for an answer.
`;
