import type { Turn, TurnEvent, TurnHandle } from '../client/connect-pawl.ts';
import { answerCalls } from './answer-calls.ts';
import { makeVisible } from './make-visible.ts';
import type { Cli } from './run-cli.ts';
import { openScreen } from './screen.ts';
import { showEvents } from './show-events.ts';

const EXIT_CODE = { completed: 0, ended: 1, waiting: 3, left: 130 };

/** Shows a turn to its end, asking about what it waits for; answers the exit code. Ctrl-C leaves it, and it goes on. */
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
  const connected = (isSo: boolean) =>
    void stderr.write(
      isSo ? 'Connected again.\n' : 'The server is away; the turn is shown on as soon as it is back.\n',
    );
  let ended: Turn | undefined;
  if (!isJson) screen.say(turn.id);
  try {
    for await (const event of turn.events({ signal, after, connected })) {
      show(event);
      if ('turn' in event) ended = event.turn;
      if (event.type !== 'turn.requires_action') continue;
      if (!(await answerCalls(turn, { isJson, screen }, cli))) return EXIT_CODE.waiting;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    stderr.write(`\nThe turn goes on without you. Watch it again: npx pawl watch ${turn.id}\n`);
    return EXIT_CODE.left;
  }
  if (ended?.status === 'failed') stderr.write(`Let it go on from its last checkpoint: npx pawl retry ${turn.id}\n`);
  return ended?.status === 'completed' ? EXIT_CODE.completed : EXIT_CODE.ended;
}
