import { styleText } from 'node:util';
import type { Screen } from '#cli/screen.ts';
import type { Count, Counts } from './count.ts';
import { KILLED_ROUND } from './travel-request.ts';

const NAME_WIDTH = 17;
const NUMBER_WIDTH = 7;

export function showCounts({ modelCalls, again, tools, events, webhooks }: Counts, screen: Screen): void {
  screen.title('Repeated work, counted at its source');
  screen.add(
    styleText('dim', `${' '.repeat(NAME_WIDTH)}${'needed'.padStart(NUMBER_WIDTH)}${'made'.padStart(NUMBER_WIDTH)}`),
  );
  screen.add(row(modelCalls, again.map(repeated).join(', ')));
  for (const tool of tools) screen.add(row(tool, tool.what === 'book_flight' ? 'at_most_once' : undefined));
  screen.add(row(events, events.isGapless ? `1 to ${events.times}, no gap, none twice` : 'out of order'));
  screen.add(row(webhooks, 'signature verified'));
}

function repeated(round: number): string {
  return `round ${round} again${round === KILLED_ROUND ? ': its worker was killed' : ''}`;
}

function row({ what, needed, times }: Count, note = ''): string {
  const numbers = String(needed).padStart(NUMBER_WIDTH) + String(times).padStart(NUMBER_WIDTH);
  const painted = needed === times ? numbers : styleText('yellow', numbers);
  return what.padEnd(NAME_WIDTH) + painted + (note && styleText('dim', `   ${note}`));
}
