import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { PDF, PNG, WAV } from '../../blobs/samples.ts';
import { completing, user } from './completing.ts';
import { shareHarness } from './share-harness.ts';

const png = `data:image/png;base64,${PNG}`;
const pdf = `data:application/pdf;base64,${PDF}`;
const sharedHarness = shareHarness();
const ask = { role: 'user', content: 'And?' };

/** Sends messages, and returns the messages that the model received. */
async function sentFor(messages: unknown[]) {
  const { complete, lastSent } = completing(sharedHarness());
  const { choices } = await complete({ messages });
  expect(choices[0]?.finish_reason).toBe('stop');
  return lastSent().messages;
}

test('system and developer messages are instructions at the head, else stay in place', async () => {
  const sent = await sentFor([
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
    ...[ask, { role: 'assistant', content: 'Yes.' }, { role: 'system', content: 'Be loud.' }, ask],
  ]);

  expect(sent.map(({ role, content }) => [role, content])).toEqual([
    ['system', expect.stringMatching(/^Be brief\.\s+Be kind\.$/)],
    ['user', 'And?'],
    ['assistant', 'Yes.'],
    ['system', 'Be loud.'],
    ['user', 'And?'],
  ]);
});

test('parts of a user reach the model: text, image, audio and file', async () => {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url: png, detail: 'low' } },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
  ];

  const sent = await sentFor([{ role: 'user', content }]);

  expect(sent).toMatchObject([{ role: 'user', content }]);
});

test('assistant messages may have parts of text and refusal, or no content', async () => {
  const sent = await sentFor([
    user('Hi'),
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Well, ' },
        { type: 'refusal', refusal: 'no.' },
      ],
    },
    user('Please'),
    { role: 'assistant', content: null, refusal: 'Still no.' },
    ...[user('Now?'), { role: 'assistant', content: '' }, ask],
  ]);

  const texts = sent.map((message) => `${message.role}: ${JSON.stringify(message)}`);
  expect(texts.filter((text) => text.startsWith('user'))).toHaveLength(4);
  expect(texts.find((text) => text.includes('Well, '))).toContain('no.');
  expect(texts.some((text) => text.startsWith('assistant') && text.includes('Still no.'))).toBe(true);
});

test('unknown keys of a message are ignored, as are keys that only answers have', async () => {
  const sent = await sentFor([
    { ...user('Hi'), name: 'ada', id: 'msg_1', timestamp: 1 },
    { role: 'assistant', content: 'Hello.', annotations: [], audio: null, function_call: null, tool_calls: null, x: 1 },
    { ...ask, name: null },
  ]);

  expect(sent).toMatchObject([{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Hello.' }, ask]);
  for (const message of sent) expect(Object.keys(message)).not.toContain('x');
});

test('a reasoning_content of an answer may be sent back', async () => {
  const sent = await sentFor([user('Hi'), { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' }, ask]);

  expect(sent).toMatchObject([{ content: 'Hi' }, { role: 'assistant', content: 'Yes.' }, ask]);
});

test.each([
  ['messages', undefined],
  ['messages', []],
  ['messages', 'Hi'],
  ['messages[0].role', [{ role: 'robot', content: 'Hi' }]],
  ['messages[0].role', [{ content: 'Hi' }]],
  ['messages[0].content', [{ role: 'user' }]],
  ['messages[0].content', [{ role: 'user', content: null }]],
  ['messages[0].content', [{ role: 'user', content: 7 }]],
  ['messages[0].content[0]', [{ role: 'user', content: [{ type: 'video_url', video_url: {} }] }]],
  ['messages[0].content[0].text', [{ role: 'user', content: [{ type: 'text' }] }]],
  ['messages[0].content[0].image_url', [{ role: 'user', content: [{ type: 'image_url' }] }]],
  ['messages[0].content[0].image_url', [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }]],
  ['messages[0].content[0].input_audio', [{ role: 'user', content: [{ type: 'input_audio' }] }]],
  [
    'messages[0].content[0].input_audio.format',
    [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: WAV, format: 'flac' } }] }],
  ],
  [
    'messages[0].content[0].input_audio.data',
    [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: PNG, format: 'wav' } }] }],
  ],
  [
    'messages[0].content[0].image_url.url',
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PDF}` } }] }],
  ],
  [
    'messages[0].content[0].file.file_data',
    [{ role: 'user', content: [{ type: 'file', file: { file_data: `data:application/pdf;base64,${PNG}` } }] }],
  ],
  ['messages[0].content[0].file', [{ role: 'user', content: [{ type: 'file', file: {} }] }]],
  ['messages[0].content[0]', [{ role: 'system', content: [{ type: 'image_url', image_url: { url: png } }] }]],
  ['messages[1].audio', [user('Hi'), { role: 'assistant', audio: { id: 'audio_1' } }, ask]],
  ['messages[1].tool_calls[0]', [user('Hi'), { role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }]],
  ['messages[1].tool_call_id', [user('Hi'), { role: 'tool', content: 'Sunny' }]],
])('messages are refused at %s: %j', async (param, messages) => {
  const error = await completing(sharedHarness()).refused({ messages });

  expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', code: expect.any(String) });
  expect(error.param?.slice(0, param.length)).toBe(param);
});

test('a part that the wire of the model does not support is refused before any request', async () => {
  await using server = await startWireServer();
  await using harness = await createHarness({
    env: { ANTHROPIC_API_KEY: 'none-at-all', ANTHROPIC_BASE_URL: server.origin },
  });
  const { refused } = completing(harness);
  const audio = { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } };

  const error = await refused({
    ...{
      model: 'anthropic/claude-opus-5',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, audio] }],
    },
  });

  expect(error).toMatchObject({ status: 400, code: 'unsupported_content', param: 'messages[0].content[1]' });
  expect(server.asked).toEqual([]);
});

test('messages with calls reach a model of another wire', async () => {
  await using server = await startWireServer();
  await using harness = await createHarness({
    env: { ANTHROPIC_API_KEY: 'none-at-all', ANTHROPIC_BASE_URL: server.origin },
  });
  await using _worker = await startBackgroundWorker(harness);
  server.answer({ body: anthropicWire.reply({ text: ['Fine.'] }) });
  const { complete } = completing(harness);
  const call = { id: 'call_a', type: 'function', function: { name: 'locate', arguments: '{}' } };

  const { choices } = await complete({
    model: 'anthropic/claude-opus-5',
    messages: [
      { role: 'system', content: 'Be brief.' },
      ...[user('Where?'), { role: 'assistant', content: 'Wait.', tool_calls: [call] }],
      ...[{ role: 'tool', tool_call_id: 'call_a', content: 'Rome' }, ask],
    ],
    tools: [{ type: 'function', function: { name: 'locate', parameters: { type: 'object', properties: {} } } }],
  });

  expect(choices[0]?.message.content).toBe('Fine.');
  const sent = JSON.stringify(server.asked[0]?.body);
  for (const text of ['Be brief.', 'Where?', 'Wait.', '"tool_use"', '"tool_result"', 'Rome', 'And?'])
    expect(sent).toContain(text);
});
