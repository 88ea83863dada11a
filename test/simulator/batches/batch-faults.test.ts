import { expect } from 'vitest';
import { startSimulator } from '#simulator/start-simulator.ts';
import { type Batches, chatLine, contentRequest, HOUR_MS, linesOf, messageRequest, test } from './ask-batches.ts';

const APIS = ['openai', 'anthropic', 'gemini'] as const;
type Api = (typeof APIS)[number];

/** Creates a batch of requests with one script, and returns its id at the simulator. */
async function create(model: Batches, api: Api, sims: object[]): Promise<string> {
  const ids = ['one', 'two', 'three'];
  switch (api) {
    case 'openai':
      return (await model.createFile(sims.map((sim, index) => chatLine(ids[index]!, sim)))).id;
    case 'anthropic': {
      const requests = sims.map((sim, index) => messageRequest(ids[index]!, sim));
      return (await model.anthropic.messages.batches.create({ requests })).id;
    }
    case 'gemini': {
      const inlinedRequests = sims.map((sim, index) => contentRequest(ids[index]!, sim));
      const config = { displayName: 'key_1' };
      const { name } = await model.gemini.batches.create({ model: 'demo', src: { inlinedRequests }, config });
      return name!.replace('batches/', '');
    }
  }
}

async function listed(model: Batches, api: Api): Promise<string[]> {
  const { openai, anthropic, gemini } = model;
  switch (api) {
    case 'openai':
      return (await openai.batches.list()).data.map(({ id }) => id);
    case 'anthropic':
      return (await anthropic.messages.batches.list()).data.map(({ id }) => id);
    case 'gemini':
      return (await gemini.batches.list()).page.map(({ name }) => name!.replace('batches/', ''));
  }
}

test.for(APIS)('a batch of %s with a lost answer exists once, after its 500', async (api, { model }) => {
  const lost = create(model, api, [{ batch: { lose_answer: true, times: 1 } }]);
  await expect(lost).rejects.toMatchObject({ status: 500 });

  const [{ id } = { id: '' }] = model.simulator.batches.created;
  expect(await listed(model, api)).toEqual([id]);
  expect(await create(model, api, [{ batch: { lose_answer: true, times: 1 } }])).not.toBe(id);
});

test.for(APIS)('a list of batches of %s shows a batch late if its script says so', async (api, { model }) => {
  const id = await create(model, api, [{}, { batch: { list_ms: HOUR_MS } }]);

  const early = await listed(model, api);
  model.simulator.batches.show(id);

  expect([early, await listed(model, api)]).toEqual([[], [id]]);
});

test.for(['anthropic', 'gemini'] as const)(
  'a batch of %s is refused while its queue is full',
  async (api, { model }) => {
    const sims = [{ batch: { refuse: true, times: 2 } }];

    for (const _ of ['first', 'second']) await expect(create(model, api, sims)).rejects.toMatchObject({ status: 429 });
    const id = await create(model, api, sims);

    expect(model.simulator.batches.list()).toMatchObject([{ id }]);
  },
);

test('a batch of OpenAI fails while its queue is full', async ({ model }) => {
  const sims = [{ batch: { refuse: true, times: 1 } }];

  const refused = await model.openai.batches.retrieve(await create(model, 'openai', sims));
  const accepted = await model.openai.batches.retrieve(await create(model, 'openai', sims));

  const errors = { data: [{ code: 'token_limit_exceeded', message: expect.stringContaining('Enqueued token limit') }] };
  expect(refused).toMatchObject({ status: 'failed', errors });
  expect(accepted.status).toBe('completed');
  expect(model.simulator.batches.created.map(({ id }) => id)).toEqual([accepted.id]);
});

test('an expired request of a batch has no answer, and a later batch answers it', async ({ model }) => {
  const sims = [{ answer: 'Here.' }, { answer: 'Late.', batch: { end: 'expired', times: 1 } }];

  const first = await model.openai.batches.retrieve(await create(model, 'openai', sims));
  const second = await model.openai.batches.retrieve(await create(model, 'openai', sims));
  const errors = linesOf(await (await model.openai.files.content(first.error_file_id!)).text());

  expect([first.status, second.status]).toEqual(['expired', 'completed']);
  expect(first.output_file_id).toEqual(expect.any(String));
  expect(errors).toMatchObject([{ custom_id: 'two', response: null, error: { code: 'batch_expired' } }]);
  expect(second.error_file_id).toBeNull();
});

test('an expired request is a result of Anthropic, and ends the whole batch of Gemini', async ({ model }) => {
  const sims = [{}, { batch: { end: 'expired' } }];

  const id = await create(model, 'anthropic', sims);
  const { text } = await model.fetch(`/v1/messages/batches/${id}/results`);
  const job = await model.gemini.batches.get({ name: `batches/${await create(model, 'gemini', sims)}` });

  expect(linesOf(text)).toMatchObject([{ custom_id: 'two', result: { type: 'expired' } }, { custom_id: 'one' }]);
  expect([job.state, job.dest]).toEqual(['JOB_STATE_EXPIRED', undefined]);
});

