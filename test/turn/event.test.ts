import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { durableEvents, isTerminalEvent, liveEvents } from '#core/turn/event.ts';

test('a turn ends with one of four events', () => {
  const types = Object.keys(durableEvents) as (keyof typeof durableEvents)[];

  expect(types.filter(isTerminalEvent)).toEqual([
    ...['turn.completed', 'turn.incomplete', 'turn.failed', 'turn.cancelled'],
  ]);
});

test('the table in the docs has each event as the list has it', () => {
  const page = readFileSync(new URL('../../docs/watching.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => /\| (?:durable|live) \|/.test(line));

  expect(rows).toEqual([...rowsOf('durable', durableEvents), ...rowsOf('live', liveEvents)]);
});

type Events = Record<string, { description: string; fields: readonly string[]; sentBy: readonly string[] }>;

function rowsOf(kind: 'durable' | 'live', events: Events): string[] {
  return Object.entries(events).map(([type, { description, fields, sentBy }]) => {
    const names = fields.map((name) => `\`${name}\``).join(' ');
    return `| \`${type}\` | ${description} | ${names ? `${names} ` : ''}| ${sentBy.join(', ')} | ${kind} |`;
  });
}
