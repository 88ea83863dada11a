import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { newId } from '#core/id.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness, testEnvironment } from '#test/harness/create-harness.ts';
import { surroundings } from '#test/harness/parts/start-program.ts';
import { testWith } from '#test/harness/test.ts';
import { createEndpoint } from '#test/harness/webhook-endpoint.ts';
import { describeRefusal } from '../refusals.ts';

const env = { PAWL_API_KEYS: 'alpha:key-of-alpha,beta:key-of-beta,alpha:second-key-of-alpha' };
const hook = 'http://127.0.0.1:9/';

type Client = ReturnType<typeof apiClient>;
type Request = [method: string, path: string, body?: unknown];

/** Returns requests to every route that names a resource, for these ids. */
function routesOf({ conv, turn, dlv, whe }: { conv: string; turn: string; dlv: string; whe: string }): Request[] {
  return [
    ['GET', `/v1/conversations/${conv}`],
    ['DELETE', `/v1/conversations/${conv}`],
    ['GET', `/v1/conversations/${conv}/messages`],
    ['POST', `/v1/conversations/${conv}/turns`, { model: 'openai/test', input: 'Hi' }],
    ['GET', `/v1/turns/${turn}`],
    ['GET', `/v1/turns/${turn}?wait=1`],
    ['GET', `/v1/turns/${turn}/rounds`],
    ['GET', `/v1/turns/${turn}/events`],
    ['GET', `/v1/turns/${turn}/deliveries`],
    ['GET', `/v1/turns/${turn}/tool_outputs/call_1`],
    ['POST', `/v1/turns/${turn}/tool_outputs`, { tool_outputs: [{ tool_call_id: 'call_1', output: 'x' }] }],
    ['POST', `/v1/turns/${turn}/approvals`, { approvals: [{ tool_call_id: 'call_1', decision: 'allow' }] }],
    ['POST', `/v1/turns/${turn}/cancel`],
    ['POST', `/v1/turns/${turn}/retry`],
    ['GET', `/v1/deliveries/${dlv}`],
    ['POST', `/v1/deliveries/${dlv}/redeliver`],
    ['GET', `/v1/webhook_endpoints/${whe}`],
    ['PATCH', `/v1/webhook_endpoints/${whe}`, { status: 'disabled' }],
    ['DELETE', `/v1/webhook_endpoints/${whe}`],
    ['GET', `/v1/webhook_endpoints/${whe}/secret`],
    ['GET', `/v1/webhook_endpoints/${whe}/deliveries`],
    ['POST', `/v1/webhook_endpoints/${whe}/rotate_secret`],
    ['POST', `/v1/webhook_endpoints/${whe}/test`],
  ];
}

const test = testWith({ env });

test('a resource of another project is 404 on every route, and does not change', async ({ harness }) => {
  const { alpha, beta } = clientsOf(harness);
  const { body: turn } = await alpha.call<TurnResource>('POST', '/v1/turns', {
    body: { model: 'openai/test', input: 'Hi', webhook: { url: hook } },
  });
  const endpoint = await createEndpoint(alpha, hook);
  await harness.workUntilIdle();
  const { body: deliveries } = await alpha.call<{ data: { id: string }[] }>('GET', `/v1/turns/${turn.id}/deliveries`);
  const before = await alpha.findTurn(turn.id);

  const ids = { conv: turn.conversation_id, turn: turn.id, dlv: deliveries.data[0]!.id, whe: endpoint.id };
  const seenByBeta = await askAll(beta, routesOf(ids));

  expect(seenByBeta).toEqual(seenByBeta.map(() => expect.stringMatching(/^404 \w+_not_found: id$/)));
  expect(await alpha.findTurn(turn.id)).toEqual(before);
  expect((await alpha.call('GET', `/v1/conversations/${turn.conversation_id}`)).status).toBe(200);
  expect((await alpha.call('GET', `/v1/webhook_endpoints/${endpoint.id}/secret`)).body).toEqual({
    secrets: endpoint.secrets,
  });
});

