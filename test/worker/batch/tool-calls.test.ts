import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer, type Reply } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { closedPort } from '../../tools/servers.ts';

const env = { PAWL_TOOLS: fileURLToPath(new URL('./odd-tools.ts', import.meta.url)) };
const city = { city: 'Tokyo' };

type Scripted = { name: string; arguments?: Record<string, string> | string; id?: string };

async function callAll(harness: Harness, tools: unknown[], calls: Scripted[]): Promise<TurnResource> {
  return harness.runTurn({ input: scripted({ rounds: [{ tools: calls }] }), tools });
}

test('arguments that break the schema are answered with each path, without a tool run', async ({ harness }) => {
  await using tool = await openExternalServer();

  const turn = await callAll(
    harness,
    [httpTool('do_thing', tool.url)],
    [
      { name: 'do_thing', arguments: { city: 5 } as never },
      { name: 'do_thing', arguments: {} },
      { name: 'do_thing', arguments: '{"city": "Tok' },
      { name: 'do_thing', arguments: '["Tokyo"]' },
    ],
  );

  expect(tool.caught).toHaveLength(0);
  expect(turn.status).toBe('completed');
  expect(turn.rounds[0]?.results.map(({ error }) => error?.category)).toEqual(Array(4).fill('invalid_arguments'));
  expect(turn.rounds[0]?.results[0]?.error?.message).toContain('city');
  expect(turn.rounds[0]?.results[1]?.error?.message).toContain('city');
  expect(turn.rounds[0]?.tool_calls.map(({ arguments: args }) => args)).toEqual([
    ...[{ city: 5 }, {}, '{"city": "Tok', '["Tokyo"]'],
  ]);
});

test('a call of an unknown tool is answered with an error for the model', async ({ harness }) => {
  const turn = await callAll(harness, ['weather_lookup'], [{ name: 'launch_rocket', arguments: city }]);

  expect(turn).toMatchObject({
    status: 'completed',
    rounds: [{ results: [{ error: { category: 'resource_not_found' } }] }, {}],
  });
});

test('a failing tool does not fail the turn: the model reads category and message', async () => {
  await using harness = await createHarness({ env });

  const turn = await callAll(harness, ['fail_loudly', 'throw_up'], [{ name: 'fail_loudly' }, { name: 'throw_up' }]);

  expect(turn.status).toBe('completed');
  expect(turn.rounds[0]?.results).toMatchObject([
    {
      ...{ status: 'error', content: null, attempts: 1 },
      error: {
        ...{ category: 'resource_not_found', message: 'There is no such city.' },
        details: { city: 'Atlantis', nearest: 'Lisbon' },
      },
    },
    { status: 'error', error: { category: 'unknown', message: 'something broke' } },
  ]);
  expect(harness.modelRequests[1]?.body.messages.slice(-2).map(({ content }) => content)).toEqual([
    'Tool execution failed (resource_not_found): There is no such city.\nDetails: city: Atlantis, nearest: Lisbon',
    'Tool execution failed (unknown): something broke',
  ]);
});

test('a tool that never answers times out, and the turn does not wait for it', async () => {
  await using harness = await createHarness({ env });
  const hasty = { name: 'never_answer', description: 'Never answers at all', effect: 'none', timeout_ms: 40 };
  const tools = [{ ...hasty, retry: { max_attempts: 2, backoff_ms: 1 } }];

  const turn = await callAll(harness, tools, [{ name: 'never_answer' }]);

  expect(turn).toMatchObject({ status: 'completed' });
  expect(turn.rounds[0]?.results[0]).toMatchObject({ attempts: 2, error: { category: 'execution_timeout' } });
});

test('a tool without an allowed capability is answered permission_denied, and not run', async ({ harness }) => {
  await using tool = await openExternalServer();
  const input = scripted({ rounds: [{ tools: [{ name: 'do_thing', arguments: city }] }] });
  const tools = [httpTool('do_thing', tool.url, { capabilities: ['network'] })];

  const turn = await harness.runTurn({ input, tools, allowed_capabilities: ['database'] });

  expect(turn.rounds[0]?.results[0]?.error?.category).toBe('permission_denied');
  expect(tool.caught).toHaveLength(0);
});

test('an HTTP tool receives the arguments as its body, and its own key', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: { temp: 22 } }));
  const http = { kind: 'http', url: tool.url, headers: { 'x-api-key': 'secret' } };

  const turn = await callAll(
    harness,
    [httpTool('do_thing', tool.url, { execution: http })],
    [{ name: 'do_thing', arguments: city, id: 'call_x' }],
  );

  expect(JSON.parse(tool.caught[0]!.body)).toEqual(city);
  expect(tool.caught[0]?.headers).toMatchObject({
    ...{ 'content-type': 'application/json', 'idempotency-key': `${turn.id}.1.call_x`, 'x-api-key': 'secret' },
  });
  expect(turn.rounds[0]?.results[0]).toEqual({
    ...{ tool_call_id: 'call_x', status: 'success', content: '{"temp":22}', error: null },
    ...{ truncated: false, cached: false, duration_ms: expect.any(Number), attempts: 1 },
  });
});

