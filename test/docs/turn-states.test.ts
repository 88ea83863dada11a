import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { drawTurnStates } from '../../docs/diagrams/draw.ts';

const sources = globSync('packages/core/checkpoint/**/*.ts').map((path) => readFileSync(path, 'utf8'));
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the drawing of the turn states is generated from its text', async () => {
  const drawn = await drawTurnStates();

  expect(read('docs/diagrams/turn-states.svg'), 'run `node docs/diagrams/draw.ts`').toBe(drawn);
});

test('the drawn turn states are those that the tables allow', () => {
  const checks = ['turns_end_with_a_status', 'work_is_queued_in_progress_or_waits'];
  const statuses = checks.flatMap((name) => {
    const [, allowed = ''] =
      read('migrations/0001-pawl.sql').match(`${name} check \\(status in \\(([^)]*)\\)\\)`) ?? [];
    return allowed.split(', ').map((status) => status.replaceAll("'", ''));
  });

  const edges = [...read('docs/diagrams/turn-states.dot').matchAll(/^ {2}(\w+) -> (\w+)/gm)];
  const drawn = new Set(edges.flatMap(([, from = '', to = '']) => [from, to]).filter((state) => state !== 'start'));

  expect([...drawn].sort()).toEqual(statuses.sort());
});

test('the README of the verbs has the same transitions as the architecture', () => {
  const transitionsOf = (path: string) => read(path).match(/<!-- transitions -->\n(.*?)<!-- end -->/s)?.[1];

  const ofRoom = transitionsOf('packages/core/checkpoint/turns/README.md');

  expect(ofRoom).toContain('| `saveRound` |');
  expect(transitionsOf('docs/architecture.md')).toBe(ofRoom);
});

test('each verb of the transitions is a function of the checkpoint or of its migration', () => {
  const table = read('packages/core/checkpoint/turns/README.md').match(/^\| `[^|]+/gm) ?? [];
  const verbs = table.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, verb]) => verb));

  const missing = verbs.filter((verb) => !sources.some((source) => source.includes(`export async function ${verb}(`)));

  expect(verbs.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});
