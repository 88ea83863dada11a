import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { refusalOf } from '../../refusals.ts';

const at = (kind: string, more = {}) => ({ kind, base_url: 'http://127.0.0.1:1', ...more });
const PAWL_PROVIDERS = JSON.stringify({
  ...{ acme: at('anthropic'), gem: at('gemini') },
  plain: at('openai', { structured_outputs: false, tools: false }),
});

// A refused request leaves no rows, so one harness serves all tests.
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ env: { PAWL_PROVIDERS } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const open = { type: 'object', properties: { city: { type: 'string' } } };
const place = (more: object = {}) => ({ name: 'place', schema: open, ...more });
const post = (output_schema: unknown, more: object = {}) =>
  refusalOf(harness, '/v1/turns', { model: 'openai/test', input: 'Hi', output_schema, ...more });

test.each([
  [{ schema: open }, 'missing_field: output_schema.name'],
  [{ name: 'place' }, 'missing_field: output_schema.schema'],
  [place({ name: 'the place' }), 'invalid_value: output_schema.name'],
  [place({ schema: [] }), 'invalid_value: output_schema.schema'],
  [place({ strict: 'yes' }), 'invalid_value: output_schema.strict'],
  [place({ mode: 'magic' }), 'invalid_value: output_schema.mode'],
  [place({ shema: open }), 'unknown_field: output_schema.shema'],
  [place({ schema: {} }), 'invalid_output_schema: output_schema.schema'],
  [place({ schema: { type: 'array', items: open } }), 'invalid_output_schema: output_schema.schema'],
  [place({ schema: { $ref: '#/$defs/a', $defs: { a: open } } }), 'invalid_output_schema: output_schema.schema'],
  [
    place({ schema: { type: 'object', properties: { a: { type: 'text' } } } }),
    'invalid_output_schema: output_schema.schema',
  ],
  [
    place({ schema: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } }),
    'invalid_output_schema: output_schema.schema.properties.a.$ref',
  ],
  [
    place({ schema: { type: 'object', properties: { a: { $ref: '#/properties/a' } } } }),
    'invalid_output_schema: output_schema.schema',
  ],
  [place({ schema: { ...open, required: ['town'] } }), 'invalid_output_schema: output_schema.schema.required'],
  [place({ schema: { ...open, description: 'x'.repeat(70_000) } }), 'invalid_output_schema: output_schema.schema'],
  [place({ strict: true }), 'invalid_output_schema: output_schema.schema'],
])('the output_schema %j is refused with its path', async (given, refusal) => {
  expect(await post(given)).toBe(`400 ${refusal}`);
  const body = { model: 'openai/test', output_schema: given };
  expect(await refusalOf(harness, '/v1/conversations', body)).toBe(`400 ${refusal}`);
});

test('output_schema goes into instructions if the provider lacks structured outputs', async () => {
  expect(await post(place(), { model: 'plain/x' })).toBe('202 accepted');
  expect(await post(place({ mode: 'native' }), { model: 'plain/x' })).toBe(
    '400 unsupported_parameter: output_schema.mode',
  );
  expect(await post(place({ mode: 'native' }), { fallback_models: ['openai/b', 'plain/x'] })).toBe(
    '400 unsupported_parameter: fallback_models[1]',
  );
});

test('output_schema cannot be native if tool calls are inline text', async () => {
  const inline = { tools: ['weather_lookup'], tool_mode: 'inline' };

  expect(await post(place(), inline)).toBe('202 accepted');
  expect(await post(place({ mode: 'native' }), inline)).toBe('400 unsupported_parameter: output_schema.mode');
  expect(await post(place({ mode: 'native' }), { tool_mode: 'inline' })).toBe('202 accepted');
});

test('strict of output_schema has no effect on wires other than Chat Completions', async () => {
  for (const model of ['acme/x', 'gem/x']) expect(await post(place({ strict: true }), { model })).toBe('202 accepted');
});

test.each([
  [{ stop: [] }, 'invalid_value: stop'],
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'invalid_value: stop'],
  [{ stop: [''] }, 'invalid_value: stop[0]'],
  [{ stop: 'END' }, 'invalid_value: stop'],
  [{ seed: 1.5 }, 'invalid_value: seed'],
  [{ seed: 7, model: 'acme/x' }, 'unsupported_parameter: seed'],
  [{ seed: 2 ** 40, model: 'gem/x' }, 'unsupported_parameter: seed'],
  [{ stop: ['END', ' \n'], model: 'acme/x' }, 'unsupported_parameter: stop[1]'],
])('the sampling field in %j is refused with its path', async (given, refusal) => {
  const body = { model: 'openai/test', input: 'Hi', ...given };

  expect(await refusalOf(harness, '/v1/turns', body)).toBe(`400 ${refusal}`);
});

test('turns inherit output_schema and sampling of a conversation unless they set them', async () => {
  const standing = { model: 'openai/test', output_schema: place(), stop: ['END'], seed: 7 };
  const { body: conversation } = await harness.call('POST', '/v1/conversations', { body: standing });
  const path = `/v1/conversations/${conversation.id}/turns`;
  const before = harness.modelRequests.length;

  await harness.call('POST', path, { body: { input: 'Hi' } });
  await harness.call('POST', path, { body: { input: 'Hi', output_schema: null, stop: null, seed: 0 } });
  await harness.workUntilIdle();

  const own = harness.modelRequests.slice(before).map(({ body }) => body);
  const asked = own.filter(({ stop, seed }) => stop !== undefined || seed !== undefined);
  expect(asked[0]).toMatchObject({ stop: ['END'], seed: 7, response_format: { json_schema: { name: 'place' } } });
  expect(asked.at(-1)).toMatchObject({ seed: 0 });
  expect(asked.at(-1)).not.toHaveProperty('stop');
  expect(asked.at(-1)).not.toHaveProperty('response_format');
});
