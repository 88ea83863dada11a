import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { parseArguments } from '#core/tools/arguments/prepare-call.ts';
import { checkDefinitions } from '#core/tools/define/check.ts';
import { defineTool, type ToolContext, ToolFailed } from '#core/tools/define/tool.ts';

const named = { name: 'order_tea', description: 'Orders some cups of tea.' };
const context: ToolContext = {
  signal: new AbortController().signal,
  idempotencyKey: 'turn_1.1.call_1',
  turnId: 'turn_1',
  progress: () => {},
};

test('the model sees the input schema, and the tool gets the parsed input', async () => {
  const tool = defineTool({
    ...named,
    input: z.object({ cups: z.int().min(1).default(2), name: z.string().transform((name) => name.length) }),
    execute(input) {
      expectTypeOf(input).toEqualTypeOf<{ cups: number; name: number }>();
      return input;
    },
  });

  const output = await tool.run({ name: 'Ada' }, context);

  expect(tool.definition.parameters).toMatchObject({ type: 'object', required: ['name'] });
  expect(tool.definition.parameters).not.toHaveProperty('$schema');
  expect(output).toEqual({ cups: 2, name: 3 });
});

test('every option of defineTool is in the definition, in snake case', () => {
  const tool = defineTool({
    ...named,
    input: z.object({}),
    effect: 'idempotent',
    timeoutMs: 1000,
    retry: { maxAttempts: 5 },
    approval: 'always',
    expiresInSeconds: 60,
    cacheTtlSeconds: 10,
    rateLimit: { max: 2, perSeconds: 1 },
    capabilities: ['network'],
    statusText: 'Ordering…',
    execute: () => null,
  });

  expect(tool.definition).toMatchObject({
    type: 'function',
    ...named,
    execution: { kind: 'server' },
    effect: 'idempotent',
    timeout_ms: 1000,
    retry: { max_attempts: 5, backoff_ms: 500 },
    approval: 'always',
    expires_in_seconds: 60,
    cache_ttl_seconds: 10,
    rate_limit: { max: 2, per_seconds: 1 },
    capabilities: ['network'],
    status_text: 'Ordering…',
  });
});

test('an output schema checks the result of execute', async () => {
  const tool = defineTool({
    ...named,
    input: z.object({}),
    output: z.object({ cups: z.number() }),
    // @ts-expect-error: cups is a number
    execute: () => ({ cups: 'two' }),
  });

  await expect(tool.run({}, context)).rejects.toMatchObject({
    category: 'unknown',
    message: expect.stringContaining('cups: '),
  });
});

test('an option out of range is refused with the name of the tool', () => {
  const define = () => defineTool({ ...named, input: z.object({}), timeoutMs: 0, execute: () => null });

  expect(define).toThrow(/^Tool "order_tea": timeout_ms: /);
});

test.for<[misspelled: object, sentence: string]>([
  [{ approve: 'always' }, 'Tool "order_tea" has no option "approve". Known options: name, description, '],
  [{ timeout_ms: 1000 }, 'Tool "order_tea" has no option "timeout_ms". Write timeoutMs.'],
  [{ rate_limit: { max: 1, per_seconds: 1 } }, 'Tool "order_tea" has no option "rate_limit". Write rateLimit.'],
  [
    { rateLimit: { max: 1, per_seconds: 1 } },
    'Tool "order_tea": rateLimit has no option "per_seconds". Write perSeconds.',
  ],
  [
    { retry: { attempts: 3 } },
    'Tool "order_tea": retry has no option "attempts". Known options: maxAttempts, backoffMs.',
  ],
])('an unknown option is refused, with the tool and the valid options: %j', ([misspelled, sentence]) => {
  const define = () => defineTool({ ...named, input: z.object({}), execute: () => null, ...misspelled });

  expect(define).toThrow(sentence);
});

test('a recursive input becomes a schema that checks every depth', async () => {
  const Folder = z.object({
    name: z.string(),
    get folders() {
      return z.array(Folder);
    },
  });
  const tool = defineTool({ ...named, input: Folder, execute: ({ folders }) => folders.length });

  const problems = await checkDefinitions([tool.definition], 'strict');
  const text = '{"name":"a","folders":[{"name":7,"folders":[]}]}';
  const deep = await parseArguments(text, tool.definition.parameters, 'default');

  expect(problems).toEqual([]);
  expect(deep).toMatchObject({ error: { details: { 'folders[0].name': 'must be string' } } });
});

test('an unknown category becomes unknown, and the message stays', () => {
  const failure = new ToolFailed('bogus' as never, 'No tea left.');

  expect(failure).toMatchObject({ category: 'unknown', code: 'unknown', message: 'No tea left.' });
});

const example = 'input: z.object({ city: z.string() })';
const sound = { ...named, input: z.object({}), execute: () => null };

test.each<[string, unknown, string]>([
  [
    'no input',
    { ...sound, input: undefined },
    `Tool "order_tea": \`input\` is missing. Give a zod schema, as in ${example}.`,
  ],
  [
    'JSON Schema',
    { ...sound, input: { type: 'object' } },
    `Tool "order_tea": \`input\` is not a zod schema. Give a zod schema`,
  ],
  ['null as input', { ...sound, input: null }, 'Tool "order_tea": `input` is not a zod schema.'],
  [
    'zod 3',
    { ...sound, input: { _def: {}, parse: () => {} } },
    '`input` is a schema of zod 3. Use zod 4, which Pawl includes',
  ],
  ['an output of zod 3', { ...sound, output: { _def: {} } }, '`output` is a schema of zod 3.'],
  ['no name', { ...sound, name: undefined }, 'A tool: `name` is missing. Give a text, as in name: "get_weather".'],
  ['a number as name', { ...sound, name: 7 }, 'A tool: `name` is not a text.'],
  ['no description', { ...sound, description: undefined }, 'Tool "order_tea": `description` is missing. Give a text'],
  ['no execute', { ...sound, execute: undefined }, 'Tool "order_tea": `execute` is missing. Give a function'],
  ['a text as execute', { ...sound, execute: 'run' }, 'Tool "order_tea": `execute` is not a function.'],
  ['nothing', undefined, 'defineTool: `options` is missing. Give an object with name, description, input and execute.'],
  ['a text', 'order_tea', 'defineTool: `options` is not an object with name'],
])('defineTool refuses %s with a message', (_, options, sentence) => {
  expect(() => defineTool(options as typeof sound)).toThrow(sentence);
});

test('defineTool suggests execute if the function has a wrong name', () => {
  expect(() => defineTool({ ...named, input: z.object({}), run: () => null } as never)).toThrow(
    'Tool "order_tea": `execute` is missing. Give a function',
  );
});
