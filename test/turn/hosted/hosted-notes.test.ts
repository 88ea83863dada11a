import { expect, test } from 'vitest';
import type { HostedCall } from '#core/turn/hosted/hosted.ts';
import { withHostedNotes } from '#core/turn/hosted/hosted-notes.ts';
import type { Message } from '#core/turn/message.ts';

const search: HostedCall = {
  ...{ id: 'ws_1', type: 'web_search', status: 'completed', input: { query: 'Lisbon' } },
  ...{ output: '[{"url":"https://one.example"}]', error: null, offset: 0 },
};
const failed: HostedCall = {
  ...{
    id: 'ws_2',
    type: 'web_fetch',
    status: 'failed',
    input: null,
    output: null,
    error: 'too many requests',
    offset: 4,
  },
};
const image = { type: 'input_image' as const, image_url: 'data:image/png;base64,AAAA' };
const opaque = { provider: 'one', state: {} };
const reply: Message = {
  ...{ role: 'assistant', content: 'Look.', calls: [{ id: 'call_1', name: 'look', arguments: '{}' }] },
  ...{ hosted: [search, failed], parts: [image], opaque },
};
const history: Message[] = [
  { role: 'user', content: 'Hi' },
  reply,
  { role: 'tool', callId: 'call_1', name: 'look', content: 'seen', isError: false },
  { role: 'user', content: 'And now?' },
];

test('the provider that made the reply gets its messages unchanged', () => {
  expect(withHostedNotes(history, 'one')).toBe(history);
});

test('another provider reads a note for each call, and the images after the results', () => {
  const [first, noted, result, images, last] = withHostedNotes(history, 'two');

  expect(noted).toEqual({
    ...{ role: 'assistant', calls: 'calls' in reply ? reply.calls : [], opaque },
    content: [
      '[The provider ran web_search {"query":"Lisbon"}: [{"url":"https://one.example"}]]',
      '[The provider ran web_fetch: too many requests]',
      '[The model made an image.]',
      'Look.',
    ].join('\n'),
  });
  expect(images).toMatchObject({ role: 'user', parts: [{ type: 'input_text' }, image] });
  expect([first, result, last]).toEqual([history[0], history[2], history[3]]);
});

test('a provider that refused its state reads notes too', () => {
  const refused = { ...reply, opaque: { ...opaque, isRefused: true } } as Message;

  expect(withHostedNotes([refused], 'one')).toMatchObject([
    { role: 'assistant', content: expect.stringContaining('[The provider ran web_search') },
    { role: 'user' },
  ]);
});

test('a long output is shortened in its note', () => {
  const long = { role: 'assistant', content: null, calls: [], hosted: [{ ...search, output: 'x'.repeat(5_000) }] };
  const [message] = withHostedNotes([long as Message], 'two');

  expect(message?.content?.length).toBeLessThan(2_100);
});
