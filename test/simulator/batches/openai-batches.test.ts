import { toFile } from 'openai';
import { expect } from 'vitest';
import { type Batches, chatLine, HOUR_MS, linesOf, scriptText, test } from './ask-batches.ts';

const weather = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } };

async function resultsOf({ openai }: Batches, file: string | undefined | null) {
  return file ? linesOf(await (await openai.files.content(file)).text()) : null;
}

test('a batch of OpenAI has results in another order, and errors in a second file', async ({ model }) => {
  const rounds = [{ tools: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }] }];

  const created = await model.createFile(
    [
      chatLine('one', { answer: 'First.' }),
      chatLine('two', { rounds }, { tools: [weather] }),
      chatLine('bad', {}, { tools: 'none' }),
      chatLine('busy', { final: { fault: { kind: 'status', status: 503 } } }),
    ],
    { metadata: { pawl_batch: 'key_1' } },
  );
  const ended = await model.openai.batches.retrieve(created.id);
  const [answers, errors] = [await resultsOf(model, ended.output_file_id), await resultsOf(model, ended.error_file_id)];

  expect(created).toMatchObject({ status: 'validating', metadata: { pawl_batch: 'key_1' }, output_file_id: null });
  expect(ended).toMatchObject({ status: 'completed', request_counts: { total: 4, completed: 2, failed: 2 } });
  expect(answers).toMatchObject([
    {
      custom_id: 'two',
      error: null,
      response: {
        status_code: 200,
        body: {
          object: 'chat.completion',
          service_tier: 'default',
          choices: [{ message: { tool_calls: [{ function: { name: 'get_weather' } }] }, finish_reason: 'tool_calls' }],
        },
      },
    },
    { custom_id: 'one', response: { body: { choices: [{ message: { content: 'First.' } }] } } },
  ]);
  expect(errors).toMatchObject([
    { custom_id: 'busy', error: null, response: { status_code: 503, body: { error: { code: 'overloaded' } } } },
    { custom_id: 'bad', error: null, response: { status_code: 400, body: { error: { code: 'invalid_request' } } } },
  ]);
});

test('a batch of OpenAI answers lines of the Responses wire', async ({ model }) => {
  const body = { model: 'demo', input: scriptText({ answer: 'Sunny.' }), store: false };
  const url = '/v1/responses';

  const created = await model.createFile([{ custom_id: 'one', method: 'POST', url, body }], { endpoint: url });
  const ended = await model.openai.batches.retrieve(created.id);

  expect(await resultsOf(model, ended.output_file_id)).toMatchObject([
    {
      custom_id: 'one',
      response: { body: { object: 'response', service_tier: 'default', output: [{ content: [{ text: 'Sunny.' }] }] } },
    },
  ]);
  expect(ended.error_file_id).toBeNull();
});

test('a batch of OpenAI without a failed line has no file of errors until it ends', async ({ model }) => {
  const { id } = await model.createFile([chatLine('one', { batch: { delay_ms: HOUR_MS } })]);

  const running = await model.openai.batches.retrieve(id);
  model.simulator.batches.end(id);
  const ended = await model.openai.batches.retrieve(id);

  expect(running).toMatchObject({ status: 'in_progress', output_file_id: null, error_file_id: null });
  expect(ended).toMatchObject({ status: 'completed', output_file_id: expect.any(String), error_file_id: null });
});

test('a list of batches of OpenAI has pages, the latest batch first, of one account', async ({ model }) => {
  const ids: string[] = [];
  for (const id of ['one', 'two', 'three']) ids.unshift((await model.createFile([chatLine(id, {})])).id);

  const page = await model.openai.batches.list({ limit: 2 });
  const all: string[] = [];
  for await (const { id } of page) all.push(id);
  const other = await model.openai.withOptions({ apiKey: 'other' }).batches.list();

  expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(page.has_more).toBe(true);
  expect(all).toEqual(ids);
  expect(other.data).toEqual([]);
  await expect(model.openai.batches.list({ after: 'batch_x' })).rejects.toMatchObject({ status: 400 });
});

test('a cancelled batch of OpenAI has errors in place of answers', async ({ model }) => {
  const { id } = await model.createFile([chatLine('one', { batch: { end: 'never' } })]);

  const cancelling = await model.openai.batches.cancel(id);
  const cancelled = await model.openai.batches.retrieve(id);

  expect([cancelling.status, cancelled.status]).toEqual(['cancelling', 'cancelled']);
  expect(await resultsOf(model, cancelled.error_file_id)).toMatchObject([
    { custom_id: 'one', response: null, error: { code: 'batch_cancelled' } },
  ]);
  await expect(model.openai.batches.cancel(id)).rejects.toMatchObject({ status: 409 });
});

