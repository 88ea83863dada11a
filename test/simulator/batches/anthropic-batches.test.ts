import type Anthropic from '@anthropic-ai/sdk';
import { expect } from 'vitest';
import { type Batches, HOUR_MS, linesOf, messageRequest, scriptText, test } from './ask-batches.ts';

const PATH = '/v1/messages/batches';

async function resultsOf({ anthropic }: Batches, id: string) {
  const results: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const result of await anthropic.messages.batches.results(id)) results.push(result);
  return results;
}

test('a batch of Anthropic answers each request in another order', async ({ model }) => {
  const { batches } = model.anthropic.messages;
  const { custom_id, params } = messageRequest('two', { rounds: [{ tools: [{ name: 'get_weather' }] }] });
  const tools = [{ name: 'get_weather', input_schema: { type: 'object' as const } }];

  const created = await batches.create({
    requests: [
      messageRequest('one', { answer: 'First.' }),
      { custom_id, params: { ...params, tools } },
      messageRequest('busy', { final: { fault: { kind: 'status', status: 529 } } }),
    ],
  });
  const ended = await batches.retrieve(created.id);
  const results = await resultsOf(model, created.id);

  expect(created).toMatchObject({
    processing_status: 'in_progress',
    request_counts: { processing: 3, succeeded: 0 },
    results_url: null,
  });
  expect(ended).toMatchObject({
    processing_status: 'ended',
    request_counts: { processing: 0, succeeded: 2, errored: 1 },
  });
  expect(results).toMatchObject([
    {
      custom_id: 'two',
      result: {
        type: 'succeeded',
        message: {
          stop_reason: 'tool_use',
          content: [{ type: 'tool_use', name: 'get_weather', input: {} }],
          usage: { service_tier: 'batch', input_tokens: expect.any(Number) },
        },
      },
    },
    { custom_id: 'busy', result: { type: 'errored', error: { type: 'error', error: { type: 'overloaded_error' } } } },
    { custom_id: 'one', result: { message: { content: [{ type: 'text', text: 'First.' }], stop_reason: 'end_turn' } } },
  ]);
});

test('a batch of Anthropic has results, and can be deleted, only after its end', async ({ model }) => {
  const { batches } = model.anthropic.messages;
  const { id } = await batches.create({ requests: [messageRequest('one', { batch: { delay_ms: HOUR_MS } })] });

  const early = await model.fetch(`${PATH}/${id}/results`);
  await expect(batches.delete(id)).rejects.toMatchObject({ status: 400 });
  model.simulator.batches.end(id);
  const deleted = await batches.delete(id);

  expect(early).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
  expect(deleted).toEqual({ id, type: 'message_batch_deleted' });
  await expect(batches.retrieve(id)).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
});

test('a cancelled batch of Anthropic has cancelled results', async ({ model }) => {
  const { batches } = model.anthropic.messages;
  const { id } = await batches.create({ requests: [messageRequest('one', { batch: { end: 'never' } })] });

  const cancelling = await batches.cancel(id);
  const cancelled = await batches.retrieve(id);

  expect(cancelling).toMatchObject({ processing_status: 'canceling', request_counts: { processing: 1 } });
  expect(cancelled).toMatchObject({ processing_status: 'ended', request_counts: { canceled: 1 } });
  expect(await resultsOf(model, id)).toEqual([{ custom_id: 'one', result: { type: 'canceled' } }]);
});

test('a list of batches of Anthropic has pages, the latest batch first', async ({ model }) => {
  const { batches } = model.anthropic.messages;
  const ids: string[] = [];
  for (const id of ['one', 'two', 'three'])
    ids.unshift((await batches.create({ requests: [messageRequest(id, {})] })).id);

  const page = await batches.list({ limit: 2 });
  const all: string[] = [];
  for await (const { id } of page) all.push(id);

  expect([page.data.map(({ id }) => id), page.has_more, page.last_id]).toEqual([ids.slice(0, 2), true, ids[1]]);
  expect(all).toEqual(ids);
  await expect(batches.list({ limit: 1001 })).rejects.toMatchObject({ status: 400 });
});

const one = messageRequest('one', {});

test.for<[reason: string, requests: object[], message: string]>([
  ['it has no request', [], 'requests: '],
  ['a custom_id is missing', [{ params: one.params }], 'requests.0.custom_id: Field required'],
  ['a custom_id is not valid', [{ ...one, custom_id: 'a.b' }], 'requests.0.custom_id: String should match pattern'],
  ['a custom_id is a duplicate', [one, one], 'custom_id must be unique'],
  ['a request streams', [{ ...one, params: { ...one.params, stream: true } }], 'requests.0.params.stream: '],
  [
    'max_tokens is missing',
    [one, { custom_id: 'two', params: { ...one.params, max_tokens: undefined } }],
    'requests.1.params.max_tokens: Field required',
  ],
  ['it has an unknown field', [{ ...one, key: 'x' }], 'requests.0.key: Extra inputs are not permitted'],
])('a batch of Anthropic is refused if %s', async ([_reason, requests, message], { model }) => {
  const refused = await model.fetch(PATH, { method: 'POST', body: { requests } });

  const error = { type: 'invalid_request_error', message: expect.stringContaining(message) };
  expect(refused).toMatchObject({ status: 400, body: { type: 'error', error } });
  expect(model.simulator.batches.list()).toEqual([]);
});

test('a batch of Anthropic is refused if it is too large, or without a version', async ({ model }) => {
  model.simulator.batches.limits.maxRequests = 1;
  const body = { requests: [one, messageRequest('two', {})] };

  const tooMany = await model.fetch(PATH, { method: 'POST', body });
  model.simulator.batches.limits.maxBytes = 1;
  const tooLong = await model.fetch(PATH, { method: 'POST', body });
  const unversioned = await fetch(`${model.origin}${PATH}`);

  const error = { type: 'request_too_large' };
  expect([tooMany, tooLong]).toMatchObject(Array.from({ length: 2 }, () => ({ status: 413, body: { error } })));
  expect(unversioned.status).toBe(400);
});

test('a batch of Anthropic has errored results for requests that fail in its run', async ({ model }) => {
  const messages = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'Sunny' }] }];
  const requests = [
    { custom_id: 'orphan', params: { ...one.params, messages } },
    { custom_id: 'unknown', params: { ...one.params, stop: ['x'] } },
    { custom_id: 'script', params: { ...one.params, messages: [{ role: 'user', content: scriptText({ x: 1 }) }] } },
  ];

  const { body } = await model.fetch(PATH, { method: 'POST', body: { requests } });
  const { text } = await model.fetch(`${PATH}/${body.id}/results`);

  const results = linesOf(text).map(({ custom_id, result }) => [custom_id, result.type, result.error.error.type]);
  expect(results).toEqual([
    ['unknown', 'errored', 'invalid_request_error'],
    ['script', 'errored', 'invalid_request_error'],
    ['orphan', 'errored', 'invalid_request_error'],
  ]);
});
