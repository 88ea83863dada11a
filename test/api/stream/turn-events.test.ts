import { connect as connectSocket } from 'node:net';
import { expect } from 'vitest';
import { newId } from '#core/id.ts';
import { test } from './test.ts';
import { createWatchHarness } from './watch-harness.ts';

type Harness = Awaited<ReturnType<typeof createWatchHarness>>;

test('events are listed in pages after a number', async ({ harness, turn }) => {
  await turn.start();
  await turn.requestTools(['call_1'], 'Let me see.');
  await turn.answerTool(1, 0);
  await turn.complete();

  const first = await list(harness, turn.id, '?limit=2');
  const second = await list(harness, turn.id, `?limit=2&after=${first.body.next_cursor}`);
  const rest = await list(harness, turn.id, `?after=${second.body.next_cursor}`);

  expect(first.body).toMatchObject({ object: 'list', has_more: true, next_cursor: '2' });
  expect(rest.body).toMatchObject({ has_more: false, next_cursor: null });
  const all = [...first.body.data, ...second.body.data, ...rest.body.data];
  expect(all.map(({ type }) => type)).toEqual([
    'turn.queued',
    'turn.started',
    'round.completed',
    'tool_call.completed',
    'round.completed',
    'turn.completed',
  ]);
  expect(all.map(({ sequence_number }) => sequence_number)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(all[2]).toMatchObject({ turn_id: turn.id, round: 1, assistant_response: 'Let me see.' });
  expect(all[3]).toMatchObject({ round: 1, tool_call_id: 'call_1', result: { content: 'sunny' } });
  expect(all[5]).toMatchObject({ turn: { id: turn.id, status: 'completed', output: 'Done.' } });
});

test('a stream sends the same events as the list, each as one chunk', async ({ harness, turn }) => {
  await turn.start();
  await turn.requestTools(['call_1']);
  await turn.answerTool(1, 0);
  await turn.complete();

  const { body } = await list(harness, turn.id, '');
  const chunks = await readChunks(harness, turn.id);

  expect(chunks).toEqual(
    body.data.map((event) => `event: ${event.type}\nid: ${event.sequence_number}\ndata: ${JSON.stringify(event)}\n\n`),
  );
});

test('a stream has its content type and forbids caching and buffering', async ({ harness, turn }) => {
  const { response } = await harness.open(turn.id);

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
});

test.each(['-1', '1.5', 'abc', '', '99999999999', '1e3'])('after=%j is refused with its name', async (after) => {
  await using harness = await createWatchHarness();
  const turn = await harness.startTurn();

  const byQuery = await fetch(`${harness.url}/v1/turns/${turn.id}/events?after=${after}`);

  expect(byQuery.status).toBe(400);
  expect(await byQuery.json()).toMatchObject({ error: { type: 'invalid_request_error', param: 'after' } });
});

test.each(['-1', '1.5', 'abc', '99999999999'])('Last-Event-ID %j is refused with its name', async (lastEventId) => {
  await using harness = await createWatchHarness();
  const turn = await harness.startTurn();

  const byHeader = await fetch(`${harness.url}/v1/turns/${turn.id}/events`, {
    headers: { accept: 'text/event-stream', 'last-event-id': lastEventId },
  });

  expect(byHeader.status).toBe(400);
  expect(await byHeader.json()).toMatchObject({ error: { type: 'invalid_request_error', param: 'Last-Event-ID' } });
});

test.each([
  ['an empty Last-Event-ID counts as absent', { accept: 'text/event-stream', 'last-event-id': '' }],
  ['a media type matches in upper and lower case', { accept: 'Text/Event-Stream' }],
])('%s', async (_, headers) => {
  await using harness = await createWatchHarness();
  const turn = await harness.startTurn();
  await turn.start();
  await turn.complete();

  const response = await fetch(`${harness.url}/v1/turns/${turn.id}/events?after=2`, { headers });

  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect((await response.text()).match(/^id: \d+$/gm)).toEqual(['id: 3', 'id: 4']);
});

test('a limit of events out of range is refused', async ({ harness, turn }) => {
  const statuses = await Promise.all(
    ['0', '1001', 'x'].map(async (limit) => (await list(harness, turn.id, `?limit=${limit}`)).status),
  );

  expect(statuses).toEqual([400, 400, 400]);
});

test('an unknown turn, an invalid id and a turn of another project get the same 404', async ({ harness, turn }) => {
  const answers = [
    await list(harness, newId('turn'), ''),
    await list(harness, 'turn_x', ''),
    await list(harness, turn.id, '', { 'x-project': 'another' }),
    await list(harness, turn.id, '', { 'x-project': 'another', accept: 'text/event-stream' }),
  ];

  for (const { status, body } of answers) {
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: { type: 'not_found_error', code: 'turn_not_found' } });
  }
});

