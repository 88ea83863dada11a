import OpenAI from 'openai';
import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../test.ts';
import { openaiClient, raised } from './openai-client.ts';

const model = 'test';

describeQueue(({ redis }) => {
  test('a foreground create is answered when the response has ended', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const client = openaiClient(harness);

    const response = await client.responses.create({ model, input: scripted({ answer: 'Hello, Ada.' }) });

    expect(response).toMatchObject({ status: 'completed', output_text: 'Hello, Ada.', conversation: null, model });
    expect(await client.responses.retrieve(response.id)).toMatchObject({
      output: response.output,
      status: 'completed',
    });
    expect(await harness.findTurn(response.id.replace('resp_', 'turn_'))).toMatchObject({ output: 'Hello, Ada.' });
  });

  test('a background create is answered at once, and a read may wait for its end', async () => {
    await using harness = await createHarness({ redis });
    const client = openaiClient(harness, '/openai/v1');

    const queued = await client.responses.create({ model, input: scripted({ answer: 'Later.' }), background: true });
    expect(queued).toMatchObject({ status: 'queued', background: true, output: [], usage: null });
    await using _worker = await startBackgroundWorker(harness);
    const { body } = await harness.call('GET', `/v1/responses/${queued.id}?wait=30`);

    expect(body).toMatchObject({ id: queued.id, status: 'completed' });
  });
});

test('a stream ends with the response, and a stored response streams again', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const client = openaiClient(harness);
  const stream = client.responses.stream({ model, input: scripted({ answer: 'Hello, Ada.' }) });
  const final = await stream.finalResponse();
  const again = client.responses.stream({ response_id: final.id });

  expect(final).toMatchObject({ status: 'completed', output_text: 'Hello, Ada.' });
  expect((await again.finalResponse()).output).toEqual(final.output);
});

test.each([
  [400, OpenAI.BadRequestError, 'provider_invalid_request', {}],
  [400, OpenAI.BadRequestError, 'model_unsupported_feature', { body: { error: { code: 'unsupported_value' } } }],
  [404, OpenAI.BadRequestError, 'provider_model_not_found', {}],
  [401, OpenAI.InternalServerError, 'provider_authentication_failed', {}],
])('a provider error %i raises the matching client error with code %s', async (status, expected, code, more) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const input = scripted({ answer: 'Never.', final: { fault: { kind: 'status', status, ...more } } });

  const error = await raised(openaiClient(harness).responses.create({ model, input }));

  expect(error).toBeInstanceOf(expected);
  expect(error).toMatchObject({ code, param: null, headers: expect.anything() });
  expect(error.headers?.get('x-should-retry')).toBe('false');
  const id = error.headers?.get('pawl-response-id') ?? '';
  expect(await openaiClient(harness).responses.retrieve(id)).toMatchObject({ id, status: 'failed' });
});

test.each([
  [400, 'unknown_tool'],
  [503, 'mcp_server_unavailable'],
  [500, 'internal'],
])('a failed foreground response is answered with %i if its code is %s', async (status, code) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const fault = { kind: 'status' as const, status: 400 };
  const body = { model, input: scripted({ answer: 'Never.', final: { fault } }) };
  const create = () => openaiClient(harness).responses.create(body, { headers: { 'idempotency-key': 'once' } });
  await raised(create());
  await harness.db
    .updateTable('turns')
    .set({ error: { type: 'internal_error', code, message: 'Why.', retryable: false } })
    .execute();

  const error = await raised(create());

  expect(error).toMatchObject({ status, code, param: null });
  expect(error.headers?.get('x-should-retry')).toBe('false');
});

test('two creates with one idempotency key share one response', async ({ harness, client }) => {
  const body = { model, input: scripted({ answer: 'Once.' }) };
  const create = () => client.responses.create(body, { headers: { 'idempotency-key': 'once' } });

  const both = Promise.all([create(), create()]);
  await using _worker = await startBackgroundWorker(harness);
  const [one, other] = await both;

  expect(other).toEqual(one);
  expect(harness.modelRequests).toHaveLength(1);
  const error = await raised(
    client.responses.create({ ...body, user: 'else' }, { headers: { 'idempotency-key': 'once' } }),
  );
  expect(error).toBeInstanceOf(OpenAI.ConflictError);
  expect(error.headers?.get('x-should-retry')).toBe('false');
});

test('an unstored response is found by no route', async () => {
  await using harness = await createHarness();
  const client = openaiClient(harness);
  await using _worker = await startBackgroundWorker(harness);
  const response = await client.responses.create({ model, input: scripted({ answer: 'Secret.' }), store: false });

  const { id } = response;
  expect(response).toMatchObject({ store: false, output_text: 'Secret.' });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/input_items'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const) {
    const { status, body } = await harness.call(method, `/v1/responses/${id}${path}`);
    expect.soft([status, body]).toMatchObject([404, { error: { code: 'response_not_found' } }]);
  }
  const chained = await raised(client.responses.create({ model, input: 'And now?', previous_response_id: id }));
  expect(chained).toMatchObject({ status: 400, code: 'previous_response_not_found' });
});
