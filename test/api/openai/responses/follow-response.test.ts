import { expect, test } from 'vitest';
import { DRAFT_SIZE } from '#core/turn/responses/log.ts';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { joinedOutput } from '../../../turn/responses/make-response.ts';
import { problemsAt } from '../../openapi/strictly.ts';
import { playResponse } from './play-response.ts';
import { createStreamHarness } from './stream-harness.ts';

const has = (type: string) => (seen: { type: string }[]) => seen.some((event) => event.type === type);
const typesOf = (events: NumberedEvent[]) => events.map(({ type }) => type.replace('response.', ''));
const isDelta = ({ type }: { type: string }) => /_text\.delta$|refusal\.delta$/.test(type);
const deltasOf = (events: { type: string; delta?: unknown }[]) => events.filter(isDelta).map(({ delta }) => delta);
const heard = (text: string) => (seen: { type: string; data: Record<string, unknown> }[]) =>
  deltasOf(seen.map(({ data, type }) => ({ ...data, type }))).join('') === text;

test('a running response is streamed, and its last event equals a retrieve', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness, { background: true });
  const stream = await harness.stream(response.id);
  await stream.until(has('response.queued'));
  await response.start();
  const round = await response.publishRound();
  round.think('Hm');
  await stream.until(heard('Hm'));
  round.say('Hel');
  await stream.until(heard('HmHel'));
  round.say('lo');
  await stream.until(heard('HmHello'));
  await response.complete({ reasoning: 'Hm', text: 'Hello' });
  await stream.over;

  expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
  expect(stream.seen.at(-1)?.type).toBe('[DONE]');
  expect(stream.seen.every(({ id }) => id === null)).toBe(true);
  expect(stream.events().map(({ type, sequence_number }) => [sequence_number, type.slice(9)])).toEqual([
    [0, 'created'],
    [1, 'queued'],
    [2, 'in_progress'],
    [3, 'output_item.added'],
    [4, 'reasoning_summary_part.added'],
    [6, 'reasoning_summary_text.delta'],
    [7, 'reasoning_summary_text.done'],
    [8, 'reasoning_summary_part.done'],
    [9, 'output_item.done'],
    [10, 'output_item.added'],
    [11, 'content_part.added'],
    [14, 'output_text.delta'],
    [16, 'output_text.delta'],
    [17, 'output_text.done'],
    [18, 'content_part.done'],
    [19, 'output_item.done'],
    [20, 'completed'],
  ]);
  const { output } = presentResponse(await response.load());
  expect(stream.events().at(-1)).toMatchObject({ response: { output } });
  expect(joinedOutput(stream.events())).toEqual(output);
});

test('a stream continues after a new attempt of a round that repeats the same text', async () => {
  await using harness = await createStreamHarness();
  const { response, stream } = await streamFirstRun(harness);
  await response.beginAgain();
  const second = await response.publishRound();
  second.say('One, ');
  second.say('two, three');
  await stream.until(heard('One, two, three'));
  second.end();
  await response.complete({ text: 'One, two, three.' }, 1);
  await stream.over;

  expect(deltasOf(stream.events())).toEqual(['One, two', ', three', '.']);
  const numbers = stream.events().map(({ sequence_number }) => sequence_number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(numbers.slice(-5)[0]).toBeGreaterThan(DRAFT_SIZE);
  expect(joinedOutput(stream.events())).toEqual(presentResponse(await response.load()).output);
});

test('a stream ends with an error if a new attempt of its round differs', async () => {
  await using harness = await createStreamHarness();
  const { response, stream } = await streamFirstRun(harness);
  await response.beginAgain();
  const second = await response.publishRound();
  second.say('One, drei');
  await stream.over;
  const again = await harness.stream(response.id);
  await again.until(heard('One, drei'));
  second.end();
  await response.complete({ text: 'One, drei' }, 1);
  await again.over;

  const last = stream.seen.at(-1)!;
  expect(last).toMatchObject({ type: 'error', data: { type: 'error', code: 'stream_superseded', param: null } });
  expect(problemsAt(['components', 'schemas', 'ResponseErrorEvent'], last.data)).toEqual([]);
  expect(last.data.sequence_number).toBeGreaterThan(stream.events().at(-2)!.sequence_number);
  expect(joinedOutput(again.events())).toEqual(presentResponse(await response.load()).output);
});

test('a stream ends with an error if the committed text differs from the streamed text', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness);
  await response.start();
  const stream = await harness.stream(response.id);
  const round = await response.publishRound();
  round.say('One, two');
  await stream.until(heard('One, two'));
  await response.complete({ text: 'Uno' });
  await stream.over;

  expect(stream.seen.at(-1)).toMatchObject({ type: 'error', data: { code: 'stream_superseded' } });
});

