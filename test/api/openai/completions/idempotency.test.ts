import OpenAI from 'openai';
import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { test } from '../test.ts';
import { completing, scriptedUser } from './completing.ts';
import { openCompletionStream } from './completion-stream.ts';

const key = { 'idempotency-key': 'once' };
const body = { messages: [scriptedUser({ answer: 'Once upon a time.', piece_chars: 3 })] };

describeQueue(({ redis }) => {
  test('two requests with one Idempotency-Key share one completion', async () => {
    await using harness = await createHarness({ redis });
    const { complete } = completing(harness);

    const both = Promise.all([complete(body, key), complete(body, key)]);
    await using _worker = await startBackgroundWorker(harness);
    const [one, other] = await both;

    expect(other).toEqual(one);
    expect(await complete(body, key)).toEqual(one);
    expect(harness.modelRequests).toHaveLength(1);
  });
});

test('an Idempotency-Key with another body is a conflict that clients do not retry', async ({ harness, worker: _ }) => {
  const { complete, refused } = completing(harness);
  await complete(body, key);

  for (const more of [{ user: 'else' }, { stream: true }]) {
    const error = await refused({ ...body, ...more }, key);
    expect(error).toBeInstanceOf(OpenAI.ConflictError);
    expect(error).toMatchObject({ code: 'idempotency_key_reused' });
    expect(error.headers?.get('x-should-retry')).toBe('false');
  }
});

test('a stream repeated with its Idempotency-Key begins again from the start', async () => {
  await using harness = await createHarness();
  const open = () =>
    openCompletionStream(harness, { body: { ...body, stream_options: { include_usage: true } }, headers: key });

  const first = await open();
  await using _worker = await startBackgroundWorker(harness);
  await first.over;
  const second = await open();
  await second.over;

  expect(second.text()).toBe('Once upon a time.');
  const ends = [first, second].map(({ frames }) => [frames[0], ...frames.slice(-3)]);
  expect(ends[1]).toEqual(ends[0]);
  expect(second.response.headers.get('idempotency-replayed')).toBe('true');
  expect(harness.modelRequests).toHaveLength(1);
});

test('an Idempotency-Key finds a failed completion, with the same error', async ({ harness, worker: _ }) => {
  const { refused } = completing(harness);
  const failing = { messages: [scriptedUser({ final: { fault: { kind: 'status', status: 400 } } })] };

  const first = await refused(failing, key);
  const second = await refused(failing, key);

  expect(second).toMatchObject({ status: 400, code: first.code, message: first.message });
  expect(second.headers?.get('pawl-response-id')).toBe(first.headers?.get('pawl-response-id'));
  expect(harness.modelRequests).toHaveLength(1);
});

test('an Idempotency-Key works with store: false too', async ({ harness }) => {
  const { complete } = completing(harness);
  const unstored = { ...body, store: false };

  const both = Promise.all([complete(unstored, key), complete(unstored, key)]);
  await using _worker = await startBackgroundWorker(harness);
  const [one, other] = await both;

  expect(other).toEqual(one);
  expect(harness.modelRequests).toHaveLength(1);
});

test('an equal request without an Idempotency-Key starts a second completion', async ({ harness, worker: _ }) => {
  const { complete } = completing(harness);

  const [one, other] = [await complete(body), await complete(body)];

  expect(other.id).not.toBe(one.id);
  expect(harness.modelRequests).toHaveLength(2);
});
