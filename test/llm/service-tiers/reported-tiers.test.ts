import { expect, test } from 'vitest';
import { event } from '#test/llm/openai-wire.ts';
import { endEvent, messageItem, responseObject, responsesEvent } from '#test/llm/responses-events.ts';
import { askOn, PLAIN_CHUNKS, TIER_WIRES, WIRE_NAMES, wholeAnswer } from './tier-wires.ts';

test.each(WIRE_NAMES)('%s: the reported service tier is read from a stream, unchanged', async (name) => {
  const { reply } = await askOn(name, { body: TIER_WIRES[name].streamed('A new Tier') });

  expect(reply).toMatchObject({ text: expect.stringMatching(/^(Hi\.)+$/), serviceTier: 'A new Tier' });
});

test.each(WIRE_NAMES)('%s: the reported service tier is read from a whole reply', async (name) => {
  const { reply } = await askOn(name, wholeAnswer(TIER_WIRES[name].whole('flex')));

  expect(reply).toMatchObject({ text: 'Hi.', serviceTier: 'flex' });
});

const odd = [null, true, {}, ['flex'], ''];
test.each(WIRE_NAMES.flatMap((name) => odd.map((tier) => [name, tier] as const)))(
  '%s: an invalid reported service tier %j is null',
  async (name, tier) => {
    const streamed = await askOn(name, { body: TIER_WIRES[name].streamed(tier) });
    const whole = await askOn(name, wholeAnswer(TIER_WIRES[name].whole(tier)));

    expect([streamed.reply.serviceTier ?? null, whole.reply.serviceTier ?? null]).toEqual([null, null]);
    expect(whole.reply.text).toBe('Hi.');
  },
);

test.each(WIRE_NAMES)('%s: a reported service tier is kept up to 100 characters', async (name) => {
  const { reply } = await askOn(name, wholeAnswer(TIER_WIRES[name].whole(`flex${'x'.repeat(5_000)}`)));

  expect((reply.serviceTier ?? '').length).toBeLessThanOrEqual(100);
});

test.each(WIRE_NAMES)('%s: NUL in a reported service tier does not reach the database', async (name) => {
  const { reply } = await askOn(name, wholeAnswer(TIER_WIRES[name].whole('fl\u0000ex')));

  expect(reply.serviceTier ?? '').not.toContain('\u0000');
});

test('openai: a reply without a service tier reports null', async () => {
  const { reply } = await askOn('openai', { body: PLAIN_CHUNKS });

  expect(reply.serviceTier ?? null).toBeNull();
});

test('openai: the last chunk with a service tier counts', async () => {
  const chunks = [
    event({ content: 'Hi.' }, null, { service_tier: 'auto' }),
    event({}, 'stop', { service_tier: 'flex' }),
    `data: ${JSON.stringify({ choices: [], service_tier: null, usage: { prompt_tokens: 1, completion_tokens: 1 } })}\n\n`,
  ];

  const { reply } = await askOn('openai', { body: [...chunks, 'data: [DONE]\n\n'] });

  expect(reply.serviceTier).toBe('flex');
});

test('openai: a chunk with only usage may have the service tier', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const last = `data: ${JSON.stringify({ choices: [], service_tier: 'priority', usage })}\n\n`;

  const { reply } = await askOn('openai', { body: [event({ content: 'Hi.' }), event({}, 'stop'), last] });

  expect(reply).toMatchObject({ serviceTier: 'priority', usage: { total_tokens: 2 } });
});

test('openai-responses: the last snapshot has the service tier, not the first', async () => {
  const first = { ...responseObject([]), status: 'in_progress', service_tier: 'flex' };
  const { item } = messageItem(['Hi.']);
  const body = [
    responsesEvent('response.created', { response: first }),
    responsesEvent('response.output_item.done', { output_index: 0, item }),
    endEvent([item]),
  ];

  const { reply } = await askOn('openai-responses', { body });

  expect(reply).toMatchObject({ text: 'Hi.', serviceTier: 'default' });
});

test('openai-responses: an incomplete response reports its service tier', async () => {
  const { item } = messageItem(['Hi.']);
  const end = endEvent([item], { status: 'incomplete', reason: 'max_output_tokens' });

  const { reply } = await askOn('openai-responses', { body: [end.replace('"default"', '"flex"')] });

  expect(reply).toMatchObject({ finishReason: 'length', serviceTier: 'flex' });
});
