import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, expect } from 'vitest';
import { opening } from '#test/harness/opening.ts';
import { waitUntil } from '../wait-until.ts';
import { openLink } from './open-link.ts';

/** Opens a server that echoes every message, and its client over a link. */
async function openEcho() {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      received.push(String(bytes));
      socket.write(`echo ${bytes}`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const link = await openLink((server.address() as AddressInfo).port);
  const close = async () => {
    await link[Symbol.asyncDispose]();
    server.close();
  };
  return { link, received, connect: () => openSocket(link.port), [Symbol.asyncDispose]: close };
}

/** Opens a connection. It may already have been refused. */
async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closing(socket)]);
  return socket;
}

function closing(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    if (socket.closed) resolve('closed');
    socket.once('close', () => resolve('closed'));
  });
}

/** Returns the answer to a message, or the end of the connection. */
async function send(socket: Socket, message: string): Promise<string> {
  socket.write(message);
  const answered = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
  return Promise.race([answered, closing(socket)]);
}

/** Sends a message that gets no answer, and waits a short time for an answer. */
async function sendInVain(socket: Socket, message: string): Promise<string> {
  return Promise.race([send(socket, message), sleep(300).then(() => 'silence')]);
}

const test = base.extend('echo', opening(openEcho));

test('a link passes everything by default', async ({ echo }) => {
  const socket = await echo.connect();

  expect(await send(socket, 'a')).toBe('echo a');
});

test('a cut link resets open and new connections', async ({ echo }) => {
  const socket = await echo.connect();
  await send(socket, 'a');

  echo.link.setMode('cut');
  const before = await send(socket, 'b');
  const after = await send(await echo.connect(), 'c');

  expect([before, after]).toEqual(['closed', 'closed']);
  expect(echo.received).toEqual(['a']);
  expect(echo.link.harm.resets).toBe(2);
});

test('a connection through a black hole stays dead, and a new connection works', async ({ echo }) => {
  const socket = await echo.connect();
  await send(socket, 'a');

  echo.link.setMode('blackhole');
  const within = await sendInVain(socket, 'b');
  echo.link.setMode('pass');
  const after = await sendInVain(socket, 'c');
  const fresh = await send(await echo.connect(), 'd');

  expect([within, after, fresh]).toEqual(['silence', 'silence', 'echo d']);
  expect(echo.received).toEqual(['a', 'd']);
});

test('a link that drops replies delivers requests, then resets the connections', async ({ echo }) => {
  const socket = await echo.connect();
  const untouched = await echo.connect();

  echo.link.setMode('drop-replies');
  const lost = await sendInVain(socket, 'a');
  await waitUntil(() => expect(echo.link.harm.droppedReplies).toEqual(['echo a']));
  const closed = closing(socket);
  echo.link.setMode('pass');
  await closed;

  expect(lost).toBe('silence');
  expect(echo.received).toEqual(['a']);
  expect(echo.link.harm.droppedReplies).toEqual(['echo a']);
  expect(await send(untouched, 'b')).toBe('echo b');
});

test('a slow link keeps bytes and their order', async ({ echo }) => {
  const socket = await echo.connect();
  echo.link.setMode('slow');

  for (const text of ['a', 'b', 'c']) socket.write(text);
  await waitUntil(() => expect(echo.link.harm.slowed).toBeGreaterThan(0));
  echo.link.setMode('pass');
  socket.write('d');
  await waitUntil(() => expect(echo.received.join('')).toBe('abcd'));
});

test('a link that holds answers delivers requests, and all answers when the hold ends', async ({ echo }) => {
  const socket = await echo.connect();

  const end = echo.link.impose('hold-replies');
  const within = await sendInVain(socket, 'a');
  const after = new Promise((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
  end();

  expect(within).toBe('silence');
  expect(echo.received).toEqual(['a']);
  expect(await after).toBe('echo a');
  expect(echo.link.harm.held).toBe('echo a'.length);
});

test('a parted link delivers the sent bytes and the end of the sender when it heals', async ({ echo }) => {
  const socket = await echo.connect();

  const end = echo.link.impose('hold');
  await sendInVain(socket, 'a');
  socket.destroy();
  await closing(socket);
  const within = [...echo.received];
  end();

  expect(within).toEqual([]);
  await waitUntil(() => expect(echo.received).toEqual(['a']));
});

test('a link with several modes follows the worst mode until that mode ends', async ({ echo }) => {
  const socket = await echo.connect();

  const endDelay = echo.link.impose('delay');
  const endHold = echo.link.impose('hold-replies');
  const held = await sendInVain(socket, 'a');
  endDelay();
  const stillHeld = await sendInVain(socket, 'b');
  endHold();

  expect([held, stillHeld]).toEqual(['silence', 'silence']);
  expect(await send(socket, 'c')).toContain('echo');
});

test('a delayed link keeps bytes and their order', async ({ echo }) => {
  const socket = await echo.connect();
  echo.link.impose('delay');

  for (const text of 'abcdefgh') socket.write(text);

  await waitUntil(() => expect(echo.received.join('')).toBe('abcdefgh'));
  expect(echo.link.harm.slowed).toBeGreaterThanOrEqual(8);
});