test('a stream of another process can start at any number in a running text', async () => {
  await using harness = await createStreamHarness();
  await using other = await createStreamHarness({ beside: harness });
  const response = await playResponse(harness);
  await response.start();
  const round = await response.publishRound();
  const first = await harness.stream(response.id);
  round.say('Hello 🐢🐢');
  await first.until(heard('Hello 🐢🐢'));
  const second = await other.stream(response.id, 7);
  await second.until(heard('lo 🐢🐢'));
  round.say('!');
  await second.until(heard('lo 🐢🐢!'));
  const early = await other.stream(response.id, 400);
  await response.complete({ text: 'Hello 🐢🐢!' });
  await Promise.all([second.over, early.over]);

  expect(typesOf(second.events())).toEqual([
    ...[
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ],
  ]);
  expect(early.seen.map(({ type, data }) => [type, data.code])).toEqual([['error', 'cursor_beyond_end']]);
});

test('results are streamed in order of arrival, and a stream after the end is empty', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness);
  await response.start();
  const stream = await harness.stream(response.id);
  await response.commit({ text: 'Let me look.', calls: ['a', 'b', 'c'] });
  await stream.until(has('response.mcp_call.in_progress'));
  await response.answer(1, 2);
  await stream.until(has('response.mcp_call.completed'));
  await response.answer(1, 0);
  await response.answer(1, 1);
  await response.complete({ text: 'Sunny.' });
  await stream.over;
  const late = await harness.stream(response.id);
  await late.over;
  const end = stream.events().at(-1)!.sequence_number;
  const behind = await harness.stream(response.id, end);
  await behind.over;

  const results = stream.events().filter(({ type }) => type === 'response.mcp_call.completed');
  expect(results.map(({ output_index: index }) => index)).toEqual([3, 1, 2]);
  expect(late.events()).toEqual(stream.events());
  expect(joinedOutput(late.events())).toEqual(presentResponse(await response.load()).output);
  expect(behind.seen.map(({ type }) => type)).toEqual(['[DONE]']);
});

test('a response cancelled within a text ends its stream with response.incomplete', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness);
  await response.start();
  const stream = await harness.stream(response.id);
  const round = await response.publishRound();
  round.say('One');
  await stream.until(heard('One'));
  await response.end('cancelled');
  await stream.over;

  expect(stream.events().at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: { status: 'cancelled', output: [] },
  });
  const [last, before] = stream.events().toReversed();
  expect(last!.sequence_number).toBeGreaterThan(before!.sequence_number);
});

test('a stream refuses a number of an abandoned draft before its first byte', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness);
  await response.start();
  await response.publishRound();
  await response.beginAgain();
  await response.publishRound();
  await response.complete({ text: 'Hello' }, 1);
  const ask = async (after: string) => {
    const answer = await fetch(`${harness.url}/v1/responses/${response.id}?starting_after=${after}`);
    return [answer.status, ((await answer.json()) as { error: { code: string; param: string } }).error];
  };

  expect(await ask('5')).toMatchObject([400, { code: 'stream_superseded', param: 'starting_after' }]);
});

test('a response stream opened after its worker was lost carries the new attempt only', async () => {
  await using harness = await createStreamHarness();
  const { response, stream } = await streamFirstRun(harness);
  await response.loseWorker();
  const last = stream.events().at(-1)!.sequence_number;
  const refused = await fetch(`${harness.url}/v1/responses/${response.id}?starting_after=${last}`);
  const again = await harness.stream(response.id);
  await again.until(has('response.in_progress'));
  const second = await response.publishRound();
  second.say('One, drei');
  await again.until(heard('One, drei'));
  const resumed = await harness.stream(response.id, again.events().at(-1)!.sequence_number);
  await response.complete({ text: 'One, drei, vier' }, 1);
  await Promise.all([again.over, resumed.over]);

  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'stream_superseded' } }]);
  expect(deltasOf(again.events())).toEqual(['One, drei', ', vier']);
  expect(deltasOf(resumed.events())).toEqual([', vier']);
  expect(joinedOutput(again.events())).toEqual(presentResponse(await response.load()).output);
});

/** Streams a response. Its first run writes two words and ends without an answer. */
async function streamFirstRun(harness: Awaited<ReturnType<typeof createStreamHarness>>) {
  const response = await playResponse(harness);
  await response.start();
  const stream = await harness.stream(response.id);
  const first = await response.publishRound();
  first.say('One, two');
  await stream.until(heard('One, two'));
  first.end();
  return { response, stream };
}
