import { expect, test } from 'vitest';
import { makeApp } from '#services/api/app.ts';
import type { ApiContext } from '#services/api/context.ts';
import { makeApiKeys } from '#services/api/http/api-keys.ts';
import { makeAvailability } from '#services/process/availability.ts';
import { trackConnectionRefusals } from '#services/process/connection-refusals.ts';
import { openLog } from '#services/process/log.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { askForItemsWrongly } from './ask-for-items.ts';
import { askAsBound, boundProjects } from './bound-projects.ts';
import { document } from './document.ts';
import { askForAgentsWrongly } from './keep-agents.ts';
import { askForFilesWrongly } from './keep-files.ts';
import { keepTo } from './keep-to.ts';
import { compactWrongly } from './play-compactions.ts';
import { allowTwice, respondWrongly } from './refused-responses.ts';
import { useUpEndpoints, useUpSchedules } from './use-up-endpoints.ts';
import { type Ask, visitor } from './visitor.ts';

const model = 'openai/test';
const input = 'Hi';
const none = (prefix: string) => `${prefix}_01kagz8m4pfvbte2n5q7rys3wx`;
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
const withSecret = (name: string, url = 'https://example.com/') =>
  httpTool('get_weather', url, { execution: { kind: 'http', url, headers: { authorization: `\${secret:${name}}` } } });

/** Codes that no request can produce here: two safeguards, and faults that another test below produces. */
const OUT_OF_REACH = ['invalid_request', 'invalid_model', 'internal', 'service_unavailable'];

/**
 * Codes that other tests cover. Some are sent before a route is known, or need many connections (open-server,
 * refuse-foreign). Others need more providers, a stop or a retried round (api/openai/responses).
 */
const ELSEWHERE = [
  ...['server_stopping', 'model_not_found', 'stream_superseded'],
  ...['invalid_http', 'headers_too_large', 'request_timeout', 'too_many_connections', 'too_many_streams'],
  ...['method_not_allowed', 'host_not_allowed', 'expectation_failed'],
];

const env = {
  PAWL_API_KEYS: 'alpha:key-of-alpha',
  ...boundProjects,
  PAWL_METRICS_KEY: 'key-of-metrics',
  PAWL_MCP: JSON.stringify({ gone: { url: 'http://127.0.0.1:9/mcp' } }),
  PAWL_PROVIDERS: JSON.stringify({ plain: { kind: 'openai', base_url: 'http://127.0.0.1:9', tools: false } }),
  PAWL_SECRETS: JSON.stringify({ bound: { value: 'secret-value', hosts: ['other.example'] } }),
};

const bodies: unknown[] = [
  ...[
    '{',
    { model, input, limits: nested(70) },
    { model, input, provider_options: { rows: Array(110_000).fill(0) } },
    { model, inptu: input },
    { model },
    { model, input, priority: 'high' },
  ],
  { model, input, tools: ['x'.repeat(1024 * 1024)] },
  ...[
    { model: 'anthropic/x', input },
    { model: 'plain/x', input, tools: ['weather_lookup'] },
  ],
  ...[
    { model, input, tools: [{ name: 'x', description: 'y' }] },
    { model, input, tools: ['nothing'] },
  ],
  { model, input, tools: [{ ...httpTool('a', 'https://example.com/'), execution: { kind: 'mcp', server: 'no' } }] },
  ...[
    { model, input, tools: ['gone__tool'] },
    { model, input, output_schema: { name: 'x', schema: {} } },
    { model, input, webhook: { url: 'http://10.0.0.1/' } },
    { model, input, tools: [withSecret('none')] },
    { model, input, tools: [withSecret('bound')] },
  ],
];

test('every refusal matches the OpenAPI document, and every code is reachable', async () => {
  await using harness = await createHarness({ env });
  const { ask, codes } = visitor(harness.url, 'key-of-alpha');
  const externalServer = visitor(harness.url);
  const start = async (body: object) => {
    const asking = { body: { model, input, ...body } };
    return ask<{ id: string; conversation_id: string }>('POST', '/v1/turns', asking);
  };

  await externalServer.ask('GET', '/v1/turns');
  await ask('GET', '/metrics');
  await externalServer.ask('GET', '/inspector/nothing.js');
  const bound = await askAsBound(harness.url);
  await externalServer.ask('GET', '/v1/turns', { headers: { origin: 'https://evil.example' } });
  for (const body of bodies) {
    await ask('POST', '/v1/turns', { body });
    await ask('POST', '/v1/conversations', { body: typeof body === 'object' ? { ...body, input: 'Hi' } : body });
  }
  await ask('POST', '/v1/turns', { body: 'Hi', headers: { 'content-type': 'text/plain' } });
  for (const [key, said] of [
    ['once', 'Hi'],
    ['once', 'Ho'],
    ['a b', 'Hi'],
  ] as const) {
    await ask('POST', '/v1/turns', { body: { model, input: said }, headers: { 'idempotency-key': key } });
  }
  const turn = await start({});
  const busy = { body: { input, on_active_turn: 'reject' } };
  await ask('POST', `/v1/conversations/${turn.conversation_id}/turns`, busy);
  const other = { body: { input, on_active_turn: 'steer', instructions: 'Be brief.' } };
  await ask('POST', `/v1/conversations/${turn.conversation_id}/turns`, other);
  await ask('DELETE', `/v1/conversations/${turn.conversation_id}`);
  await ask('DELETE', `/v1/turns/${turn.id}`);
  await ask('POST', `/v1/turns/${turn.id}/retry`);
  await harness.workUntilIdle();
  for (const body of [{}, { after_round: 9 }]) await ask('POST', `/v1/turns/${turn.id}/fork`, { body });
  await ask('POST', `/v1/turns/${turn.id}/cancel`);
  await askForNothing(ask);
  await ask('POST', '/v1/bulk', { body: { action: 'cancel', filter: {} } });
  await answerWrongly(ask, harness, start);
  await respondWrongly(ask);
  await compactWrongly(ask, harness);
  await askForItemsWrongly(ask);
  await askForFilesWrongly(ask);
  await askForAgentsWrongly(ask);
  await retryForked(ask, harness);
  await allowTwice(ask, harness);
  await useUpSchedules(ask, harness.db);
  await useUpEndpoints(ask);

  const met = new Set([...codes, ...externalServer.codes, ...bound, ...OUT_OF_REACH, ...ELSEWHERE]);
  expect(met).toEqual(new Set(Object.keys(document.components.examples)));
});

