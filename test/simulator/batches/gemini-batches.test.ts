import { expect } from 'vitest';
import { type Batches, contentRequest, HOUR_MS, scriptText, test } from './ask-batches.ts';

const CREATE = '/v1beta/models/demo:batchGenerateContent';

function create({ gemini }: Batches, requests: object[], displayName = 'key_1') {
  return gemini.batches.create({ model: 'demo', src: { inlinedRequests: requests }, config: { displayName } });
}

test('a batch of Gemini answers each request in the order of the requests', async ({ model }) => {
  const functionDeclarations = [{ name: 'get_weather', parametersJsonSchema: { type: 'object' } }];
  const config = { tools: [{ functionDeclarations }] };

  const created = await create(model, [
    contentRequest('one', { answer: 'First.' }),
    { ...contentRequest('two', { rounds: [{ tools: [{ name: 'get_weather' }] }] }), config },
    contentRequest('busy', { final: { fault: { kind: 'status', status: 503 } } }),
  ]);
  const ended = await model.gemini.batches.get({ name: created.name! });

  expect(created).toMatchObject({ state: 'JOB_STATE_PENDING', displayName: 'key_1', model: 'models/demo' });
  expect(ended.state).toBe('JOB_STATE_SUCCEEDED');
  expect(ended.dest?.inlinedResponses).toMatchObject([
    {
      metadata: { key: 'one' },
      response: {
        candidates: [{ content: { parts: [{ text: 'First.' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: expect.any(Number) },
      },
    },
    {
      metadata: { key: 'two' },
      response: {
        candidates: [
          {
            content: { parts: [{ functionCall: { name: 'get_weather', args: {} }, thoughtSignature: 'c2ltdWxhdGVk' }] },
          },
        ],
      },
    },
    { metadata: { key: 'busy' }, error: { code: 14, message: expect.stringContaining('overloaded') } },
  ]);
});

test('an operation of a batch of Gemini has its response only after its end', async ({ model }) => {
  const { name } = await create(model, [contentRequest('one', { batch: { delay_ms: HOUR_MS } })]);

  const running = await model.fetch(`/v1beta/${name}`);
  model.simulator.batches.end(name!.replace('batches/', ''));
  const { body } = await model.fetch(`/v1beta/${name}`);

  expect(running.body).not.toHaveProperty('done');
  expect(running.body).toMatchObject({ metadata: { state: 'BATCH_STATE_RUNNING', batchStats: { requestCount: '1' } } });
  expect(body).toMatchObject({
    done: true,
    metadata: { state: 'BATCH_STATE_SUCCEEDED', batchStats: { successfulRequestCount: '1' } },
    response: { inlinedResponses: { inlinedResponses: [{ metadata: { key: 'one' } }] } },
  });
});

test('a list of batches of Gemini has pages, the latest batch first', async ({ model }) => {
  for (const name of ['one', 'two', 'three']) await create(model, [contentRequest(name, {})], name);

  const names: unknown[] = [];
  for await (const { displayName } of await model.gemini.batches.list({ config: { pageSize: 2 } })) {
    names.push(displayName);
  }

  expect(names).toEqual(['three', 'two', 'one']);
});

test('a cancelled batch of Gemini has an error, and a deleted batch is not found', async ({ model }) => {
  const { name } = await create(model, [contentRequest('one', { batch: { end: 'never' } })]);

  await model.gemini.batches.cancel({ name: name! });
  const cancelled = await model.gemini.batches.get({ name: name! });
  await model.gemini.batches.delete({ name: name! });

  expect(cancelled.state).toBe('JOB_STATE_CANCELLED');
  expect(cancelled.dest).toBeUndefined();
  await expect(model.gemini.batches.get({ name: name! })).rejects.toMatchObject({ status: 404 });
});

const request = { contents: [{ role: 'user', parts: [{ text: scriptText({}) }] }] };

test.for<[reason: string, batch: object, message: string]>([
  ['it has no name', { display_name: undefined }, "at 'batch.displayName'"],
  ['it has no request', { input_config: { requests: { requests: [] } } }, 'requests.requests'],
  ['a request streams', { input_config: inputOf({ ...request, stream: true }) }, 'Unknown name "stream"'],
  ['a request has the body of another wire', { input_config: inputOf({ messages: [] }) }, 'contents'],
  ['a request has another model', { input_config: inputOf({ ...request, model: 'models/x' }) }, 'models/demo'],
])('a batch of Gemini is refused if %s', async ([_reason, fields, message], { model }) => {
  const batch = { display_name: 'key_1', input_config: inputOf(request), ...fields };

  const refused = await model.fetch(CREATE, { method: 'POST', body: { batch } });

  const error = { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) };
  expect(refused).toMatchObject({ status: 400, body: { error } });
  expect(model.simulator.batches.list()).toEqual([]);
});

test('a batch of Gemini is refused if it is too large', async ({ model }) => {
  model.simulator.batches.limits.maxBytes = 1;

  const refused = await model.fetch(CREATE, { method: 'POST', body: {} });

  expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('payload size') } } });
});

function inputOf(sent: object) {
  return { requests: { requests: [{ request: sent, metadata: { key: 'one' } }] } };
}
