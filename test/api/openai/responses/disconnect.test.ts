import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { startApi } from '#services/api/start-api.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../test.ts';

/** Sends a create on its own connection, which the test closes. */
async function open({ url }: { url: string }, headers: Record<string, string> = {}): Promise<ClientRequest> {
  const made = request(`${url}/v1/responses`, {
    ...{ method: 'POST', agent: false },
    headers: { 'content-type': 'application/json', ...headers },
  });
  made.on('error', () => {});
  made.end(JSON.stringify({ model: 'test', input: scripted({ answer: 'Done.' }) }));
  await once(made, 'finish');
  return made;
}

async function turns({ call }: Harness): Promise<TurnResource[]> {
  return (await call<{ data: TurnResource[] }>('GET', '/v1/turns')).body.data;
}

/** Waits until open connections use up the limit of their key, or no longer use it up. */
async function untilHeld(harness: Harness, isUsedUp: boolean): Promise<void> {
  await waitUntil(async () => expect(await turns(harness)).toHaveLength(1));
  const [turn] = await turns(harness);
  const ask = async () => (await harness.call('GET', `/v1/turns/${turn!.id}?wait=0.001`)).status;
  await waitUntil(async () => expect(await ask()).toBe(isUsedUp ? 429 : 200));
}

const statuses = async (harness: Harness) => (await turns(harness)).map(({ status }) => status);

test('a caller who closes the connection of a foreground create cancels it', async ({ harness }) => {
  const connection = await open(harness);
  await waitUntil(async () => expect(await statuses(harness)).toEqual(['queued']));

  connection.destroy();

  await waitUntil(async () => expect(await statuses(harness)).toEqual(['cancelled']));
});

test('a response with Pawl-On-Disconnect continues when its connection closes', async () => {
  await using harness = await createHarness({ env: { PAWL_MAX_STREAMS: '1' } });
  const connection = await open(harness, { 'pawl-on-disconnect': 'continue' });
  await untilHeld(harness, true);

  connection.destroy();
  await untilHeld(harness, false);
  await harness.workUntilIdle();

  expect(await statuses(harness)).toEqual(['completed']);
});

test('an API that stops does not cancel responses', async ({ harness }) => {
  const { parts, settings, log } = harness;
  const stopping = await startApi(parts, settings, log);
  const connection = await open({ url: stopping.url });
  const answered = once(connection, 'response');
  await waitUntil(async () => expect(await statuses(harness)).toEqual(['queued']));

  await stopping.close(10_000);

  const [answer] = await answered;
  expect([answer.statusCode, answer.headers['x-should-retry']]).toEqual([503, 'false']);
  expect(answer.headers['pawl-response-id']).toMatch(/^resp_/);
  expect(await statuses(harness)).toEqual(['queued']);
});

test('a response that ended before its caller left does not change', async ({ harness, worker: _ }) => {
  const connection = await open(harness);
  const [answer] = await once(connection, 'response');

  answer.destroy();

  expect(await statuses(harness)).toEqual(['completed']);
});
