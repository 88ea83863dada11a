import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolContext } from '#core/tools/define-tool.ts';

const named = { name: 'order_tea', description: 'Orders some cups of tea.' };
const context: ToolContext = {
  signal: new AbortController().signal,
  idempotencyKey: 'turn_1.1.call_1',
  turnId: 'turn_1',
  progress: () => {},
};

test('the model sees what may be sent, the tool gets what the input makes of it', async () => {
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

test('every option reaches the definition in the spelling of the contract', () => {
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

test('an output schema says what execute returns', async () => {
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
