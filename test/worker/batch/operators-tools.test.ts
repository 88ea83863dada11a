import { beforeEach, expect } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { done } from '#test/harness/strict-tools.ts';
import { testWith } from '#test/harness/test.ts';

const strict = { env: { PAWL_TOOLS: new URL('../../harness/strict-tools.ts', import.meta.url).pathname } };
const loose = {
  ...{ description: 'Whatever the caller says', approval: 'never', effect: 'none', capabilities: [] },
  ...{ timeout_ms: 3_600_000, retry: { max_attempts: 10, backoff_ms: 0 }, cache_ttl_seconds: 3600 },
  ...{ rate_limit: { max: 10_000, per_seconds: 1 }, parameters: { type: 'object', properties: {} } },
};
const pay = (amount: number) => ({ name: 'send_money', arguments: { amount } });

beforeEach(() => {
  done.length = 0;
});

async function play(harness: Harness, { calls, ...request }: { calls: object[] } & Record<string, unknown>) {
  const rounds = calls.map((call) => ({ tools: [call as never] }));
  return harness.runTurn({ input: scripted({ rounds }), ...request });
}

async function effectsOf(harness: Harness, turnId: string) {
  const path = `/v1/turns/${turnId}/rounds`;
  const { body } = await harness.call<{ data: { results: { effect: string }[] }[] }>('GET', path);
  return body.data.flatMap(({ results }) => results.map(({ effect }) => effect));
}

const test = testWith(strict);

test('an operator’s tool keeps its approval, effect and schema in each definition', async ({ harness }) => {
  const tools = [{ name: 'send_money', ...loose }];

  const turn = await play(harness, { calls: [pay(1000), pay(5)], tools });

  expect(turn).toMatchObject({ status: 'requires_action', required_action: { approvals: [{ name: 'send_money' }] } });
  expect(turn.rounds[0]?.results[0]?.error).toMatchObject({
    category: 'invalid_arguments',
    details: { amount: expect.any(String) },
  });
  expect(await effectsOf(harness, turn.id)).toEqual(['at_most_once', 'at_most_once']);
  expect(done).toEqual([]);
});

test('a conversation cannot loosen an operator’s tool, and shows the rules that apply', async ({ harness }) => {
  const standing = { model: 'openai/test', tools: [{ name: 'send_money', execution: { kind: 'server' }, ...loose }] };

  const { body } = await harness.call('POST', '/v1/conversations', { body: standing });
  const path = `/v1/conversations/${body.id}`;
  const started = await harness.call('POST', `${path}/turns`, {
    body: { input: scripted({ rounds: [{ tools: [pay(5)] }] }) },
  });
  await harness.workUntilIdle();

  expect((await harness.findTurn(String(started.body.id))).status).toBe('requires_action');
  const applied = { approval: 'always', effect: 'at_most_once', capabilities: ['network'], cache_ttl_seconds: 0 };
  expect(body).toMatchObject({
    tools: [{ ...applied, timeout_ms: 30_000, retry: { max_attempts: 3, backoff_ms: 500 } }],
  });
  expect((await harness.call('GET', path)).body).toMatchObject({ tools: body.tools });
});

test('a definition of an operator’s tool keeps its capabilities', async ({ harness }) => {
  const tools = [{ name: 'send_money', ...loose }];

  const turn = await play(harness, { calls: [pay(5)], tools, allowed_capabilities: [] });

  expect(turn.status).toBe('completed');
  expect(turn.rounds[0]?.results[0]?.error?.category).toBe('permission_denied');
});

test('rate limits of caller and operator both apply, across definitions of the tool', async ({ harness }) => {
  const post = (text: string) => ({ name: 'post_notice', arguments: { text } });
  const asLimit = (max: number) => [{ name: 'post_notice', rate_limit: { max, per_seconds: 1 } }];

  const first = await play(harness, { calls: [post('a')], tools: asLimit(10) });
  const others = [
    await play(harness, { calls: [post('b')], tools: asLimit(9) }),
    await play(harness, { calls: [post('c')], tools: ['post_notice'] }),
  ];

  expect(first.rounds[0]?.results[0]?.status).toBe('success');
  const errors = others.map((turn) => turn.rounds[0]?.results[0]?.error);
  expect(errors.map((error) => error?.category)).toEqual(['rate_limited', 'rate_limited']);
  expect(errors[0]?.message).toContain('9 times in 1 s, at most 1 times in 3600 s');
  expect(done).toEqual(['posted a']);
});

test('a definition inherits omitted fields from the operator’s tool, and adds its own', async ({ harness }) => {
  const read = { name: 'read_notice', arguments: { place: 'hall' } };
  const inHall = { type: 'object', properties: { place: { enum: ['hall'] } }, required: ['place'] };

  const bare = await play(harness, { calls: [read, read], tools: [{ name: 'read_notice' }] });
  const narrow = await play(harness, {
    calls: [{ ...read, arguments: { place: 'attic' } }],
    tools: [{ name: 'read_notice', parameters: inHall }],
  });
  const turn = await play(harness, { calls: [read], tools: [{ name: 'read_notice', approval: 'always' }] });

  expect(bare.rounds.slice(0, 2).map(({ results }) => results[0]?.cached)).toEqual([false, true]);
  expect(harness.modelRequests[0]?.body.tools?.[0]?.function).toMatchObject({
    description: 'Reads the notice of a place',
    parameters: { required: ['place'] },
  });
  expect(narrow.rounds[0]?.results[0]?.error?.category).toBe('invalid_arguments');
  expect(turn.status).toBe('requires_action');
  expect(done).toEqual(['read hall']);
});

test.each(['book', 'cities__book'])('a definition of the MCP tool %s keeps its effect and schema', async (name) => {
  await using externalServer = await openExternalMcpServer();
  await using harness = await createHarness({
    env: { PAWL_MCP: JSON.stringify({ cities: { url: externalServer.url } }) },
  });
  const tools = [{ ...loose, name, execution: { kind: 'mcp', server: 'cities' } }];
  const call = (city: unknown) => ({ name, arguments: { city } });

  const turn = await play(harness, { calls: [call(5), call('Rome')], tools });

  expect(await effectsOf(harness, turn.id)).toEqual(['at_most_once', 'at_most_once']);
  expect(turn.rounds[0]?.results[0]?.error?.category).toBe('invalid_arguments');
  expect(externalServer.calls).toHaveLength(1);
});
