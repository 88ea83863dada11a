import fc from 'fast-check';
import { expect } from 'vitest';
import { test } from '../test.ts';

const ids = fc.constantFrom('call_a', 'call_b', 'call_c');
const text = fc.constantFrom('Hi', '', ' ', 'And?', '🐢');
const called = (id: string) => ({ id, type: 'function', function: { name: 'locate', arguments: '{}' } });

/** Well-formed messages in any order. */
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user', 'assistant'), content: text }),
  fc.record({ role: fc.constant('tool'), tool_call_id: ids, content: text }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.option(text, { nil: null }),
    tool_calls: fc.array(ids.map(called), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ role: fc.constant('function'), name: fc.constant('locate'), content: text }),
  fc.record({ role: fc.constant('assistant'), function_call: fc.constant(called('x').function) }),
);

const names = [
  ...[
    'messages',
    'tools',
    'functions',
    'tool_choice',
    'function_call',
    'response_format',
    'stop',
    'n',
    'stream_options',
  ],
  ...['metadata', 'modalities', 'audio', 'logit_bias', 'max_tokens', 'temperature', 'store', 'pawl', 'user', 'seed'],
  ...['reasoning_effort', 'service_tier', 'model'],
];
const body = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, maxKeys: 4 });

type Answer = { error?: { message: string; type: string; param: string | null; code: string } };

/** Expects a refusal with a sentence, a path, and a code that does not blame a provider. */
function expectRefusal({ error }: Answer, about: unknown): void {
  const details = JSON.stringify([about, error]);
  expect(error, details).toMatchObject({ type: 'invalid_request_error', code: expect.any(String) });
  expect(error?.code, details).not.toMatch(/^provider_|^internal/);
  expect(error?.message, details).toMatch(/\S\.$/);
  expect(error?.message, details).not.toMatch(
    /undefined|\[object|NaN|Zod|resp_|function_call_output(?! with)|\binput\[/,
  );
}

test('a create request with random fields is answered or refused, and never fails', async ({ harness, worker: _ }) => {
  const messages = [{ role: 'user', content: 'Hi' }];

  await fc.assert(
    fc.asyncProperty(body, async (fields) => {
      const given = { model: 'test', messages, ...fields };
      const answer = await harness.call<Answer>('POST', '/v1/chat/completions', { body: given });
      expect([200, 400], JSON.stringify([given, answer.body])).toContain(answer.status);
      if (answer.status === 400) expectRefusal(answer.body, given);
    }),
    { numRuns: 80, seed: 1 },
  );
});

test('random messages are either refused by Pawl or valid for the provider', async ({ harness, worker: _ }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 6 }), async (messages) => {
      const given = { model: 'test', messages };
      const answer = await harness.call<Answer>('POST', '/v1/chat/completions', { body: given });
      expect([200, 400], JSON.stringify([given, answer.body])).toContain(answer.status);
      if (answer.status === 400) expectRefusal(answer.body, given);
      if (answer.status === 400) expect(answer.body.error?.param, JSON.stringify(given)).toMatch(/^messages/);
    }),
    { numRuns: 80, seed: 2 },
  );
});
