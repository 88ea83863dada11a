import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { drawTurnStates } from '../../docs/diagrams/draw.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the drawing of the states is that of its text', async () => {
  const drawn = await drawTurnStates();

  expect(read('docs/diagrams/turn-states.svg'), 'run `node docs/diagrams/draw.ts`').toBe(drawn);
});

test('the states that are drawn are those the table allows', () => {
  const [, allowed = ''] = read('migrations/0001-pawl.sql').match(/status in \(([^)]*'cancelled')\)/) ?? [];
  const statuses = allowed.split(', ').map((status) => status.replaceAll("'", ''));

  const edges = [...read('docs/diagrams/turn-states.dot').matchAll(/^ {2}(\w+) -> (\w+)/gm)];
  const drawn = new Set(edges.flatMap(([, from = '', to = '']) => [from, to]).filter((state) => state !== 'start'));

  expect([...drawn].sort()).toEqual(statuses.sort());
});
