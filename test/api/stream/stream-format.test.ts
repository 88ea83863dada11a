import { expect, test } from 'vitest';
import type { StreamFormat } from '#services/api/stream/format.ts';
import { nativeFormat } from '#services/api/stream/format.ts';
import { createWatchHarness } from './watch-harness.ts';

/** A format with one line for each known event, a last message, and its own resume header. */
const lines: StreamFormat = {
  headers: { 'content-type': 'text/plain', 'cache-control': 'no-store' },
  resumeAfter: ({ header }) => (header('x-seen') ? Number(header('x-seen')) : undefined),
  durableEvent: (turn, event) =>
    event.type === 'turn.started' ? '' : `${turn.status} ${event.number} ${event.type}\n`,
  liveEvent: (event) => ('offset' in event ? `${event.offset} ${event.delta}\n` : ''),
  heartbeat: '.\n',
  end: 'the end\n',
  refusal: ({ code }) => `refused: ${code}\n`,
};

test('a stream in another format ends with the last message of the format', async () => {
  await using harness = await createWatchHarness({ format: lines });
  const turn = await harness.startTurn();
  const stream = await openText(`${harness.url}/v1/turns/${turn.id}/events`);
  await stream.until('queued 1 turn.queued\n');

  await turn.start();
  const round = await turn.publishRound();
  round.say('Hello.');
  await stream.until('0 Hello.\n');
  round.end();
  await turn.complete('Hello.');

  expect(stream.response.headers.get('content-type')).toBe('text/plain');
  expect(stream.response.headers.get('cache-control')).toBe('no-store');
  expect(await stream.whole()).toBe(
    'queued 1 turn.queued\n0 Hello.\ncompleted 3 round.completed\ncompleted 4 turn.completed\nthe end\n',
  );
});

test('a format reads its resume header, and sends its last message after all events', async () => {
  await using harness = await createWatchHarness({ format: lines });
  const turn = await harness.startTurn();
  await turn.start();
  await turn.complete();
  const url = `${harness.url}/v1/turns/${turn.id}/events`;

  const resumed = await openText(url, { 'x-seen': '3', 'last-event-id': '1' });
  const complete = await openText(url, { 'x-seen': '4' });

  expect(await resumed.whole()).toBe('completed 4 turn.completed\nthe end\n');
  expect(complete.response.status).toBe(200);
  expect(await complete.whole()).toBe('the end\n');
});

test('a format writes heartbeats and the refusal that ends a running stream', async () => {
  await using harness = await createWatchHarness({ format: lines, heartbeatMs: 50 });
  const turn = await harness.startTurn();
  const stream = await openText(`${harness.url}/v1/turns/${turn.id}/events`);
  await stream.until('turn.queued\n');
  await stream.until('.\n.\n');

  const { conversationId } = await turn.load();
  await harness.db.deleteFrom('conversations').where('id', '=', conversationId).execute();
  harness.pubsub.publishToTurn({ kind: 'wake', turnId: turn.id });

  const withoutHeartbeats = (await stream.whole()).replaceAll(/^\.\n/gm, '');
  expect(withoutHeartbeats).toBe('queued 1 turn.queued\nrefused: turn_not_found\n');
});

test('streams of one turn in two formats share reads, and each has its own format', async () => {
  await using harness = await createWatchHarness();
  const turn = await harness.startTurn();
  const native = collect();
  const other = collect();
  harness.streamHub.follow(turn.id, { after: 0, format: nativeFormat, sink: native });
  harness.streamHub.follow(turn.id, { after: 0, format: lines, sink: other });

  await turn.start();
  await turn.complete();
  await Promise.all([native.over, other.over]);

  expect(native.text().match(/^id: \d$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3', 'id: 4']);
  expect(other.text()).toMatch(
    /^\w+ 1 turn.queued\ncompleted 3 round.completed\ncompleted 4 turn.completed\nthe end\n$/,
  );
  expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
});

async function openText(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers } });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const readOn = async () => {
    const { done, value = '' } = await reader.read();
    text += value;
    return !done;
  };

  return {
    response,
    until: async (part: string) => {
      while (!text.includes(part)) if (!(await readOn())) throw new Error(`the stream is over after ${text}`);
    },
    whole: async () => {
      while (await readOn());
      return text;
    },
  };
}

/** Returns a sink with unlimited room. */
function collect() {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const messages: Uint8Array[] = [];
  return {
    ...{ isReady: () => true, write: (message: Uint8Array) => void messages.push(message), end },
    ...{ over, text: () => Buffer.concat(messages).toString() },
  };
}
