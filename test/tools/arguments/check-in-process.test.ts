import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkInProcess, countProcesses } from '#core/tools/arguments/check-in-process.ts';
import { findViolations } from '#core/tools/arguments/find-violations.ts';
import { requireUsable, schemaSource } from '#core/tools/arguments/require-usable.ts';

test('light schemas start no process', async () => {
  const before = countProcesses();
  await requireUsable(flat('light', 20), schemaSource('default'));
  const found = await check({ light_0: 1 }, flat('light', 20));

  expect(found).toMatchObject({ count: 1, first: [{ steps: ['light_0'], message: 'must be string' }] });
  expect(countProcesses()).toBe(before);
});

test('a flat schema of 64 KiB is usable and checks a value', async () => {
  const schema = flat('wide', 2_400);

  await requireUsable(schema, schemaSource('default'));

  expect(await check({ wide_7: 'a' }, schema)).toEqual({ first: [], count: 0 });
  expect(await check({ wide_7: 1, wide_8: 2 }, schema)).toMatchObject({ count: 2 });
  expect(countProcesses()).toBeLessThanOrEqual(2);
});

test('a schema gets the same reason on the event loop and in its own process', async () => {
  const broken = { type: 'object', properties: { a: { $ref: '#/$defs/b' } } };
  const padded = { ...broken, description: 'x'.repeat(10_000) };

  const reasons = await Promise.all([broken, padded].map((schema) => reasonAgainst(schema)));

  expect(reasons[0]).toContain("can't resolve reference");
  expect(reasons[1]).toContain("can't resolve reference");
});

test('new schemas of a request above 8 KiB compile without blocking other work', async () => {
  const source = schemaSource('default');
  const schemas = Array.from({ length: 12 }, (_, n) => flat(`request_${n}`, 60));
  let [isOver, turnsOfLoop] = [false, 0];

  const all = (async () => {
    for (const schema of schemas) await requireUsable(schema, source);
    isOver = true;
  })();
  for (; !isOver; turnsOfLoop += 1) await setImmediate();
  await all;

  expect(turnsOfLoop).toBeGreaterThan(8);
});

test('a job that fills the memory of its process is answered, and the next too', async () => {
  const items = { type: 'array', items: { type: 'object', required: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] } };
  const schema = JSON.stringify({ type: 'object', properties: { rows: items } });
  const value = `{"rows":[${'{},'.repeat(1_000_000)}{}]}`;

  const filled = await checkInProcess({ project: 'busy', schema, value });
  const next = await checkInProcess({ project: 'busy', schema, value: '{"rows":[]}' });

  expect(['out-of-memory', 'out-of-time']).toContain(filled.kind);
  expect(next).toEqual({ kind: 'checked', violations: { first: [], count: 0 } });
});

function check(value: unknown, schema: Record<string, unknown>) {
  return findViolations({ value, text: JSON.stringify(value), project: 'default' }, schema);
}

async function reasonAgainst(schema: Record<string, unknown>): Promise<string> {
  return requireUsable(schema, schemaSource('default')).then(
    () => '',
    (error: Error) => error.message,
  );
}

function flat(name: string, many: number): Record<string, unknown> {
  const properties = Object.fromEntries(Array.from({ length: many }, (_, n) => [`${name}_${n}`, { type: 'string' }]));
  return { type: 'object', properties };
}
