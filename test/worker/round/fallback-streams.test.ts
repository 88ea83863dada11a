import { expect, test } from 'vitest';
import { openStream, type Seen, textOf } from '#test/api/stream/open-stream.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const HALF = 'Half a sen';
const overloaded = `data: ${JSON.stringify({ error: { message: 'Overloaded', code: 'overloaded' } })}\n\n`;
const [begun = ''] = openaiWire.reply({ text: [HALF] });
const SECOND = 'Second here.';

/**
 * Watches a turn with a first model that sends half a sentence and dies after the streams have received it. Another
 * model follows, and ends after the first stream has received its text: text that arrives after the commit is not
 * streamed.
 */
async function watchDying(
  harness: Harness,
  pathsOf: (id: string) => string[],
  { dies, ends }: { dies: () => void; ends: () => void },
) {
  const { id } = await harness.startTurn({
    ...{ model: 'openai/first', fallback_models: ['anthropic/second'], input: 'Hi' },
  });
  const streams = await Promise.all(pathsOf(id).map((path) => openStream(`${harness.url}${path}`, {})));
  await harness.untilReceived('catch-up', id);
  const working = harness.workUntilIdle();
  await Promise.all(streams.map((stream) => stream.until(hasHalf)));
  dies();
  await streams[0]!.until(hasSecond);
  ends();
  await working;
  await Promise.all(streams.map(({ over }) => over));
  return { turn: await harness.findTurn(id), seen: streams.map((stream) => stream.seen) };
}

const hasHalf = (seen: Seen[]) => seen.some(({ data }) => data.delta === HALF);
const hasSecond = (seen: Seen[]) => seen.some(({ data }) => data.delta === SECOND);

test('a stream sends the reply of the new model in place of the first model’s text', async () => {
  await using first = await startWireServer();
  await using second = await startWireServer();
  const env = { OPENAI_BASE_URL: first.origin, ANTHROPIC_BASE_URL: second.origin, ANTHROPIC_API_KEY: 'none-at-all' };
  await using harness = await createHarness({ env });
  const [heard, heardSecond] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  first.answer({ body: [begun, heard.promise, overloaded] });
  const reply = anthropicWire.reply({ text: [SECOND] });
  second.answer({ body: [...reply.slice(0, -1), heardSecond.promise, ...reply.slice(-1)] });
  const paths = (id: string) => [
    `/v1/turns/${id}/events`,
    `/v1/turns/${id}/ui-stream`,
    `/v1/responses/${id.replace('turn_', 'resp_')}?stream=true`,
  ];

  const { turn, seen } = await watchDying(harness, paths, {
    ...{ dies: heard.resolve, ends: heardSecond.resolve },
  });
  const [events = [], chunks = [], response = []] = seen;

  expect(turn).toMatchObject({ status: 'completed', output: SECOND, rounds: [{ model: 'anthropic/second' }] });
  expect(textOf(events)).toBe(SECOND);
  const types = events.map(({ type }) => type);
  expect(types.indexOf('model.changed')).toBeLessThan(types.lastIndexOf('round.started'));
  expect(chunks.some(({ data }) => data.type === 'error')).toBe(true);
  expect(response.at(-1)).toMatchObject({ type: 'error', data: { code: 'stream_superseded' } });
});

test('a response has no break and names the requested model if the first sent no text', async () => {
  await using first = await startWireServer();
  await using second = await startWireServer();
  const env = { OPENAI_BASE_URL: first.origin, ANTHROPIC_BASE_URL: second.origin, ANTHROPIC_API_KEY: 'none-at-all' };
  await using harness = await createHarness({ env });
  first.answer({ status: 529 });
  second.answer({ body: anthropicWire.reply({ text: ['Second here.'] }) });
  const { id } = await harness.startTurn({
    ...{ model: 'openai/first', fallback_models: ['anthropic/second'], input: 'Hi' },
  });
  const stream = await openStream(`${harness.url}/v1/responses/${id.replace('turn_', 'resp_')}?stream=true`, {});

  await harness.workUntilIdle();
  await stream.over;

  const completed = stream.seen.find(({ type }) => type === 'response.completed');
  expect(completed?.data).toMatchObject({
    response: { model: 'openai/first', output: [{ content: [{ text: 'Second here.' }] }] },
  });
});
