import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { audio, text, user, WAV } from '../../api/blobs/samples.ts';
import { describeRefusal } from '../../api/refusals.ts';
import { openTwoWires } from '../round/two-wires.ts';

type Steered = Record<string, unknown> & { key?: string };

const steer = ({ call }: Harness, conversationId: string, { key, ...body }: Steered) =>
  call<TurnResource>('POST', `/v1/conversations/${conversationId}/turns`, {
    body: { on_active_turn: 'steer', ...body },
    headers: key ? { 'idempotency-key': key } : {},
  });

const contents = ({ input }: { input: { content: unknown }[] }) => input.map(({ content }) => content);

test('a steered input joins the active turn, and starts a turn if none is active', async ({ harness }) => {
  const calling = scripted({
    rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Lisbon' }, id: 'call_1' }] }],
  });
  const first = await harness.startTurn({ input: calling, tools: ['weather_lookup'], instructions: 'Be brief.' });
  const { conversation_id: conversationId } = first;
  const behind = await harness.call<TurnResource>('POST', `/v1/conversations/${conversationId}/turns`, {
    body: { input: 'Later' },
  });

  const queued = await steer(harness, conversationId, { input: calling, key: 'one' });
  const again = await steer(harness, conversationId, { input: calling, key: 'one' });
  await harness.workOnce();
  const running = await steer(harness, conversationId, { input: scripted({ answer: 'Both.' }), model: 'openai/test' });
  const done = await workUntilEnded(harness, first.id);
  await harness.workUntilIdle();
  const fresh = await steer(harness, conversationId, { input: 'Anyone?' });

  expect([queued.status, again.status, running.status, fresh.status]).toEqual([200, 200, 200, 202]);
  expect([queued, again, running].map(({ body, headers }) => [body.id, headers.get('location')])).toEqual(
    Array(3).fill([first.id, `/v1/turns/${first.id}`]),
  );
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(contents(done)).toEqual([calling, calling]);
  expect(done.output).toBe('Both.');
  expect(done.rounds.map(contents)).toEqual([[], [scripted({ answer: 'Both.' })]]);
  expect([fresh.body.id === first.id, fresh.body.id === behind.body.id, contents(fresh.body)]).toEqual([
    false,
    false,
    ['Anyone?'],
  ]);
});

test('a steered input with different fields from the active turn is refused by field', async ({ harness }) => {
  const same = {
    instructions: 'Be brief.',
    limits: { max_rounds: 4, deadline_seconds: 60 },
    tools: ['weather_lookup'],
  };
  const { id, conversation_id: conversationId } = await harness.startTurn({ input: 'Hi', priority: 2, ...same });
  const different = [
    [{ model: 'sim/other' }, 'model'],
    [{ instructions: 'Shout.', temperature: 1 }, 'instructions'],
    [{ limits: { max_rounds: 3 } }, 'limits.max_rounds'],
    [{ tools: ['send_postcard'] }, 'tools'],
    [{ priority: 5 }, 'priority'],
  ] as const;

  for (const [given, param] of different) {
    const refused = await steer(harness, conversationId, { input: 'And?', ...given });
    expect([describeRefusal(refused).slice(0, 16), refused.body]).toMatchObject([
      '409 turn_differs',
      { error: { param } },
    ]);
  }
  const joined = await steer(harness, conversationId, {
    input: 'So?',
    ...same,
    limits: { max_rounds: 4 },
    priority: 2,
  });
  expect([joined.body.id, contents(joined.body)]).toEqual([id, ['Hi', 'So?']]);
});

const sound = user(text('Hear:'), audio(WAV, 'wav'));
const remote = user({ type: 'input_file', file_url: 'https://example.com/offer.pdf' });

test.for([
  ['Responses', 'steer', 'running', {}, sound, 'input[0].content[1]'],
  ['Responses', 'merge', 'queued', {}, sound, 'input[0].content[1]'],
  ['Chat Completions', 'steer', 'running', { stop: ['END'] }, remote, 'input[0].content[0]'],
  ['Chat Completions', 'merge', 'queued', { stop: ['END'] }, remote, 'input[0].content[0]'],
] as const)('a turn over %s is joined by %s while it is %s, if its wire accepts the input', async (each) => {
  const [, on_active_turn, state, fields, invalid, param] = each;
  const calls = [{ id: 'call_1', name: 'weather_lookup', arguments: ['{"city":"Bern"}'] }];
  await using wires = await openTwoWires({ reply: { calls } });
  const harness = await wires.open();
  const { body } = await harness.call('POST', '/v1/conversations', {
    body: { model: 'openai/gpt-6', tools: ['weather_lookup'] },
  });
  const conversation = String(body.id);
  const started = await steer(harness, conversation, { input: 'How is Bern?', ...fields });
  if (state === 'running') await harness.workOnce();

  const refused = await steer(harness, conversation, { on_active_turn, input: invalid });
  const joined = await steer(harness, conversation, { on_active_turn, input: 'So?' });

  expect([refused.status, refused.body]).toMatchObject([400, { error: { code: 'unsupported_content', param } }]);
  expect([joined.status, joined.body.id]).toEqual([200, started.body.id]);
  await harness.workOnce();
  await harness.workOnce();
  const last = wires.asked.at(-1)!;
  expect(last.wire).toBe(each[0] === 'Responses' ? 'responses' : 'chat');
  expect(JSON.stringify(last.body)).toContain('So?');
});

test('a fallback model over Responses cannot take audio that joins a turn', async () => {
  await using wires = await openTwoWires();
  const harness = await wires.open({ GEMINI_API_KEY: 'none-at-all' });
  const model = 'gemini/gemini-3-pro';
  const turn = await harness.startTurn({ model, fallback_models: ['openai/gpt-6'], input: 'Hi' });

  const refused = await steer(harness, turn.conversation_id, { input: sound });

  expect([refused.status, refused.body]).toMatchObject([400, { error: { code: 'unsupported_content' } }]);
});
