import { expect, test } from 'vitest';
import { unsupportedParts } from '#core/llm/parts/unsupported-parts.ts';
import type { InputItem, Part } from '#core/turn/request/item.ts';

const data = (type: string): string => `data:${type};base64,UEs=`;
const image = (image_url: string): Part => ({ type: 'input_image', image_url });
const file = (file_data: string): Part => ({ type: 'input_file', file_data });
const byAddress = (file_url: string): Part => ({ type: 'input_file', file_url });
const said = (...content: Part[]): InputItem => ({ role: 'user', content });

const taken: [string, Part, string[]][] = [
  ['an image of any kind', image(data('image/tiff')), ['openai', 'openai-responses', 'gemini', 'ai-sdk']],
  ['a common image', image(data('image/webp')), ['openai', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk']],
  [
    'an image by address',
    image('https://example.com/a'),
    ['openai', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk'],
  ],
  ['an image by an address that is not safe', image('http://example.com/a.png'), []],
  ['a PDF file', file(data('application/pdf')), ['openai', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk']],
  ['a text file', file(data('text/csv')), ['anthropic', 'gemini', 'ai-sdk']],
  ['a file of another kind', file(data('application/zip')), ['gemini', 'ai-sdk']],
  ['a file by address', byAddress('https://example.com/a.pdf'), ['openai-responses', 'anthropic', 'gemini', 'ai-sdk']],
  ['data that is no data: URL', file('JVBERi0='), []],
];

test.for(taken)('%s is accepted by its wires, and by no other wire', ([, part, wires]) => {
  const all = ['openai', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk'] as const;
  const taking = all.filter((wire) => !unsupportedParts(wire, [said(part)]));

  expect(taking).toEqual(wires);
});

test('audio is accepted on Chat Completions and not on Responses', () => {
  const audio = said({ type: 'input_audio', data: 'UklGRg==', format: 'wav' });

  expect(unsupportedParts('openai', [audio])).toBeNull();
  expect(unsupportedParts('openai-responses', [audio])).toMatchObject({ param: 'input[0].content[0]' });
});

test('the error names the first unsupported part and the supported parts', () => {
  const input = [
    said({ type: 'input_text', text: 'Hi' }),
    said(image('https://example.com/a'), file(data('text/csv'))),
  ];

  expect(unsupportedParts('openai', input)).toEqual({
    param: 'input[1].content[1]',
    message:
      '`input[1].content[1]` cannot be sent: this provider supports text, images (data: URL or https address), PDF files (data: URL) and audio (MP3 or WAV). Send a supported part.',
  });
});

test('images are valid in user messages, and become notes in results', () => {
  const part = image(data('image/png'));

  expect(unsupportedParts('gemini', [{ role: 'developer', content: [part] }])?.param).toBe('input[0].content[0]');
  expect(
    unsupportedParts('openai', [{ type: 'function_call_output', call_id: 'a', output: [file(data('text/csv'))] }]),
  ).toBeNull();
});
