import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openSocket, responseOf } from './open-socket.ts';

// Messages that clients send faster than they read, or in part only (docs/limits.md).

const input = scripted({ answer: 'Hello.' });
const large = { input, instructions: 'x'.repeat(200_000) };

test('a client that does not read its errors loses its connection', async ({ harness }) => {
  await using socket = await openSocket(harness);
  let isClosed = false;
  void socket.closed.then(() => {
    isClosed = true;
  });

  socket.socket.pause();
  const sent = () => new Promise<void>((resolve) => socket.socket.send('[]', () => resolve()));
  for (let count = 0; count < 200_000 && !isClosed && socket.socket.readyState === 1; count += 1) await sent();
  socket.socket.resume();

  expect((await socket.closed).code).toBe(1006);
});

test('an incomplete message does not block other connections', async ({ harness, worker: _ }) => {
  await using half = await openSocket(harness);
  await using other = await openSocket(harness);
  half.socket.send('x'.repeat(100_000), { fin: false });

  const answers = Array.from({ length: 4 }, () => other.ask(large));

  for (const messages of await Promise.all(answers)) expect(responseOf(messages).status).toBe('completed');
});

test('a large message in parts is one message, with pings between its parts', async ({ socket }) => {
  const text = JSON.stringify({ type: 'response.create', model: 'test', ...large });

  for (let from = 0; from < text.length; from += 50_000) {
    socket.socket.send(text.slice(from, from + 50_000), { fin: from + 50_000 >= text.length });
    socket.socket.ping('x'.repeat(100));
  }

  const last = await socket.until((seen) => seen.find(({ type }) => type === 'response.completed'));
  expect(responseOf([last]).status).toBe('completed');
  expect(responseOf(await socket.ask({ input })).status).toBe('completed');
});
