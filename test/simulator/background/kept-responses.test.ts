import { expect } from 'vitest';
import { startSimulator } from '#simulator/start-simulator.ts';
import { script, test } from '../responses/ask-responses.ts';
import { answer, ask, createOf, streamedId } from './ask-background.ts';

test('each request about an unknown response gets 404 in the form of OpenAI', async ({ model }) => {
  const requests = [
    await ask(model, '/resp_x'),
    await ask(model, '/resp_x?stream=true'),
    await ask(model, '/resp_x/cancel', 'POST'),
    await ask(model, '/resp_x', 'DELETE'),
  ];

  const message = "Response with id 'resp_x' not found.";
  const error = { message, type: 'invalid_request_error', param: null, code: null };
  expect(requests).toEqual(Array.from({ length: 4 }, () => ({ status: 404, body: { error } })));
});

test('a response is found afterwards only if it is stored or a background response', async ({ model }) => {
  const stored = await model.respond(script({ answer }));
  const unstored = await model.respond({ ...script({ answer }), store: false });
  const background = await model.respond({ ...script({ answer }), store: false, background: true });

  const [one, other, third] = [
    await ask(model, `/${stored.id}`),
    await ask(model, `/${unstored.id}`),
    await ask(model, `/${background.id}`),
  ];
  model.simulator.responses.limits.unstoredMs = 0;
  const later = await ask(model, `/${background.id}`);

  expect(one).toMatchObject({ status: 200, body: { status: 'completed', background: false } });
  expect([other.status, third.status, later.status]).toEqual([404, 200, 404]);
});

test('a stream is refused if the response was not created as a background stream', async ({ model }) => {
  const whole = await model.respond(script({ answer }));
  const polled = await createOf(model, { answer });

  const [synchronous, unstreamed] = [
    await ask(model, `/${whole.id}?stream=true`),
    await ask(model, `/${polled.id}?stream=true`),
  ];
  const cancel = await ask(model, `/${whole.id}/cancel`, 'POST');

  const refused = { type: 'invalid_request_error', param: 'stream', code: 'invalid_request_error' };
  expect(synchronous).toMatchObject({ status: 400, body: { error: refused } });
  expect(synchronous.body.error.message).toContain('not created with background=true');
  expect(unstreamed).toMatchObject({ status: 400, body: { error: refused } });
  expect(unstreamed.body.error.message).toContain('not created with stream=true');
  expect(cancel).toMatchObject({ status: 400, body: { error: { message: 'Cannot cancel a synchronous response.' } } });
});

test('a stream is refused after its window, or if the script does not offer it', async ({ model }) => {
  const offered = await streamedId(model, { answer });
  const hidden = await streamedId(model, { answer, final: { background: { stream: false } } });

  const [first, second, third] = [
    await ask(model, `/${offered}?stream=true&starting_after=x`),
    await ask(model, `/${hidden}?stream=true`),
    await ask(model, `/${offered}?stream=true`).then(({ status }) => status),
  ];
  model.simulator.responses.limits.streamWindowMs = 0;
  const late = await ask(model, `/${offered}?stream=true`);

  expect(third).toBe(200);
  expect(first).toMatchObject({ status: 400, body: { error: { param: 'starting_after' } } });
  for (const { status, body } of [second, late]) {
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('can no longer be streamed')]);
  }
});

test('a read has openai-poll-after-ms only if the simulator has a value', async ({ model }) => {
  const { id } = await createOf(model, { answer });
  const headerOf = async () =>
    (await fetch(`${model.simulator.baseUrl}/responses/${id}`)).headers.get('openai-poll-after-ms');

  const without = await headerOf();
  model.simulator.responses.limits.pollAfterMs = 2_000;

  expect([without, await headerOf()]).toEqual([null, '2000']);
});

test('the simulator keeps at most maxKept responses, and deletes ended responses first', async ({ model }) => {
  model.simulator.responses.limits.maxKept = 2;

  const running = await createOf(model, { answer, final: { background: { end: 'never' } } });
  const ended = await createOf(model, { answer });
  const latest = await createOf(model, { answer });

  expect(model.simulator.responses.list().map(({ id }) => id)).toEqual([running.id, latest.id]);
  expect((await ask(model, `/${ended.id}`)).status).toBe(404);
});

test('the simulator counts requests about responses and reports the create of each', async () => {
  const seen: unknown[] = [];
  const simulator = await startSimulator({
    onResponseRequest: ({ kind, id, createdBy, startingAfter }) => void seen.push([kind, id, createdBy, startingAfter]),
  });
  const url = `${simulator.baseUrl}/responses`;
  const headers = { 'content-type': 'application/json', 'x-client-request-id': 'turn_1.2.0' };
  const body = JSON.stringify({ model: 'demo', input: 'Hi', background: true, stream: true });

  await (await fetch(url, { method: 'POST', headers, body })).text();
  const [{ id } = { id: '' }] = simulator.responses.list();
  await (await fetch(`${url}/${id}`)).text();
  await (await fetch(`${url}/${id}?stream=true&starting_after=2`)).text();
  await (await fetch(`${url}/${id}/cancel`, { method: 'POST' })).text();
  await (await fetch(`${url}/${id}`, { method: 'DELETE' })).text();
  await simulator.stop();

  expect(simulator.responses.counts).toEqual({ creates: 1, reads: 1, streams: 1, cancels: 1, deletes: 1 });
  expect(seen).toEqual([
    ['read', id, 'turn_1.2.0', null],
    ['stream', id, 'turn_1.2.0', '2'],
    ['cancel', id, 'turn_1.2.0', null],
    ['delete', id, 'turn_1.2.0', null],
  ]);
});