test('a missing request of a batch has no result', async ({ model }) => {
  const sims = [{ batch: { end: 'missing' } }, {}];

  const id = await create(model, 'anthropic', sims);
  const { text } = await model.fetch(`/v1/messages/batches/${id}/results`);

  expect(linesOf(text).map(({ custom_id }) => custom_id)).toEqual(['two']);
});

test('the first read of the results of a batch is cut, and the second is whole', async ({ model }) => {
  const sims = [{ batch: { cut_results: true } }, {}];
  const id = await create(model, 'anthropic', sims);
  const batch = await model.openai.batches.retrieve(await create(model, 'openai', sims));
  const job = await create(model, 'gemini', sims);
  const paths = [
    `/v1/messages/batches/${id}/results`,
    `/v1/files/${batch.output_file_id}/content`,
    `/v1beta/batches/${job}`,
  ];

  await model.fetch(`/v1beta/batches/${job}`);

  for (const path of paths) {
    await expect(model.fetch(path)).rejects.toThrow();
    expect((await model.fetch(path)).text).toContain('"one"');
  }
});

test('a fault of a round is met only in the first attempts of a batch', async ({ model }) => {
  const sims = [{ answer: 'At last.', final: { fault: { kind: 'status', status: 503, times: 1 } } }];

  const first = await model.openai.batches.retrieve(await create(model, 'openai', sims));
  const second = await model.openai.batches.retrieve(await create(model, 'openai', sims));

  expect(first).toMatchObject({ request_counts: { failed: 1 } });
  expect(second).toMatchObject({ request_counts: { completed: 1 } });
});

test('a fault for the tier batch is met only in a batch', async ({ model }) => {
  const fault = { kind: 'status', status: 503, service_tier: 'batch' };
  const { body, ...line } = chatLine('one', { answer: 'Here.', final: { fault } });

  const { id } = await model.createFile([{ ...line, body }]);
  const direct = await model.openai.chat.completions.create({
    ...body,
    messages: [{ role: 'user', content: body.messages[0]!.content }],
  });

  expect(await model.openai.batches.retrieve(id)).toMatchObject({ request_counts: { failed: 1 } });
  expect(direct.choices[0]!.message.content).toBe('Here.');
});

test('the simulator counts requests about batches and records each batch', async ({ model }) => {
  const { simulator } = model;
  const id = await create(model, 'anthropic', [{ answer: 'Here.' }]);
  const job = await create(model, 'gemini', [{}]);
  await listed(model, 'anthropic');
  simulator.batches.lose(id);

  await expect(model.anthropic.messages.batches.retrieve(id)).rejects.toMatchObject({ status: 404 });

  expect(simulator.batches.counts).toMatchObject({ create: 2, list: 1, read: 1, results: 0 });
  expect(simulator.batches.created).toMatchObject([
    { api: 'anthropic', id, model: 'demo', metadata: {}, requests: [{ id: 'one', sent: { max_tokens: 100 } }] },
    { api: 'gemini', id: job, metadata: { display_name: 'key_1' }, requests: [{ id: 'one' }] },
  ]);
  expect(simulator.batches.list()).toMatchObject([{ id: job, hasEnded: true, isCancelled: false }]);
});

test('the simulator keeps at most maxKept batches', async ({ model }) => {
  model.simulator.batches.limits.maxKept = 1;

  await create(model, 'gemini', [{}]);
  const id = await create(model, 'gemini', [{}]);

  expect(model.simulator.batches.list().map((batch) => batch.id)).toEqual([id]);
});

test('a batch is created only after its hook, which sees each request about batches', async () => {
  const seen: unknown[] = [];
  const hold = Promise.withResolvers<void>();
  const simulator = await startSimulator({
    async onBatchRequest({ api, act, id }) {
      seen.push([api, act, id, simulator.batches.created.length]);
      if (act === 'create') await hold.promise;
    },
  });
  const url = `${simulator.baseUrl}/messages/batches`;
  const headers = { 'anthropic-version': '2026-10-21' };
  const body = JSON.stringify({ requests: [messageRequest('one', {})] });

  const created = fetch(url, { method: 'POST', headers, body });
  await (await fetch(`${url}/msgbatch_x`, { headers })).text();
  hold.resolve();
  await (await created).text();
  await (await fetch(url, { headers })).text();
  await simulator.stop();

  expect(seen.toSorted()).toEqual([
    ['anthropic', 'create', '', 0],
    ['anthropic', 'list', '', 1],
    ['anthropic', 'read', 'msgbatch_x', 0],
  ]);
});
