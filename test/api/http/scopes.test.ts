import { expect } from 'vitest';
import { SCOPES } from '#services/process/projects/access-keys.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { operations } from '../openapi/document.ts';
import { describeRefusal } from '../refusals.ts';

const keyOf = (scope: string) => `key-that-may-${scope}`;
const keys = [...SCOPES.map((scope) => ({ key: keyOf(scope), scopes: [scope] })), keyOf('do-the-usual')];
const env = { PAWL_PROJECTS: JSON.stringify({ alpha: { keys } }), PAWL_METRICS_KEY: 'key-of-metrics' };

/** The scope that the OpenAPI document requires for each route. Public routes are absent. */
const needed = operations
  .filter(({ security }) => security?.length !== 0)
  .map(({ method, path, security = [] }) => {
    const [scope = ''] = Object.values(security[0] ?? {}).flat();
    return { method, path, scope };
  });

test('the document requires read for GET, write for other methods, with exceptions', () => {
  const byMethod = ({ method }: { method: string }) => (method === 'GET' ? 'read' : 'write');
  const other = needed.filter((route) => route.scope !== byMethod(route));

  expect(other.map(({ method, path, scope }) => `${scope}: ${method} ${path}`).sort()).toEqual([
    'admin: GET /metrics',
    'admin: GET /v1/batches',
    'admin: GET /v1/queues',
    'admin: GET /v1/workers',
    'approve: POST /v1/turns/{id}/approvals',
    'write: GET /v1/webhook_endpoints/{id}/secret',
    'write: GET /v1/webhook_secret',
  ]);
  expect(needed.every(({ path }) => /^\/(v1|openai\/v1)\/|^\/metrics$/.test(path))).toBe(true);
});

test('each route requires the scope that the document names, or admin', async () => {
  await using harness = await createHarness({ env });
  const ask = async (scope: string, { method, path }: (typeof needed)[number]) => {
    const headers = { authorization: `Bearer ${keyOf(scope)}`, 'content-type': 'application/json' };
    const body = method === 'POST' || method === 'PATCH' ? '{}' : null;
    const answer = await fetch(`${harness.url}${path.replaceAll(/\{\w+\}/g, 'none')}`, { method, headers, body });
    const said = await answer.text();
    return answer.status === 403 && JSON.parse(said).error;
  };

  for (const route of needed) {
    const title = `${route.method} ${route.path}`;
    for (const scope of SCOPES) {
      const isTaken = scope === route.scope || scope === 'admin';
      const refused = { type: 'permission_error', code: 'insufficient_scope', param: null };
      const expected = isTaken ? false : expect.objectContaining(refused);
      expect.soft(await ask(scope, route), `${title} with ${scope}`).toEqual(expected);
    }
    expect
      .soft(await ask('do-the-usual', route), title)
      .toEqual(route.scope === 'admin' ? expect.objectContaining({ code: 'insufficient_scope' }) : false);
  }
});

test('a caller is admin if the API has no keys', async ({ harness }) => {
  expect((await fetch(`${harness.url}/metrics`)).status).toBe(200);
});

test('an approval in a response needs the scope approve, and a refusal leaves it open', async () => {
  await using harness = await createHarness({ env });
  const { id } = await respond(harness, 'write', { input: asking, tools: [gated] });
  await harness.workUntilIdle();
  const approval_request_id = `${id.replace('resp_', 'mcpr_')}_r1_0`;
  const deny = { type: 'mcp_approval_response', approval_request_id, approve: false };
  const answering = { previous_response_id: id, input: [deny] };

  const refused = await create(harness, 'write', answering);
  const taken = await create(harness, 'do-the-usual', answering);

  expect(describeRefusal(refused)).toBe('403 insufficient_scope: input[0]');
  expect(taken.status).toBe(200);
});

const gated = httpTool('pay', 'https://example.com/', { approval: 'always' });
const asking = scripted({ rounds: [{ tools: [{ name: 'pay', arguments: { city: 'Rome' }, id: 'call_1' }] }] });

function create({ url }: Harness, scope: string, body: object) {
  const asked = { model: 'openai/test', background: true, ...body };
  return apiClient(url, keyOf(scope)).call<{ id: string }>('POST', '/v1/responses', { body: asked });
}

async function respond(harness: Harness, scope: string, body: object): Promise<{ id: string }> {
  const { status, body: response } = await create(harness, scope, body);
  expect(status).toBe(200);
  return response;
}
