import { createInterface } from 'node:readline/promises';
import type { Turn, TurnEvent, TurnHandle } from '../client/connect-pawl.ts';
import type { Cli } from './cli.ts';
import { makeVisible } from './make-visible.ts';
import { columnsOf, openScreen, type Screen } from './screen.ts';
import { showEvents } from './show-events.ts';
import { wrapLine } from './wrap-text.ts';

const EXIT_CODE = { completed: 0, ended: 1, waiting: 3, left: 130 };

/** Shows a turn until it ends, asks for its approvals, and returns the exit code. After Ctrl-C the turn continues. */
export async function followTurn(
  turn: TurnHandle,
  { isJson, after }: { isJson: boolean; after?: number },
  cli: Cli,
): Promise<number> {
  const { stdout, stderr, signal } = cli;
  const screen = openScreen(stdout);
  const view = showEvents(screen);
  const show = (event: TurnEvent) =>
    void (isJson ? stdout.write(`${JSON.stringify(event)}\n`) : view.show(makeVisible(event)));
  const connected = (isConnected: boolean) =>
    void stderr.write(
      isConnected ? 'Connected again.\n' : 'The server is away. The events continue when it is back.\n',
    );
  let ended: Turn | undefined;
  if (!isJson) screen.say(turn.id);
  try {
    for await (const event of turn.events({ signal, after, connected })) {
      show(event);
      if ('turn' in event) ended = event.turn;
      if (event.type !== 'turn.requires_action') continue;
      if (!(await decideApprovals(turn, { isJson, screen }, cli))) return EXIT_CODE.waiting;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    stderr.write(`\nThe turn continues. To watch it again: pawl watch ${turn.id}\n`);
    return EXIT_CODE.left;
  }
  if (ended?.status === 'failed') stderr.write(`To continue from its last checkpoint: pawl retry ${turn.id}\n`);
  return ended?.status === 'completed' ? EXIT_CODE.completed : EXIT_CODE.ended;
}

type Call = Turn['rounds'][number]['tool_calls'][number];

/** Asks about each call that waits for approval. Returns false if the turn still waits afterwards. */
async function decideApprovals(
  turn: TurnHandle,
  { isJson, screen }: { isJson: boolean; screen: Screen },
  cli: Cli,
): Promise<boolean> {
  for (;;) {
    const { required_action: action } = await turn.get({ signal: cli.signal });
    if (!action) return true;
    const [call] = action.approvals;
    const decision = call && cli.stdin.isTTY && !isJson ? await confirm(call, cli) : null;
    if (!call || !decision) {
      if (!isJson) explain(turn.id, action, screen);
      return false;
    }
    await (decision === 'allow' ? turn.approve(call.id) : turn.deny(call.id));
  }
}

/** Asks about one call. Returns null if the terminal is closed. */
async function confirm(call: Call, { stdin, stdout, signal }: Cli): Promise<'allow' | 'deny' | null> {
  const lines = createInterface({ input: stdin, output: stdout, terminal: false });
  const text = `        Allow ${describeCall(call)}? [y/n] `;
  const closed = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    for (;;) {
      const question = wrapLine(text, { width: columnsOf(stdout), margin: ' '.repeat(10) });
      const asking = lines.question(question, { signal });
      const answer = (await Promise.race([asking, closed]))?.trim().toLowerCase();
      if (answer === undefined) return null;
      if (/^(y|yes)$/.test(answer)) return 'allow';
      if (/^(n|no)$/.test(answer)) return 'deny';
    }
  } finally {
    lines.close();
  }
}

function explain(turnId: string, action: NonNullable<Turn['required_action']>, screen: Screen): void {
  for (const call of action.approvals) screen.add(`? ${describeCall(call)} waits for approval`);
  for (const call of action.tool_outputs) screen.add(`? ${describeCall(call)} waits for its output, ${call.id}`);
  if (action.approvals.length > 0) screen.add(`To decide, run “pawl watch ${turnId}” in a terminal.`);
  if (action.tool_outputs.length > 0) screen.add(`Send output to /v1/turns/${turnId}/tool_outputs.`);
}

function describeCall(call: Call): string {
  const { name, arguments: args } = makeVisible(call);
  return `${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`;
}
