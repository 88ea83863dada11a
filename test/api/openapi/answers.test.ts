import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness, letTimePass, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { audio, file, image, PDF, PNG, pathOf, text, user, WAV } from '../blobs/samples.ts';
import { keepItems } from './ask-for-items.ts';
import { document } from './document.ts';
import { keepAgents } from './keep-agents.ts';
import { keepFiles } from './keep-files.ts';
import { findAndChange, lookAround } from './look-around.ts';
import { playCompactions } from './play-compactions.ts';
import { playCompletions } from './play-completions.ts';
import { treatMany } from './treat-many.ts';
import { type Ask, visitor } from './visitor.ts';

type Made = { id: string };
type List<Item = Made> = { data: Item[] };
type Mapped = { discriminator: { mapping: Record<string, string> } };

const model = 'openai/test';
const tools = ['weather_lookup'];
const call = (name: string, id: string) => ({ name, arguments: { city: 'Tokyo' }, id });
const oneCall = scripted({ rounds: [{ say: 'Let me look.', tools: [call('weather_lookup', 'call_look')] }] });
/** A turn that compacts its history: each round uses more tokens than the limit. */
const compacting = {
  input: scripted({
    rounds: ['call_1', 'call_2'].map((id) => ({
      ...{ say: 'Let me look. '.repeat(30), tools: [call('weather_lookup', id)] },
      usage: { prompt_tokens: 5_000, completion_tokens: 90 },
    })),
  }),
  context: { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 },
};
const failing = (status: number, times?: number) =>
  scripted({ answer: 'At last.', final: { fault: { kind: 'status', status, ...(times && { times }) } } });
const unavailable = { error: { message: 'Resource unavailable.', code: 'resource_unavailable' } };
/** A turn with a round that leaves the tier flex. */
const leaving = {
  input: scripted({ final: { fault: { kind: 'status', status: 429, body: unavailable, service_tier: 'flex' } } }),
  ...{ service_tier: 'flex', tier_fallback: 'default' },
};
const stream = { accept: 'text/event-stream' };
const typesOf = (schema: string) => Object.keys((document.components.schemas[schema] as Mapped).discriminator.mapping);

test('every successful answer matches the OpenAPI document, in every status of a turn', async () => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 503 : 200, body: 'ok' }));
  await using harness = await createHarness({ env: { PAWL_FLEX_WAIT_MS: '0' } });
  const { ask, unseen } = visitor(harness.url);

  await converse(ask, harness, receiver.url);
  const ended = await playTurns(ask, harness);
  await keepEndpoint(ask, harness, receiver.url);
  await playResponses(ask, harness);
  await playCompletions(ask, harness);
  await playCompactions(ask, harness);
  await keepItems(ask, harness);
  await keepFiles(ask);
  await keepAgents(ask);
  await treatMany(ask);
  await lookAround(ask, harness.url);

  expect(unseen()).toEqual([]);
  expect(ended.statuses).toEqual(['completed', 'incomplete', 'failed', 'cancelled', ...Array(3).fill('completed')]);
  expect(ended.events).toEqual(new Set(typesOf('Event')));
});

/** Requests a conversation of two turns, with messages in every form and deliveries, and deletes it. */
async function converse(ask: Ask, harness: Harness, url: string): Promise<void> {
  const body = { model, instructions: 'Be brief.', tools, input: oneCall, webhook: { url, include: ['turn'] } };
  const asking = { body, headers: { 'idempotency-key': 'once' } };
  await ask('POST', '/v1/conversations', { body: {} });
  const { id, turn } = await ask<Made & { turn: Made }>('POST', '/v1/conversations', asking);
  const parts = user(text('What is it?'), image(PNG), file(PDF), audio(WAV, 'wav'));
  await ask('POST', '/v1/conversations', asking);
  await ask('POST', `/v1/conversations/${id}/turns`, { body: { input: parts } });
  await ask('POST', `/v1/conversations/${id}/turns`, { body: { input: oneCall, on_active_turn: 'steer' } });
  for (const base64 of [PNG, PDF, WAV]) await ask('GET', pathOf(base64));
  await harness.workUntilIdle();
  await letTimePass(harness);

  for (const format of ['compact', 'openai', 'anthropic', 'gemini']) {
    await ask('GET', `/v1/conversations/${id}/messages?format=${format}`);
    await ask('GET', `/v1/conversations/${id}/messages?format=${format}&view=sent`);
  }
  const places = 'rounds rounds/1/sent chain events?limit=2 tool_outputs/call_look ui-stream'.split(' ');
  for (const part of places) await ask('GET', `/v1/turns/${turn.id}/${part}`);
  const { last_event } = await ask<{ last_event: number }>('GET', `/v1/turns/${turn.id}`);
  await ask('GET', `/v1/turns/${turn.id}/events`, { headers: { ...stream, 'last-event-id': String(last_event) } });
  const { data } = await ask<List>('GET', `/v1/turns/${turn.id}/deliveries`);
  await ask('GET', `/v1/deliveries/${data[0]!.id}`);
  await ask('POST', `/v1/deliveries/${data[0]!.id}/redeliver`);
  for (const path of [
    `/v1/conversations/${id}`,
    `/v1/conversations/${id}/ui-stream`,
    '/v1/conversations?limit=1',
    '/v1/conversations?include=latest_turn',
    '/v1/turns?include=rounds',
  ])
    await ask('GET', path);
  await findAndChange(ask, { id, turn });
  await ask('DELETE', `/v1/turns/${turn.id}`);
  await ask('DELETE', `/v1/conversations/${id}`);
}