test.each([
  ['an unexpected error', new Error('Broken'), 500],
  ['an unavailable database', Object.assign(new Error('Away'), { code: 'ECONNREFUSED' }), 503],
])('every list answers a fault as the document describes: %s', async (_, error, expected) => {
  const db = new Proxy({} as ApiContext['db'], {
    get() {
      throw error;
    },
  });
  const deployment = { embedded: false, redis: false };
  const availability = makeAvailability({ db, jobQueue: { check: async () => [] }, deployment });
  const log = openLog('test', 'silent');
  const keys = makeApiKeys(() => [], '127.0.0.1');
  const parts = { db, availability, connectionRefusals: trackConnectionRefusals(log), keys, log };
  const app = makeApp({ ...parts, readAnywhere: (query) => query(db) } as ApiContext);

  for (const path of ['/v1/turns', '/v1/conversations', '/v1/webhook_endpoints', '/readyz']) {
    const response = await app.request(path);
    const { status, headers } = response;
    keepTo({ method: 'GET', path, status, headers, text: await response.text() });
    expect.soft(status, path).toBe(expected);
  }
});

type Harness = Awaited<ReturnType<typeof createHarness>>;

/** Sends requests for unknown resources to every route that names a resource, and unknown cursors to every list. */
async function askForNothing(ask: Ask): Promise<void> {
  const [conversation, turn] = [`/v1/conversations/${none('conv')}`, `/v1/turns/${none('turn')}`];
  const [delivery, endpoint] = [`/v1/deliveries/${none('dlv')}`, `/v1/webhook_endpoints/${none('whe')}`];
  const parts = ['', '/rounds', '/chain', '/events', '/ui-stream', '/deliveries', '/tool_outputs/call_1'].map(
    (part) => turn + part,
  );
  const reads = [
    conversation,
    `${conversation}/messages`,
    `${conversation}/ui-stream`,
    ...parts,
    delivery,
    endpoint,
    `/v1/blobs/${'0'.repeat(64)}`,
    `${endpoint}/secret`,
    '/v1/bulk/none',
    '/v1/schedules/none',
  ];
  for (const path of [...reads, `${endpoint}/deliveries`, '/openai/v1/models/none']) await ask('GET', path);
  for (const path of [conversation, endpoint, turn]) await ask('DELETE', path);
  for (const path of [`${turn}/cancel`, `${turn}/retry`, `${turn}/fork`, `${turn}/rerun`, `${delivery}/redeliver`])
    await ask('POST', path);
  for (const action of ['rotate_secret', 'test']) await ask('POST', `${endpoint}/${action}`);
  await ask('PATCH', endpoint, { body: { status: 'enabled' } });
  await ask('POST', `${conversation}/turns`, { body: { model, input } });
  await ask('POST', `${turn}/approvals`, { body: { approvals: [{ tool_call_id: 'x', decision: 'allow' }] } });
  await ask('POST', `${turn}/tool_outputs`, { body: { tool_outputs: [{ tool_call_id: 'x', output: 1 }] } });
  for (const list of ['conversations', 'turns', 'webhook_endpoints']) await ask('GET', `/v1/${list}?cursor=x`);
  for (const query of ['?wait=61', '/events?after=x']) await ask('GET', turn + query);
}

/** Answers unknown calls, calls that wait for something else, and calls with another answer. */
async function answerWrongly(
  ask: Ask,
  harness: Harness,
  start: (body: object) => Promise<{ id: string }>,
): Promise<void> {
  const call = (name: string, id: string) => ({ name, arguments: {}, id });
  const script = scripted({ rounds: [{ tools: [call('locate_user', 'call_1'), call('read_clipboard', 'call_2')] }] });
  const tools = ['locate_user', 'read_clipboard'].map((name) => ({ name, description: 'Asks the device of the user' }));
  const { id } = await start({ input: script, tools });
  await harness.workUntilIdle();
  const give = (tool_call_id: string, output: string) =>
    ask('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs: [{ tool_call_id, output }] } });

  for (const path of ['tool_outputs/call_1', 'rounds/9/sent', 'events?after=99'])
    await ask('GET', `/v1/turns/${id}/${path}`);
  await give('call_9', 'here');
  for (const output of ['here', 'there']) await give('call_1', output);
  await ask('POST', `/v1/turns/${id}/approvals`, {
    body: { approvals: [{ tool_call_id: 'call_2', decision: 'allow' }] },
  });
}

/** Retries a failed response after a next response and a fork. */
async function retryForked(ask: Ask, harness: Harness): Promise<void> {
  const create = (body: object) =>
    ask<{ id: string }>('POST', '/v1/responses', { body: { model, background: true, ...body } });
  const fault = { kind: 'status' as const, status: 401 };
  const { id } = await create({ input: scripted({ answer: 'Never.', final: { fault } }) });
  await harness.workUntilIdle();
  for (const said of ['And now?', 'Or else?']) await create({ input: said, previous_response_id: id });
  await ask('POST', `/v1/turns/${id.replace('resp_', 'turn_')}/retry`);
}