test('a resume after the end gets 204, and Last-Event-ID takes precedence over after', async ({ harness, turn }) => {
  await turn.start();
  await turn.complete();

  const atTheEnd = await harness.open(turn.id, { lastEventId: '4', after: 0 });
  const beforeTheEnd = await harness.open(turn.id, { lastEventId: '3', after: 4 });
  await beforeTheEnd.over;

  expect(atTheEnd.response.status).toBe(204);
  expect(beforeTheEnd.seen.map(({ type, id }) => [type, id])).toEqual([['turn.completed', '4']]);
});

test.each([
  ['after', '?after=99', {}],
  ['Last-Event-ID', '', { 'last-event-id': '99' }],
])('a stream refuses %s beyond the last event, and names the last number', async (param, query, headers) => {
  await using harness = await createWatchHarness();
  const turn = await harness.startTurn();
  await turn.start();

  const response = await fetch(`${harness.url}/v1/turns/${turn.id}/events${query}`, {
    headers: { accept: 'text/event-stream', ...headers } as Record<string, string>,
  });

  expect(response.status).toBe(400);
  const message = `${param} is 99, but the last number of ${turn.id} is 2. Read again from 2 or before.`;
  expect(await response.json()).toMatchObject({ error: { code: 'cursor_beyond_end', param, message } });
});

test.each(['after', 'cursor'])(
  'a page refuses %s beyond the last event, and accepts the last number',
  async (param) => {
    await using harness = await createWatchHarness();
    const turn = await harness.startTurn();
    await turn.start();
    const ask = (number: number) => fetch(`${harness.url}/v1/turns/${turn.id}/events?${param}=${number}`);

    const [last, beyond] = [await ask(2), await ask(3)];

    expect([last.status, beyond.status]).toEqual([200, 400]);
    expect(await beyond.json()).toMatchObject({ error: { code: 'cursor_beyond_end', param } });
  },
);

test('a HEAD request opens no stream', async ({ harness, turn }) => {
  const response = await fetch(`${harness.url}/v1/turns/${turn.id}/events`, {
    method: 'HEAD',
    headers: { accept: 'text/event-stream' },
  });

  expect(response.status).toBe(200);
  expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
});

type List = { data: Record<string, unknown>[]; has_more: boolean; next_cursor: string | null };

async function list(harness: Harness, turnId: string, query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${harness.url}/v1/turns/${turnId}/events${query}`, { headers });
  return { status: response.status, body: (await response.json()) as List };
}

/** Reads a stream to its end over a bare socket. Returns the chunks as the server sent them. */
async function readChunks(harness: Harness, turnId: string): Promise<string[]> {
  const { hostname, port } = new URL(harness.url);
  const socket = connectSocket(Number(port), hostname);
  socket.write(
    `GET /v1/turns/${turnId}/events HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n`,
  );
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece);
  let body = Buffer.concat(pieces);
  body = body.subarray(body.indexOf('\r\n\r\n') + 4);
  const chunks: string[] = [];
  while (body.length > 0) {
    const lineEnd = body.indexOf('\r\n');
    const size = Number.parseInt(body.subarray(0, lineEnd).toString(), 16);
    if (size > 0) chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size).toString());
    body = body.subarray(lineEnd + 2 + size + 2);
  }
  return chunks;
}
