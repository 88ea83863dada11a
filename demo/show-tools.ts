import { styleText } from 'node:util';
import { paintWorker } from './paint-worker.ts';
import type { Screen } from './screen.ts';
import type { StepLog } from './step-log.ts';
import type { Call, TurnEvent } from './turn-event.ts';

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;

/** The tool calls of the round that was answered last. */
export type ToolShow = {
  expect(calls: Call[]): void;
  started(event: Of<'tool_call.started'>): void;
  progressed(event: Of<'tool_call.progress'>): void;
  completed(event: Of<'tool_call.completed'>): void;
};

const NAME_WIDTH = 18;

/** Shows a batch: who runs it, what each call does, when each result is saved, and when all are. */
export function showTools(screen: Screen, steps: StepLog): ToolShow {
  let calls: Call[] = [];
  let open = new Set<string>();
  let announced = 0;

  function announce(round: number): void {
    if (announced >= round) return;
    announced = round;
    const who = paintWorker(steps.workerOn('batch', round)?.name);
    screen.say(`tools · ${who} runs ${calls.length > 1 ? `${calls.length} calls side by side` : 'the call'}`);
  }
  const label = (id: string, name: string) => name.padEnd(NAME_WIDTH) + subjectOf(calls.find((call) => call.id === id));

  return {
    expect: (wanted) => {
      calls = wanted;
      open = new Set(wanted.map(({ id }) => id));
    },
    started: ({ round, tool_call_id: id, name, status_text: status }) => {
      announce(round);
      screen.add(`${styleText('dim', '▸')} ${label(id, name)}${styleText('dim', status ?? '')}`);
    },
    progressed: ({ tool_call_id: id, value }) => {
      const name = calls.find((call) => call.id === id)?.name ?? '';
      screen.add(`${styleText('dim', '▸')} ${label(id, name)}${styleText('dim', String(value))}`);
    },
    completed: ({ round, tool_call_id: id, name, result }) => {
      announce(round);
      const mark = result.status === 'success' ? styleText('green', '✓') : styleText('red', '✗');
      screen.add(`${mark} ${label(id, name)}${seconds(result.duration_ms)}`);
      if (open.delete(id) && open.size === 0) screen.say(styleText('green', `✓ checkpoint b${round}`));
    },
  };
}

const SUBJECT_WIDTH = 14;

/** The first argument says which of several calls of one tool it is. */
function subjectOf(call: Call | undefined): string {
  const [subject = ''] = Object.values(call?.arguments ?? {});
  return String(subject).padEnd(SUBJECT_WIDTH);
}

function seconds(ms: number | null): string {
  return ms === null ? '' : `${(ms / 1000).toFixed(2)} s`;
}
