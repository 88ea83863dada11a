import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { expect } from 'vitest';
import { startApi } from '#services/api/start-api.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../test.ts';
import { completing, scriptedUser, startedTurn } from './completing.ts';

type Opening = { headers?: Record<string, string>; stream?: boolean };

/** Opens a create request on its own connection. The test closes the connection. */
async function open({ url }: { url: string }, { headers = {}, stream = false }: Opening = {}): Promise<ClientRequest> {
  const made = request(`${url}/v1/chat/completions`, {
    ...{ method: 'POST', agent: false },
    headers: { 'content-type': 'application/json', ...headers },
  });
  made.on('error', () => {});
  made.end(JSON.stringify({ model: 'test', stream, messages: [scriptedUser({ answer: 'Done.' })] }));
  await once(made, 'finish');
  return made;
}

const statusOf = async (harness: Harness) => (await harness.findTurn(await startedTurn(harness))).status;

/** Waits until open connections use up the limit of streams, or no longer use it up. */
async function untilHeld(harness: Harness, isUsedUp: boolean): Promise<void> {
  const id = await startedTurn(harness);
  const ask = async () => (await harness.call('GET', `/v1/turns/${id}?wait=0.001`)).status;
  await waitUntil(async () => expect(await ask()).toBe(isUsedUp ? 429 : 200));
}

test.for([false, true])(
  'a client that closes the connection of its create cancels it, with stream: %s',
  async (stream, { harness }) => {
    const connection = await open(harness, { stream });
    if (stream) await once(connection, 'response');
    await waitUntil(async () => expect(await statusOf(harness)).toBe('queued'));

    connection.destroy();

    await waitUntil(async () => expect(await statusOf(harness)).toBe('cancelled'));
  },
);

test('an OpenAI client that aborts its stream cancels the completion', async ({ harness, worker: _ }) => {
  const gate = harness.holdModel();
  const stream = completing(harness).completions.stream({
    model: 'test',
    messages: [scriptedUser({ answer: 'Done.' })],
  });
  const ended = stream.done().catch(() => {});
  await gate.reached;

  stream.abort();

  await waitUntil(async () => expect(await statusOf(harness)).toBe('cancelled'));
  gate.open();
  await ended;
});

test.each([false, true])(
  'a completion continues with Pawl-On-Disconnect: continue, with stream: %s',
  async (stream) => {
    await using harness = await createHarness({ env: { PAWL_MAX_STREAMS: '1' } });
    const connection = await open(harness, { stream, headers: { 'pawl-on-disconnect': 'continue' } });
    await untilHeld(harness, true);

    connection.destroy();
    await untilHeld(harness, false);
    await harness.workUntilIdle();

    expect(await statusOf(harness)).toBe('completed');
  },
);

test('the last connection with an Idempotency-Key to close cancels the completion', async () => {
  await using harness = await createHarness({ env: { PAWL_MAX_STREAMS: '2' } });
  const opening = { stream: true, headers: { 'idempotency-key': 'one' } };
  const [first, second] = [await open(harness, opening), await open(harness, opening)];
  await Promise.all([first, second].map((connection) => once(connection, 'response')));

  first.destroy();
  await untilHeld(harness, false);
  expect(await statusOf(harness)).toBe('queued');
  second.destroy();

  await waitUntil(async () => expect(await statusOf(harness)).toBe('cancelled'));
});

test('a client that disconnects after its completion has ended does not cancel it', async ({ harness, worker: _ }) => {
  const connection = await open(harness);
  const [answer] = await once(connection, 'response');

  answer.destroy();

  expect(await statusOf(harness)).toBe('completed');
});

test('an API that stops cancels no completion, and its answer has the completion id', async ({ harness }) => {
  const { parts, settings, log } = harness;
  const stopping = await startApi(parts, settings, log);
  const connection = await open({ url: stopping.url });
  const answered = once(connection, 'response');
  await waitUntil(async () => expect(await statusOf(harness)).toBe('queued'));

  await stopping.close(10_000);

  const [answer] = await answered;
  expect([answer.statusCode, answer.headers['x-should-retry']]).toEqual([503, 'false']);
  expect(answer.headers['pawl-response-id']).toMatch(/^chatcmpl-/);
  expect(await statusOf(harness)).toBe('queued');
});
