import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { makePendingBytes } from '#services/api/stream/pending-bytes.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { createWatchHarness } from './watch-harness.ts';

test('a pending message counts once, until the last stream that waits for it has sent it', () => {
  const pending = makePendingBytes(1_000);
  const [one, other] = [pending.join(() => {}), pending.join(() => {})];
  const message = Buffer.alloc(600);

  const sent = [one.hold(message), other.hold(message)];
  const both = pending.bytes();
  sent[0]!();
  sent[0]!();
  const left = pending.bytes();
  other.leave();

  expect([both, left, pending.bytes()]).toEqual([600, 600, 0]);
});

test('beyond the bound of pending bytes the streams that wait longest are closed, never the stream that writes', () => {
  const pending = makePendingBytes(1_000);
  const closed: string[] = [];
  const join = (name: string) => pending.join(() => closed.push(name));
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

test('a stream whose client never reads is closed beyond the bound, and the client resumes without a loss', async () => {
  await using harness = await createWatchHarness({ pendingBytes: 1_000_000 });
  const turn = await harness.startTurn();
  await turn.start();
  // More than the system keeps for a socket.
  await turn.complete('x'.repeat(16_000_000));
  await using stuck = await openStuck(harness.url, turn.id);
  await waitUntil(() => expect(harness.streamHub.pending.bytes()).toBeGreaterThan(1_000_000));

  harness.streamHub.pending.join(() => {}).hold(Buffer.from('the message of another stream'));
  const received = await stuck.readToEnd();
  const resumed = await harness.open(turn.id, { after: received });
  await resumed.over;

  expect(received).toBeLessThan(4);
  expect(resumed.seen.map(({ id }) => Number(id)).at(-1)).toBe(4);
  expect(resumed.seen).toHaveLength(4 - received);
});

/** A client that reads nothing until `readToEnd`, which gives the number of the last event that came whole. */
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
