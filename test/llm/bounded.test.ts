import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { replayAnswers } from '#core/llm/batches/replay-answers.ts';
import { bounded } from '#core/llm/bounded.ts';
import type { Delta, Provider } from '#core/llm/provider.ts';
import type { Reply } from '#core/turn/reply.ts';
import { repeat } from '#test/harness/repeat.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const reply: Reply = {
  text: 'Hi',
  calls: [],
  finishReason: 'stop',
  finishReasonRaw: 'stop',
  usage: null,
  opaque: null,
};
const never = new AbortController().signal;
const capabilities = {
  wire: 'openai',
  streaming: true,
  tools: true,
  parallel_tool_calls: true,
  thinking: true,
  structured_outputs: true,
  hosted_tools: [],
} as const;
const provider = (ask: Provider['ask']): Provider => ({ name: 'slow', capabilities, ask });
const patient = { timeoutMs: 20_000, idleTimeoutMs: 20_000 };

test('a reply within bounds passes unchanged, with its deltas', async () => {
  const deltas: Delta[] = [];
  const inside = provider(async (_request, _signal, onDelta) => {
    onDelta({ kind: 'text', text: 'Hi' });
    return reply;
  });

  const answer = await bounded(inside, patient).ask(someRequest, never, (delta) => deltas.push(delta));

  expect(answer).toBe(reply);
  expect(deltas).toEqual([{ kind: 'text', text: 'Hi' }]);
});

test('a call leaves no listener on a signal that outlives it', async () => {
  const { signal } = new AbortController();

  await bounded(
    provider(async () => reply),
    patient,
  ).ask(someRequest, signal, () => undefined);

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a provider that ignores the signal is abandoned at the timeout', async () => {
  const deaf = provider(() => new Promise(() => undefined));

  const total = bounded(deaf, { ...patient, timeoutMs: 20 }).ask(someRequest, never, () => undefined);
  const idle = bounded(deaf, { ...patient, idleTimeoutMs: 20 }).ask(someRequest, never, () => undefined);

  await expect(total).rejects.toMatchObject({ code: 'provider_timeout', message: expect.stringContaining('no reply') });
  await expect(idle).rejects.toMatchObject({ code: 'provider_timeout', message: expect.stringContaining('silent') });
});

test.each([
  [{ timeoutMs: 20 }, 'no reply within 20 ms'],
  [{ idleTimeoutMs: 20 }, 'silent for 20 ms'],
])('the timeouts of a request override the timeouts of the provider: %j', async (times, reason) => {
  const deaf = provider(() => new Promise(() => undefined));

  const asking = bounded(deaf, patient).ask({ ...someRequest, times }, never, () => undefined);

  await expect(asking).rejects.toMatchObject({ code: 'provider_timeout', message: expect.stringContaining(reason) });
});

test('a request that reads its reply from a batch has no timeout', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const slow = bounded(
    provider(() => promise),
    { timeoutMs: 10, idleTimeoutMs: 10 },
  );

  const exchange = replayAnswers([], { provider: 'slow', model: 'some-model' });
  const asking = slow.ask({ ...someRequest, exchange }, never, () => undefined);
  await vi.advanceTimersByTimeAsync(900);
  resolve(reply);

  expect(await asking).toBe(reply);
});

test('a request may have more time than its provider gives', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const slow = bounded(
    provider(() => promise),
    { timeoutMs: 10, idleTimeoutMs: 10 },
  );

  const times = { timeoutMs: 1_000, idleTimeoutMs: 1_000 };
  const asking = slow.ask({ ...someRequest, times }, never, () => undefined);
  await vi.advanceTimersByTimeAsync(900);
  resolve(reply);

  expect(await asking).toBe(reply);
});

test('a provider that streams without end is ended by the total timeout', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const heard = Promise.withResolvers<unknown>();
  const talker = provider((_request, signal, onDelta) => {
    const stop = repeat(() => onDelta({ kind: 'text', text: '.' }), 2);
    signal.addEventListener('abort', () => {
      stop();
      heard.resolve(signal.reason);
    });
    return new Promise(() => undefined);
  });

  const asking = bounded(talker, { timeoutMs: 80, idleTimeoutMs: 40 }).ask(someRequest, never, () => undefined);

  const ended = expect(asking).rejects.toMatchObject({
    code: 'provider_timeout',
    message: expect.stringContaining('no reply'),
  });
  await vi.advanceTimersByTimeAsync(80);
  await ended;
  expect(await heard.promise).toMatchObject({ code: 'provider_timeout' });
});

test('a reply above the size is a bad response, and its last piece is not shown', async () => {
  let shown = 0;
  const flood = provider((_request, _signal, onDelta) => {
    for (let piece = 0; piece < 5; piece += 1) onDelta({ kind: 'text', text: 'ü'.repeat(10) });
    return new Promise(() => undefined);
  });

  const asking = bounded(flood, { ...patient, maxReplyBytes: 50 }).ask(someRequest, never, () => {
    shown += 1;
  });

  await expect(asking).rejects.toMatchObject({ code: 'provider_bad_response', retry: { kind: 'later' } });
  expect(shown).toBe(2);
});

test('an abort of the caller keeps its reason, before and during the call', async () => {
  const reason = new Error('cancelled');
  const deaf = bounded(
    provider(() => new Promise(() => undefined)),
    patient,
  );
  const caller = new AbortController();

  const during = deaf.ask(someRequest, caller.signal, () => undefined);
  caller.abort(reason);
  const before = deaf.ask(someRequest, caller.signal, () => undefined);

  await expect(during).rejects.toBe(reason);
  await expect(before).rejects.toBe(reason);
});
