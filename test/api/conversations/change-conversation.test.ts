import { expect } from 'vitest';
import type { ConversationResource } from '#core/turn/resource/conversation.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { describeRefusal } from '#test/api/refusals.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';

type Shown = TurnResource & { config: Record<string, unknown> };

const create = async ({ call }: Harness, body: object) =>
  (await call<ConversationResource>('POST', '/v1/conversations', { body })).body;
const change = ({ call }: Harness, id: string, body: object) =>
  call<ConversationResource>('PATCH', `/v1/conversations/${id}`, { body });
const start = async ({ call }: Harness, id: string) =>
  (await call<TurnResource>('POST', `/v1/conversations/${id}/turns`, { body: { input: 'Hi' } })).body;
const configOf = async ({ call }: Harness, id: string) =>
  (await call<Shown>('GET', `/v1/turns/${id}?include=config`)).body.config;

test('a change of a conversation applies to later turns, not to queued turns', async ({ harness }) => {
  const { id } = await create(harness, {
    ...{ model: 'openai/test', instructions: 'Be brief.', temperature: 0.2, tools: ['weather_lookup'] },
    ...{ limits: { max_rounds: 3 }, metadata: { customer: '17', tier: 'gold' } },
  });
  const queued = await start(harness, id);

  const changed = await change(harness, id, {
    ...{ model: 'sim/demo', instructions: null, tools: ['send_postcard'], limits: null, metadata: { customer: '18' } },
  });
  const later = await start(harness, id);

  const fields = { model: 'sim/demo', instructions: null, tools: ['send_postcard'] };
  expect(changed.status).toBe(200);
  expect(changed.body).toMatchObject({
    id,
    object: 'conversation',
    ...fields,
    temperature: 0.2,
    metadata: { customer: '18' },
  });
  expect(changed.body.limits.max_rounds).toBe(50);
  expect((await harness.call('GET', `/v1/conversations/${id}`)).body).toEqual({
    ...changed.body,
    active_turn_id: queued.id,
  });
  expect(await configOf(harness, queued.id)).toMatchObject({
    ...{ model: 'openai/test', instructions: 'Be brief.', tools: [{ name: 'weather_lookup' }] },
    sampling: { temperature: 0.2 },
    limits: { max_rounds: 3 },
  });
  expect(await configOf(harness, later.id)).toMatchObject({
    ...{ ...fields, tools: [{ name: 'send_postcard' }], limits: { max_rounds: 50 } },
    sampling: { temperature: 0.2 },
  });
});

test('a change keeps fields that it leaves out', async ({ harness }) => {
  const made = await create(harness, { model: 'openai/test', instructions: 'Be brief.', metadata: { a: '1' } });

  expect((await change(harness, made.id, {})).body).toEqual(made);
  expect((await change(harness, made.id, { seed: 7 })).body).toEqual({ ...made, seed: 7 });
  expect((await change(harness, made.id, { metadata: null })).body).toEqual({ ...made, seed: 7, metadata: {} });
});

test('a change can set and remove the expiry of a conversation', async ({ harness }) => {
  const made = await create(harness, { model: 'openai/test' });

  const expiring = await change(harness, made.id, { expires_in_seconds: 60 });
  const kept = await change(harness, made.id, { expires_in_seconds: null });

  const expiresAt = new Date(Date.parse(made.created_at) + 60_000).toISOString();
  expect(expiring).toMatchObject({ status: 200, body: { expires_in_seconds: 60, expires_at: expiresAt } });
  expect(kept.body).toEqual(made);
});

test('a change is validated like a new conversation, and applied whole or not at all', async ({ harness }) => {
  const made = await create(harness, { model: 'openai/test', metadata: { a: '1' } });
  const refused = async (body: object, id = made.id) => describeRefusal(await change(harness, id, body));

  expect(await refused({ model: 'nowhere/x', metadata: {} })).toBe('400 provider_not_configured: model');
  expect(await refused({ tools: ['unknown'] })).toBe('400 unknown_tool: tools[0]');
  expect(await refused({ input: 'Hi' })).toBe('400 unknown_field: input');
  expect(await refused({ limits: { max_cost_usd: 1 } })).toBe('400 unsupported_parameter: limits.max_cost_usd');
  expect(await refused({ tool_choice: 'required' })).toBe('400 invalid_value: tool_choice');
  expect(await refused({}, 'conv_missing')).toBe('404 conversation_not_found: id');
  expect((await harness.call('GET', `/v1/conversations/${made.id}`)).body).toEqual(made);
});

test('concurrent changes of a conversation are all applied', async ({ harness }) => {
  const { id } = await create(harness, { model: 'openai/test' });

  const changes = [{ seed: 7 }, { temperature: 0.5 }, { instructions: 'Be brief.' }];
  const answers = await Promise.all(changes.map((body) => change(harness, id, body)));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { body } = await harness.call('GET', `/v1/conversations/${id}`);
  expect(body).toMatchObject(Object.assign({}, ...changes));
});

test('a change sets and removes the expiry of a conversation that a turn created', async () => {
  await using harness = await createHarness();
  const { conversation_id: id, id: turn } = await harness.startTurn({ input: 'Hi' });
  const active = await change(harness, id, { expires_in_seconds: 3600 });
  await harness.workUntilIdle();
  const ended = (await harness.call<ConversationResource>('GET', `/v1/conversations/${id}`)).body;
  await harness.call('DELETE', `/v1/turns/${turn}`);
  const emptied = (await harness.call<ConversationResource>('GET', `/v1/conversations/${id}`)).body;
  const never = await change(harness, id, { expires_in_seconds: null });

  expect(active.body).toMatchObject({ expires_in_seconds: 3600, expires_at: null });
  expect(Date.parse(ended.expires_at ?? '') - Date.parse(ended.created_at)).toBeGreaterThan(3_600_000);
  expect(emptied).toMatchObject({ model: 'openai/test', expires_in_seconds: 3600 });
  expect(Date.parse(emptied.expires_at ?? '') - Date.parse(emptied.created_at)).toBe(3_600_000);
  expect(never.body).toMatchObject({ expires_in_seconds: null, expires_at: null });
  expect(describeRefusal(await change(harness, id, { expires_in_seconds: 0 }))).toBe(
    '400 invalid_value: expires_in_seconds',
  );
});