test.each<[Reply & object, string]>([
  [{ status: 400 }, 'invalid_arguments'],
  [{ status: 422 }, 'invalid_arguments'],
  [{ status: 401 }, 'authentication_failed'],
  [{ status: 403 }, 'permission_denied'],
  [{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'permission_denied'],
  [{ status: 404 }, 'resource_not_found'],
  [{ status: 408 }, 'execution_timeout'],
  [{ status: 429 }, 'rate_limited'],
  [{ status: 502 }, 'network_error'],
  [{ status: 503 }, 'network_error'],
  [{ status: 504 }, 'outcome_unknown'],
  [{ status: 500 }, 'unknown'],
])('an at_most_once HTTP tool that answers %j is called once: %s', async (reply, category) => {
  await using harness = await createHarness();
  await using tool = await openExternalServer(() => reply);

  const turn = await callAll(harness, [httpTool('do_thing', tool.url)], [{ name: 'do_thing', arguments: city }]);

  expect(turn.rounds[0]?.results[0]).toMatchObject({ status: 'error', attempts: 1, error: { category } });
  expect(tool.caught).toHaveLength(1);
});

test.each([
  ['idempotent', 503, 3, 'network_error'],
  ['none', 504, 3, 'network_error'],
  ['none', 500, 3, 'unknown'],
  ['none', 429, 3, 'rate_limited'],
  ['none', 404, 1, 'resource_not_found'],
])(
  'a tool of effect %s that answers %i is called %i times with the same key',
  async (effect, status, calls, category) => {
    await using harness = await createHarness();
    await using tool = await openExternalServer(() => ({ status }));
    const definition = httpTool('do_thing', tool.url, { effect, retry: { max_attempts: 3, backoff_ms: 1 } });

    const turn = await callAll(harness, [definition], [{ name: 'do_thing', arguments: city }]);

    expect(turn.rounds[0]?.results[0]).toMatchObject({ attempts: calls, error: { category } });
    expect(tool.caught).toHaveLength(calls);
    expect(new Set(tool.caught.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  },
);

test('a call that never reached its tool is repeated, even if it is at_most_once', async ({ harness }) => {
  const url = `http://127.0.0.1:${await closedPort()}/`;
  const definition = httpTool('do_thing', url, { retry: { max_attempts: 3, backoff_ms: 1 } });

  const turn = await callAll(harness, [definition], [{ name: 'do_thing', arguments: city }]);

  expect(turn.rounds[0]?.results[0]).toMatchObject({ attempts: 3, error: { category: 'network_error' } });
});

test('a malformed or repeated call id is replaced by a new id', async ({ harness }) => {
  const call = (id: string) => ({ name: 'weather_lookup', arguments: city, id });
  const input = scripted({ rounds: [{ tools: [call('same'), call('böse id')] }, { tools: [call('same')] }] });

  const { status, rounds } = await harness.runTurn({ input, tools: ['weather_lookup'] });

  expect(status).toBe('completed');
  expect(rounds.flatMap(({ tool_calls }) => tool_calls.map((made) => made.id))).toEqual([
    ...['same', expect.stringMatching(/^call_[a-zA-Z0-9_-]+$/), expect.stringMatching(/^call_[a-zA-Z0-9_-]+$/)],
  ]);
});

test('results keep the order of the calls, and each is saved as soon as it is known', async ({ harness }) => {
  await using slow = await openExternalServer(() => null);
  await using fast = await openExternalServer(() => ({ status: 200, body: 'fast' }));
  const calls = [
    { name: 'go_slow', arguments: city },
    { name: 'go_fast', arguments: city },
  ];
  const tools = [httpTool('go_slow', slow.url), httpTool('go_fast', fast.url)];

  const { id } = await harness.startTurn({
    input: scripted({ rounds: [{ tools: calls }], answer: '{{results}}' }),
    tools,
  });
  await using _worker = await startBackgroundWorker(harness);
  const request = await slow.arrival(1);
  const { body: between } = await harness.call<TurnResource>('GET', `/v1/turns/${id}?wait=20&after=3`);
  request.answer({ status: 200, body: 'slow' });
  const after = await harness.untilEnded(id);

  expect(between).toMatchObject({ status: 'in_progress', phase: 'tool_batch', round: 1 });
  expect(between.rounds[0]?.results.map(({ status, content }) => [status, content])).toEqual([
    ['running', null],
    ['success', 'fast'],
  ]);
  expect(after).toMatchObject({ status: 'completed', output: 'slow\nfast' });
  expect(after.rounds[0]?.results.map(({ content }) => content)).toEqual(['slow', 'fast']);
});

test('a long output is cut for the model and stored whole', async () => {
  await using harness = await createHarness({ env: { ...env, PAWL_TOOL_OUTPUT_LIMIT: '100' } });

  const turn = await callAll(harness, ['say_much'], [{ name: 'say_much', id: 'call_x' }]);
  const { body } = await harness.call<{ output: string }>('GET', `/v1/turns/${turn.id}/tool_outputs/call_x`);

  const result = turn.rounds[0]?.results[0];
  expect(result).toMatchObject({ status: 'success', truncated: true });
  expect(result?.content).toMatch(/^x+[\s\S]*end$/);
  expect(result?.content?.length).toBeLessThan(400);
  expect(harness.modelRequests[1]?.body.messages.at(-1)?.content).toBe(result?.content);
  expect(body).toEqual({ tool_call_id: 'call_x', output: `${'x'.repeat(1000)}end`, truncated: false });
});

test('large outputs are saved in separate commits', async () => {
  await using harness = await createHarness({ env });

  const { id } = await callAll(harness, ['say_all'], Array(3).fill({ name: 'say_all' }));

  const calls = harness.db.selectFrom('tool_calls').where('turn_id', '=', id);
  const saved = await calls
    .select([sql<string>`completed_at::text`.as('at'), sql<number>`length(full_output)`.as('size')])
    .execute();
  expect(saved.map(({ size }) => size)).toEqual(Array(3).fill(3 * 1024 * 1024));
  expect(new Set(saved.map(({ at }) => at)).size).toBe(3);
});
