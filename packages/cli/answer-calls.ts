import { createInterface } from 'node:readline/promises';
import type { Turn, TurnHandle } from '../client/connect-pawl.ts';
import { makeVisible } from './make-visible.ts';
import type { Cli } from './run-cli.ts';
import { columnsOf, type Screen } from './screen.ts';
import { wrapLine } from './wrap-line.ts';

type Call = Turn['rounds'][number]['tool_calls'][number];

/** Asks whoever sits at the terminal about each call that waits to be allowed. False where the turn still waits then. */
export async function answerCalls(
  turn: TurnHandle,
  { isJson, screen }: { isJson: boolean; screen: Screen },
  cli: Cli,
): Promise<boolean> {
  for (;;) {
    const { required_action: action } = await turn.get({ signal: cli.signal });
    if (!action) return true;
    const [call] = action.approvals;
    const decision = call && cli.stdin.isTTY && !isJson ? await ask(call, cli) : null;
    if (!call || !decision) {
      if (!isJson) explain(turn.id, action, screen);
      return false;
    }
    await (decision === 'allow' ? turn.approve(call.id) : turn.deny(call.id));
  }
}

/** Null where the terminal is closed instead. */
async function ask(call: Call, { stdin, stdout, signal }: Cli): Promise<'allow' | 'deny' | null> {
  const lines = createInterface({ input: stdin, output: stdout, terminal: false });
  const asked = `        Allow ${told(call)}? [y/n] `;
  const closed = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    for (;;) {
      const question = wrapLine(asked, { width: columnsOf(stdout), margin: ' '.repeat(10) });
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
  for (const call of action.approvals) screen.add(`? ${told(call)} waits to be allowed`);
  for (const call of action.tool_outputs) screen.add(`? ${told(call)} waits for its output, ${call.id}`);
  if (action.approvals.length > 0) screen.add(`In a terminal “npx pawl watch ${turnId}” asks you.`);
  if (action.tool_outputs.length > 0) screen.add(`Send it to /v1/turns/${turnId}/tool_outputs.`);
}

function told(call: Call): string {
  const { name, arguments: args } = makeVisible(call);
  return `${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`;
}
