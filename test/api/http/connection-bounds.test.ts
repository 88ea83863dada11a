import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CONNECTION_BOUNDS } from '#core/bounds/connection-bounds.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { describeRefusal } from '../refusals.ts';
import { parse, serve } from './raw-server.ts';

const linesOf = (answers: string[]) => answers.map((answer) => answer.split('\r\n')[0]);

test('pipelined requests above the bound are refused once, and the first 32 answered', async () => {
  await using server = await serve({});
  const most = CONNECTION_BOUNDS.requests;

  const sent = server.send('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(10 * most));
  const answers = (await text(sent)).split(/(?=HTTP\/1\.1 )/);

  expect(linesOf(answers)).toEqual([...Array(most).fill('HTTP/1.1 200 OK'), 'HTTP/1.1 400 Bad Request']);
  expect(parse(answers.at(-1)!).body.error.message).toContain('More than 32 requests arrived on this connection');
  expect(server.asked()).toBe(most);
});

test('a connection may carry any number of sequential requests', async () => {
  await using server = await serve({});
  const socket = server.send('');
  let answers = '';
  socket.on('data', (data) => {
    answers += data;
  });

  for (let number = 1; number <= 2 * CONNECTION_BOUNDS.requests; number += 1) {
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await waitUntil(() => expect(answers.match(/\r\n\r\nok/g)).toHaveLength(number));
  }
  socket.destroy();
});

const CHUNKED = 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n';

test('a body of too many tiny chunks is refused, and its connection closes', async () => {
  await using server = await serve({});

  const answer = parse(await text(server.send(CHUNKED + '1\r\n \r\n'.repeat(CONNECTION_BOUNDS.chunks + 1_000))));

  expect(describeRefusal(answer)).toBe('400 invalid_http: null');
  expect(answer.body.error.message).toContain('more than 10,000 chunks of less than 64 bytes');
});

test.each([
  ['tiny', ['a', 'ü', '👋'].map((part) => Buffer.from(part)), 1_000],
  ['large', [Buffer.alloc(100_000, 'x')], 20],
  ['mixed', [Buffer.from('a'), Buffer.alloc(5_000, 'y'), Buffer.from('b')], 300],
])('a body in %s chunks arrives whole', async (_, parts, times) => {
  await using server = await serve({});
  const chunks = Array.from({ length: times }, () => parts).flat();
  const socket = server.send(CHUNKED);

  for (const chunk of chunks) {
    socket.write(`${chunk.length.toString(16)}\r\n`);
    socket.write(chunk);
    socket.write('\r\n');
  }
  socket.write('0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  socket.destroy();

  expect(String(answer)).toContain('200 OK');
  expect(server.bodies).toEqual([Buffer.concat(chunks).toString()]);
});

test('a connection closes if an answered request still sends too many chunks', async () => {
  await using server = await serve({});
  const socket = server.send(`${CHUNKED.replace('POST / ', 'POST /unread ')}1\r\n \r\n`);
  await once(socket, 'data');

  socket.write('1\r\n \r\n'.repeat(2 * CONNECTION_BOUNDS.chunks));

  await server.closed(1);
});