test('a file of a batch is deleted once, and then not found', async ({ model }) => {
  const { input_file_id: id } = await model.createFile([chatLine('one', {})]);

  const file = await model.openai.files.retrieve(id);
  const deleted = await model.openai.files.delete(id);

  expect(file).toMatchObject({ object: 'file', purpose: 'batch', filename: 'lines.jsonl', status: 'processed' });
  expect(deleted).toEqual({ id, object: 'file', deleted: true });
  await expect(model.openai.files.retrieve(id)).rejects.toMatchObject({ status: 404 });
  await expect(model.openai.files.delete(id)).rejects.toMatchObject({ status: 404 });
});

const line = chatLine('one', {});

test.for<[reason: string, lines: Parameters<Batches['createFile']>[0], error: object]>([
  ['has no line', '\n', { code: 'empty_file' }],
  ['has broken JSON', `${JSON.stringify(line)}\n{"custom`, { code: 'invalid_json_line', line: 2 }],
  [
    'lacks a custom_id',
    [{ ...line, custom_id: undefined }],
    { code: 'missing_required_parameter', param: 'custom_id' },
  ],
  ['repeats a custom_id', [line, line], { code: 'duplicate_custom_id', line: 2 }],
  ['has two models', [line, chatLine('two', {}, { model: 'x' })], { code: 'model_mismatch', line: 2 }],
  ['has another URL', [{ ...line, url: '/v1/responses' }], { code: 'url_mismatch', line: 1 }],
  ['has another method', [{ ...line, method: 'GET' }], { code: 'invalid_value', param: 'method' }],
  ['streams', [chatLine('one', {}, { stream: true })], { code: 'invalid_value', param: 'body.stream' }],
  ['has an unknown field', [{ ...line, priority: 1 } as object], { code: 'unknown_parameter', param: 'priority' }],
])('a batch of OpenAI fails if its file %s', async ([_reason, lines, error], { model }) => {
  const created = await model.createFile(lines);
  const failed = await model.openai.batches.retrieve(created.id);

  expect(created.status).toBe('validating');
  expect(failed).toMatchObject({ status: 'failed', errors: { data: [error] }, request_counts: { total: 0 } });
  expect(model.simulator.batches.created).toEqual([]);
});

test('a batch of OpenAI fails if it has too many requests', async ({ model }) => {
  model.simulator.batches.limits.maxRequests = 1;

  const { id } = await model.createFile([line, chatLine('two', {})]);
  const failed = await model.openai.batches.retrieve(id);

  expect(failed).toMatchObject({ status: 'failed', errors: { data: [{ code: 'too_many_tasks', line: null }] } });
});

test('an upload for a batch is refused if its file, purpose or time is not valid', async ({ model }) => {
  const upload = async (name: string, params: object = {}) =>
    model.openai.files.create({ purpose: 'batch', file: await toFile(Buffer.from('{}'), name), ...params });

  const expiring = await upload('a.jsonl', { expires_after: { anchor: 'created_at', seconds: 259_200 } });

  expect(expiring.expires_at).toBe(expiring.created_at + 259_200);
  await expect(upload('a.txt')).rejects.toMatchObject({ status: 400, param: 'file' });
  await expect(upload('a.jsonl', { purpose: 'vision' })).rejects.toMatchObject({ status: 400, param: 'purpose' });
  await expect(upload('a.jsonl', { expires_after: { anchor: 'created_at', seconds: 1 } })).rejects.toMatchObject({
    status: 400,
    param: 'expires_after',
  });
  model.simulator.batches.limits.maxBytes = 1;
  await expect(upload('a.jsonl')).rejects.toMatchObject({ status: 413 });
});

test('a create of a batch of OpenAI is refused if a field is not valid', async ({ model }) => {
  const { input_file_id: file } = await model.createFile([line]);
  const create = (params: object) =>
    model.openai.batches.create({
      ...{ input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' },
      ...params,
    });

  await expect(create({ endpoint: '/v1/embeddings' })).rejects.toMatchObject({ status: 400, param: 'endpoint' });
  await expect(create({ completion_window: '1h' })).rejects.toMatchObject({ status: 400, param: 'completion_window' });
  await expect(create({ metadata: { key: 'x'.repeat(513) } })).rejects.toMatchObject({ status: 400 });
  await expect(create({ input_file_id: 'file-x' })).rejects.toMatchObject({ status: 400, param: 'input_file_id' });
  await expect(model.openai.batches.retrieve('batch_x')).rejects.toMatchObject({ status: 404 });
});
