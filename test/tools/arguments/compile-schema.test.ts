import { expect, test } from 'vitest';
import { compileSchema, countCompiled } from '#core/tools/arguments/compile-schema.ts';
import { checkDefinitions } from '#core/tools/define/check.ts';
import { Tool } from '#core/turn/request/tool.ts';

test('a compiled schema is kept until newer schemas have too much text', () => {
  const schema = commented('mine', 10);
  const check = compileSchema(schema);
  compileSchema(commented('small', 10));
  const isKept = compileSchema(schema) === check;

  for (let n = 0; n < 40; n += 1) compileSchema(commented(`large ${n}`, 60_000));

  expect(isKept).toBe(true);
  expect(compileSchema(schema)).not.toBe(check);
});

test('schemas that are only checked are not kept compiled', async () => {
  const before = countCompiled();

  for (let n = 0; n < 30; n += 1) expect(await check(commented(`s${n}`, 1_000))).toEqual([]);

  expect(countCompiled()).toEqual(before);
});

test('a refused schema is refused again without its own text', async () => {
  const parameters = { type: 'object', properties: { a: { $ref: `#/$defs/${'b'.repeat(50_000)}` } } };

  const first = await check(parameters);
  const second = await check(parameters);

  expect(first).toMatchObject([{ message: expect.stringContaining("can't resolve reference") }]);
  expect(first[0]?.message.length).toBeLessThan(700);
  expect(second).toEqual(first);
});

function check(parameters: Record<string, unknown>) {
  return checkDefinitions([Tool.parse({ name: 'look_up', description: 'Looks something up.', parameters })], 'strict');
}

function commented(text: string, length: number): Record<string, unknown> {
  return { type: 'object', properties: {}, $comment: text.padEnd(length) };
}