/** Plays turns to every status and reads each turn along the way. */
async function playTurns(ask: Ask, harness: Harness) {
  const start = async (body: object) => (await ask<Made>('POST', '/v1/turns', { body: { model, ...body } })).id;
  const events = new Set<string>();
  const read = async (id: string) => {
    const turn = await ask<TurnResource>('GET', `/v1/turns/${id}?wait=0`);
    await ask('GET', `/v1/turns/${id}/rounds`);
    const { data } = await ask<List<{ type: string }>>('GET', `/v1/turns/${id}/events`);
    for (const { type } of data) events.add(type);
    return turn.status;
  };

  const completed = await start({ input: oneCall, tools });
  expect(await read(completed)).toBe('queued');
  await harness.workOnce();
  expect(await read(completed)).toBe('in_progress');
  await ask('POST', `/v1/turns/${completed}/input`, { body: { input: oneCall } });
  const cancelled = await start({ input: 'Hi' });
  await ask('POST', `/v1/turns/${cancelled}/cancel`);
  const incomplete = await start({ input: oneCall, tools, limits: { max_rounds: 1 } });
  const compacted = await start({ ...compacting, tools });
  const left = await start(leaving);
  const retried = await start({ input: failing(500, 1) });
  await workUntilEnded(harness, retried);
  expect(await read(retried)).toBe('completed');
  const failed = await start({ input: failing(401), fallback_models: ['openai/other'] });
  await harness.workUntilIdle();
  await ask('POST', `/v1/turns/${completed}/fork`, { body: { after_round: 1 } });
  await ask('POST', `/v1/turns/${completed}/rerun`, { body: {} });
  await ask('POST', `/v1/turns/${failed}/retry`);
  await harness.workUntilIdle();
  const waiting = await startWaiting(ask, harness, start);
  const statuses = [];
  for (const id of [completed, incomplete, failed, cancelled, waiting, compacted, left]) statuses.push(await read(id));
  return { statuses, events };
}

/** Plays a turn that waits for its client and for an approval, receives both, and ends. */
async function startWaiting(ask: Ask, harness: Harness, start: (body: object) => Promise<string>): Promise<string> {
  const input = scripted({ rounds: [{ tools: [call('locate_user', 'call_1'), call('send_postcard', 'call_2')] }] });
  const locate = { name: 'locate_user', description: 'Asks the device where the user is', expires_in_seconds: 60 };
  const id = await start({
    input,
    tools: [locate, { name: 'send_postcard', description: 'Sends a postcard', approval: 'always' }],
  });
  await harness.workUntilIdle();

  const turn = await ask<TurnResource>('GET', `/v1/turns/${id}`);
  expect(turn.status).toBe('requires_action');
  await ask('GET', `/v1/conversations/${turn.conversation_id}/ui-stream`);
  const approvals = [{ tool_call_id: 'call_2', decision: 'deny', reason: 'Too dear.' }];
  await ask('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });
  const error = { category: 'unknown', message: 'The device is off.' };
  await ask('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs: [{ tool_call_id: 'call_1', error }] } });
  await harness.workUntilIdle();
  return id;
}

async function keepEndpoint(ask: Ask, harness: Harness, url: string): Promise<void> {
  const { id } = await ask<Made>('POST', '/v1/webhook_endpoints', { body: { url, description: 'Ours' } });
  const place = `/v1/webhook_endpoints/${id}`;
  await ask('POST', '/v1/turns', { body: { model, input: 'Hi' } });
  await harness.workUntilIdle();

  for (const path of [place, `${place}/secret`, `${place}/deliveries`, '/v1/webhook_endpoints']) await ask('GET', path);
  await ask('PATCH', place, { body: { status: 'disabled' } });
  for (const action of ['rotate_secret', 'test']) await ask('POST', `${place}/${action}`);
  await ask('DELETE', place);
}

/** Requests a response with every kind of output under each base, and deletes it. */
async function playResponses(ask: Ask, harness: Harness): Promise<void> {
  const locate = { type: 'function', name: 'locate_user', description: 'Asks the device where the user is' };
  const input = scripted({ rounds: [{ say: 'Where?', tools: [call('locate_user', 'call_1')] }] });
  for (const base of ['/v1', '/openai/v1']) {
    const create = async (body: object) =>
      (await ask<Made>('POST', `${base}/responses`, { body: { model, background: true, ...body } })).id;
    const ids = [await create({ input, tools: [locate] }), await create({ input: failing(401), store: true })];
    await ask('POST', `${base}/responses/${await create({ input: 'Hi' })}/cancel`);
    await harness.workUntilIdle();

    for (const id of ids) {
      for (const part of ['', '/input_items?order=asc', '/ui-stream'])
        await ask('GET', `${base}/responses/${id}${part}`);
    }
    await ask('POST', `${base}/responses/input_tokens`, { body: { model, input: 'Hi', previous_response_id: ids[0] } });
    await ask('DELETE', `${base}/responses/${ids[0]}`);
  }
}
