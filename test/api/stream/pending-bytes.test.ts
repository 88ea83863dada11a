import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { StreamBounds } from '#core/bounds/stream-bounds.ts';
import { makePendingBytes } from '#services/api/stream/pending-bytes.ts';
import { linesOf } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { createWatchHarness } from './watch-harness.ts';

test('a pending message counts once until the last of its streams has sent it', () => {
  const { pending, join } = makePending({ pendingBytes: 1_000, pendingBytesOfProject: 1_000 });
  const [one, other] = [join('one'), join('other')];
  const message = Buffer.alloc(600);

  const sent = [one.hold(message), other.hold(message)];
  const both = pending.bytes();
  sent[0]!();
  sent[0]!();
  const left = pending.bytes();
  other.leave();

  expect([both, left, pending.bytes()]).toEqual([600, 600, 0]);
});

test('the longest waiting streams close above the bound of pending bytes', () => {
  const { pending, closed, join } = makePending({ pendingBytes: 1_000, pendingBytesOfProject: 1_000 });
  const [first, second, third] = [join('first'), join('second'), join('third')];

  const sent = first.hold(Buffer.alloc(600));
  second.hold(Buffer.alloc(300));
  sent();
  first.hold(Buffer.alloc(600));
  const before = [...closed];
  third.hold(Buffer.alloc(500));
  third.hold(Buffer.alloc(5_000));

  expect(before).toEqual([]);
  expect(closed).toEqual(['second', 'first']);
  expect(pending.bytes()).toBe(5_500);
});

test('a project above its share of pending bytes loses its own streams', () => {
  const { pending, closed, join } = makePending({ pendingBytes: 1_000, pendingBytesOfProject: 600 });
  join('quiet', 'b').hold(Buffer.alloc(100));

  for (const name of ['first', 'second', 'third']) join(name).hold(Buffer.alloc(300));

  expect(closed).toEqual(['first']);
  expect(pending.bytes()).toBe(700);
});

test('the project with the most pending bytes loses streams if all have too many', () => {
  const { closed, join } = makePending({ pendingBytes: 1_000, pendingBytesOfProject: 800 });
  join('oldest', 'c').hold(Buffer.alloc(200));
  for (const name of ['small', 'large']) join(name, 'b').hold(Buffer.alloc(name === 'small' ? 100 : 500));

  join('writing', 'a').hold(Buffer.alloc(300));

  expect(closed).toEqual(['small']);
});

test('a project with half of the pending bytes loses no stream to another project', () => {
  const { closed, join } = makePending({ pendingBytes: 1_000, pendingBytesOfProject: 800 });
  const quiet = join('quiet', 'b');
  quiet.hold(Buffer.alloc(500));
  const greedy = join('greedy');
  greedy.hold(Buffer.alloc(5_000));
  const before = [...closed];

  quiet.hold(Buffer.alloc(10));

  expect(before).toEqual([]);
  expect(closed).toEqual(['greedy']);
});

test('pending messages of projects count separately, even if they share bytes', () => {
  const { pending, join } = makePending({ pendingBytes: 1_000, pendingBytesOfProject: 800 });
  const heartbeat = Buffer.alloc(3);
  const [one, other] = [join('one'), join('other', 'b')];

  one.hold(heartbeat);
  other.hold(heartbeat);
  one.leave();
  const left = pending.bytes();
  other.leave();

  expect([left, pending.bytes()]).toEqual([3, 0]);
});

test('a stream with a stuck client closes above the bound, and resumes without loss', async () => {
  await using harness = await createWatchHarness({
    bounds: { pendingBytes: 1_000_000, pendingBytesOfProject: 750_000 },
  });
  const turn = await harness.startTurn();
  await turn.start();
  // More than the kernel buffers for a socket.
  await turn.complete('x'.repeat(16_000_000));
  await using stuck = await openStuck(harness.url, turn.id);
  await waitUntil(() => expect(harness.streamHub.pending.bytes()).toBeGreaterThan(1_000_000));

  const another = harness.streamHub.pending.join({ project: 'default', turnId: 'turn_other', close: () => {} });
  another.hold(Buffer.from('the message of another stream'));
  another.leave();
  const received = await stuck.readToEnd();
  const resumed = await harness.open(turn.id, { after: received });
  await resumed.over;

  expect(received).toBeLessThan(4);
  expect(resumed.seen.map(({ id }) => Number(id)).at(-1)).toBe(4);
  expect(resumed.seen).toHaveLength(4 - received);
  expect(harness.closedStreams).toEqual(['default']);
  const [line] = linesOf(harness, 'stream.closed');
  expect(line).toMatchObject({ project: 'default', turn_id: turn.id, unread_bytes: expect.any(Number) });
  expect(line?.unread_bytes).toBeGreaterThan(1_000_000);
});

/** Returns the pending bytes of a process, and the names of streams that a bound has closed. */
function makePending(bounds: StreamBounds) {
  const closed: string[] = [];
  const pending = makePendingBytes(bounds, ({ turnId }) => closed.push(turnId));
  const join = (name: string, project = 'a') => pending.join({ project, turnId: name, close: () => {} });
  return { pending, closed, join };
}

/** Opens a client that does not read until `readToEnd`, which returns the number of the last whole event. */
async function openStuck(url: string, turnId: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  const over = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('error', () => resolve());
  });
  socket.write(`GET /v1/turns/${turnId}/events HTTP/1.1\r\nhost: ${hostname}\r\naccept: text/event-stream\r\n\r\n`);
  return {
    readToEnd: async () => {
      let text = '';
      socket.on('data', (data) => {
        text += data.toString('latin1');
      });
      socket.resume();
      await over;
      const whole = [...text.matchAll(/^id: (\d+)\ndata: .*\n\n/gm)];
      return Number(whole.at(-1)?.[1] ?? 0);
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await over;
    },
  };
}
