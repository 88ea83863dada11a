import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';

// A refused request leaves no rows, so one harness serves all tests.
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** A value for which `String` throws. */
const noText = { toString: null, valueOf: null };
const model = 'openai/test';
const toolWith = (parameters: object) => [{ name: 'look', description: 'Looks something up', parameters }];
const large = (type: unknown) => [
  { role: 'user', content: [{ type: 'input_image', image_url: 'x'.repeat(2 ** 21) }] },
  { type },
];

test.each([
  ['the type of an item', '/v1/responses', { model, input: [{ type: noText }] }],
  ['the type of an item in a large body', '/v1/turns', { model, input: large(noText) }],
  ['the name of a prototype as a type in a large body', '/v1/turns', { model, input: large('__proto__') }],
  ['a required name', '/v1/turns', { model, input: 'Hi', tools: toolWith({ type: 'object', required: [noText] }) }],
  ['a reference', '/v1/turns', { model, input: 'Hi', tools: toolWith({ type: 'object', $ref: noText }) }],
])('%s that is not a text is refused with 400', async (_field, path, body) => {
  const { status } = await harness.call('POST', path, { body });

  expect(status).toBe(400);
});