test.each([
  ['of no resource', { conv: newId('conv'), turn: newId('turn'), dlv: newId('dlv'), whe: newId('whe') }],
  ['that cannot exist', { conv: 'conv_x', turn: 'turn_x', dlv: 'dlv_x', whe: 'whe_x' }],
  ['of another kind', { conv: newId('turn'), turn: newId('dlv'), dlv: newId('whe'), whe: newId('conv') }],
  [
    'with characters that no database accepts',
    { conv: 'conv_%00', turn: `turn_%F0%9F`, dlv: "dlv_'--", whe: 'whe_%00' },
  ],
  [
    'longer than every valid id',
    { conv: `conv_${'0'.repeat(3000)}`, turn: 'turn_'.repeat(999), dlv: '9'.repeat(3000), whe: 'w'.repeat(3000) },
  ],
])('an id %s is answered with 404 on every route', async (_, ids) => {
  await using harness = await createHarness();

  const answers = await askAll(harness, routesOf(ids));

  expect(answers).toEqual(answers.map(() => expect.stringMatching(/^404 \w+_not_found: id$/)));
});

test('a list contains only resources of the caller’s project', async ({ harness }) => {
  const { alpha, beta } = clientsOf(harness);
  const own = await alpha.startTurn({ input: 'Hi' });
  await beta.startTurn({ input: 'Hi' });
  const endpoint = await createEndpoint(alpha, hook);
  await createEndpoint(beta, hook);
  const idsOf = async (client: Client, path: string) =>
    (await client.call<{ data: { id: string }[] }>('GET', path)).body.data.map(({ id }) => id);

  expect(await idsOf(alpha, '/v1/turns')).toEqual([own.id]);
  expect(await idsOf(alpha, '/v1/conversations')).toEqual([own.conversation_id]);
  expect(await idsOf(alpha, '/v1/webhook_endpoints')).toEqual([endpoint.id]);
  expect(await idsOf(beta, `/v1/turns?conversation_id=${own.conversation_id}`)).toEqual([]);
});

test('every request without a valid key is refused', async ({ harness }) => {
  const ask = (path: string, authorization?: string) =>
    harness.call('GET', path, { headers: authorization === undefined ? {} : { authorization } });
  const given = [undefined, '', 'key-of-alpha', 'Bearer ', 'Bearer wrong', 'Bearer key-of-alphA', 'Basic key-of-alpha'];

  const refused = await Promise.all(given.map((authorization) => ask('/v1/turns', authorization)));
  const taken = await Promise.all(
    ['Bearer key-of-alpha', 'bearer key-of-alpha', 'Bearer second-key-of-alpha'].map((key) => ask('/v1/turns', key)),
  );

  expect(refused.map(describeRefusal)).toEqual(given.map(() => '401 invalid_api_key: null'));
  expect(taken.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test.each(['/healthz', '/readyz', '/openapi.json', '/docs'])('%s is served without a key', async (path) => {
  await using harness = await createHarness({ env });

  const { status } = await fetch(`${harness.url}${path}`);

  expect(status).toBe(200);
});

test('both keys of a project reach the same turns', async ({ harness }) => {
  const { id } = await apiClient(harness.url, 'key-of-alpha').startTurn({ input: 'Hi' });
  const seen = await apiClient(harness.url, 'second-key-of-alpha').call('GET', `/v1/turns/${id}`);

  expect(seen.status).toBe(200);
});

test.each(['0.0.0.0', '::', '10.1.2.3'])(
  'an API without keys refuses to start on %s and names the reason',
  async (HOST) => {
    const settings = { ...(await testEnvironment('http://127.0.0.1:9/v1', {})), HOST };
    const main = fileURLToPath(new URL('../../../services/api/main.ts', import.meta.url));

    const api = spawn(process.execPath, [main], { env: { ...surroundings(), ...settings } });
    const [said, [code]] = await Promise.all([text(api.stderr), once(api, 'exit')]);

    expect(code).toBe(1);
    expect(said).toContain('PAWL_API_KEYS');
    expect(said).toContain(HOST);
    expect(said.trim().split('\n')).toHaveLength(1);
  },
);

function clientsOf({ url }: Harness): { alpha: Client; beta: Client } {
  return { alpha: apiClient(url, 'key-of-alpha'), beta: apiClient(url, 'key-of-beta') };
}

async function askAll(client: Pick<Client, 'call'>, requests: Request[]): Promise<string[]> {
  const answers = requests.map(([method, path, body]) => client.call(method, path, { body }));
  return (await Promise.all(answers)).map(describeRefusal);
}
