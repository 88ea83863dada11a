import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openReply } from '#core/llm/http/open-reply.ts';
import { startWireServer } from '../wire-server.ts';

const { post } = makeHttpClient();
const signal = new AbortController().signal;
const json = '{"choices":[]}';

test.each<[string, string[]]>([
  ['a separate comment', [': keep\n\n', ': keep\n\n', json]],
  ['a comment in the same chunk', [`: keep\n\n${json}`]],
  ['long comments in the same chunk', [`: ${'keep '.repeat(100)}\n\n${json}`]],
  ['a thousand blanks in the same chunk', [`${' '.repeat(1_000)}${json}`]],
])('JSON is read whole if it follows %s', async (_, body) => {
  await using server = await startWireServer({ headers: { 'content-type': 'text/event-stream' }, body });

  const opened = await openReply(post, { url: server.origin, headers: {}, body: '{}', signal });

  expect(opened).toMatchObject({ kind: 'whole' });
  expect('text' in opened && opened.text).toBe(json);
});

test('events are read as a stream if they follow a comment', async () => {
  await using server = await startWireServer();
  server.answer({ headers: { 'content-type': 'text/event-stream' }, body: [': keep\n\n', 'data: {}\n\n'] });

  const opened = await openReply(post, { url: server.origin, headers: {}, body: '{}', signal });

  const data: string[] = [];
  if (opened.kind === 'stream') for await (const events of opened.events) data.push(...events.map((each) => each.data));
  expect(data).toEqual(['{}']);
});
