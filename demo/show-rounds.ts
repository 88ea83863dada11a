import type { Screen } from './screen.ts';
import type { StepLog } from './step-log.ts';
import type { Round, Turn } from './turn-event.ts';

const TEXT_WIDTH = 40;

/** Shows a turn as it is stored: a row for each round, in the order of the calls, and the answer held once. */
export function showRounds({ rounds, output }: Turn, steps: StepLog, screen: Screen): void {
  screen.title('As stored');
  for (const round of rounds) {
    const text = round.assistant_response ?? output ?? '';
    screen.add(`${round.number}  ${short(text).padEnd(TEXT_WIDTH)}  ${workersOn(round, steps)}`);
    for (const line of callLines(round)) screen.add(`   ${line}`);
  }
}

function short(text: string): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > TEXT_WIDTH ? `${line.slice(0, TEXT_WIDTH - 1)}…` : line;
}

/** All that were on the round; the last one is whose reply is stored. */
function workersOn({ number }: Round, steps: StepLog): string {
  const starts = steps.all().filter(({ kind, round }) => kind === 'round' && round === number);
  return starts.map(({ worker }) => worker.name).join(' ✗ → ');
}

function callLines({ tool_calls: calls, results }: Round): string[] {
  return calls.map(({ id, name }) => {
    const result = results.find(({ tool_call_id: callId }) => callId === id);
    return `→ ${name}: ${result?.status ?? 'no result'}`;
  });
}
