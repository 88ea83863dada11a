import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { durableEvents, isTerminalEvent, liveEvents } from '#core/turn/event.ts';

test('a turn ends with one of four events', () => {
  const types = Object.keys(durableEvents) as (keyof typeof durableEvents)[];

  expect(types.filter(isTerminalEvent)).toEqual([
    ...['turn.completed', 'turn.incomplete', 'turn.failed', 'turn.cancelled'],
  ]);
});

test('the table in the docs lists each event', () => {
  const page = readFileSync(new URL('../../docs/watching.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `\w+(?:\.\w+)+` \|/.test(line));

  const all = [...Object.entries(durableEvents), ...Object.entries(liveEvents)];
  expect(rows).toEqual([
    ...all.map(([type, { description, sentBy }]) => `| \`${type}\` | ${description} | ${sentBy.join(', ')} |`),
    ...fieldRows('durable', durableEvents),
    ...fieldRows('live', liveEvents),
  ]);
});

function fieldRows(kind: 'durable' | 'live', events: Record<string, { fields: readonly string[] }>): string[] {
  return Object.entries(events).map(([type, { fields }]) => {
    const names = fields.map((name) => `\`${name}\` `).join('');
    return `| \`${type}\` | ${names}| ${kind} |`;
  });
}
