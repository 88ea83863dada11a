import { styleText } from 'node:util';
import type { Turn } from 'pawl/client';
import type { Screen } from '#cli/screen.ts';
import { paintWorker } from '../paint-worker.ts';
import type { StepLog } from '../step-log.ts';

type Round = Turn['rounds'][number];

const TEXT_WIDTH = 44;

/** Shows a stored turn: each round with its text, its workers, its calls and their results. */
export function showRounds({ rounds }: Turn, steps: StepLog, screen: Screen): void {
  screen.title('The rounds as stored');
  for (const round of rounds) {
    const text =
      round.assistant_response ?? styleText('dim', 'the answer, stored once: in the turn'.padEnd(TEXT_WIDTH));
    screen.add(`${round.number}  ${short(text).padEnd(TEXT_WIDTH)}  ${workersOn(round, steps)}`);
    if (round.tool_calls.length > 0) screen.add(`   ${calls(round)}`);
  }
}

function short(text: string): string {
  return text.length > TEXT_WIDTH ? `${text.slice(0, TEXT_WIDTH - 1)}…` : text;
}

/** Returns all workers of the round, in order. The reply of the last worker is stored. */
function workersOn({ number }: Round, steps: StepLog): string {
  const starts = steps.all().filter(({ kind, round }) => kind === 'round' && round === number);
  return starts.map(({ worker }) => paintWorker(worker)).join(' ✗ ');
}

function calls({ tool_calls, results }: Round): string {
  const marks = tool_calls.map(({ id, name }) => {
    const result = results.find(({ tool_call_id: callId }) => callId === id);
    return `${result?.status === 'success' ? styleText('green', '✓') : styleText('red', '✗')} ${name}`;
  });
  return marks.join('  ');
}
