import { expect, test } from 'vitest';
import { renderRequest as renderAnthropic } from '#core/llm/anthropic/render-request.ts';
import { renderRequest as renderGemini } from '#core/llm/gemini/render-request.ts';
import { renderRequest as renderOpenai } from '#core/llm/openai/render-request.ts';
import type { Message } from '#core/turn/message.ts';
import { type Part, plainContent } from '#core/turn/request/item.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const PDF = 'data:application/pdf;base64,JVBERi0=';
const CAT = 'https://example.com/cat.jpg?size=2';
const MISSING = '(It cannot be shown to you here.)';

const words = (text: string): Part => ({ type: 'input_text', text });
const image = (image_url: string, detail?: 'low' | 'original'): Part => ({
  ...{ type: 'input_image', image_url },
  ...(detail && { detail }),
});
const file = (own: { file_data?: string; file_url?: string; filename?: string }): Part => ({
  type: 'input_file',
  ...own,
});

const user = (...parts: Part[]): Message => ({ role: 'user', content: plainContent(parts), parts });
const result = (callId: string, parts: Part[] | string): Message => ({
  ...{ role: 'tool', callId, name: 'look', isError: false, content: plainContent(parts) },
  ...(typeof parts !== 'string' && { parts }),
});
const called = (...ids: string[]): Message => ({
  ...{ role: 'assistant', content: null },
  calls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })),
});

const ask = (messages: Message[]) => ({ ...someRequest, instructions: null, messages });
const openai = (...messages: Message[]) =>
  renderOpenai(ask(messages), { provider: 'openai', maxTokensField: 'max_tokens' }).messages;
const anthropic = (...messages: Message[]) => renderAnthropic(ask(messages), 'anthropic').messages;
const gemini = (...messages: Message[]) => renderGemini(ask(messages), 'gemini').contents;

test('Chat Completions accepts images by data or URL, and named PDF files', () => {
  const said = user(words('Look: '), words(' '), image(PNG, 'low'), image(CAT, 'original'), file({ file_data: PDF }));

  expect(openai(said)).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look: ' },
        { type: 'image_url', image_url: { url: PNG, detail: 'low' } },
        { type: 'image_url', image_url: { url: CAT } },
        { type: 'file', file: { filename: 'file.pdf', file_data: PDF } },
      ],
    },
  ]);
});

test('Anthropic accepts images and documents by data or URL, and text files', () => {
  const said = user(
    ...[image('data:image/jpg;base64,/9j/'), image(CAT), file({ file_data: PDF, filename: 'a.pdf' })],
    ...[
      file({ file_url: 'https://example.com/b.pdf' }),
      file({ file_data: 'data:text/csv;charset=utf-8;base64,w6QsYg==' }),
    ],
  );

  expect(anthropic(said)).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/' } },
        { type: 'image', source: { type: 'url', url: CAT } },
        {
          ...{ type: 'document', title: 'a.pdf' },
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        },
        { type: 'document', source: { type: 'url', url: 'https://example.com/b.pdf' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä,b' } },
      ],
    },
  ]);
});

test('Gemini accepts data of any type, and URLs with the type of their extension', () => {
  const said = user(image(PNG), image(CAT), file({ file_url: 'https://example.com/b' }), file({ file_data: PDF }));

  expect(gemini(said)).toEqual([
    {
      role: 'user',
      parts: [
        { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
        { fileData: { fileUri: CAT, mimeType: 'image/jpeg' } },
        { fileData: { fileUri: 'https://example.com/b' } },
        { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
      ],
    },
  ]);
});

test('audio is sent on the wires that accept audio', () => {
  const said = user({ type: 'input_audio', data: 'UklGRg==', format: 'wav' });

  expect(openai(said)[0]?.content).toEqual([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }]);
  expect(gemini(said)[0]?.parts).toEqual([{ inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }]);
  expect(anthropic(said)[0]?.content).toEqual([{ type: 'text', text: `[audio] ${MISSING}` }]);
});

test('images in results follow in one user message on Chat Completions', () => {
  const sent = openai(
    ...[user(words('Hi')), called('a', 'b'), result('a', [words('Two:'), image(PNG)]), result('b', [image(CAT)])],
    { role: 'user', content: 'And?' },
  );

  expect(sent.slice(2)).toEqual([
    { role: 'tool', tool_call_id: 'a', content: 'Two:\n[image]' },
    { role: 'tool', tool_call_id: 'b', content: '[image]' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Images and files of the tool results above, not sent by the user.' },
        { type: 'text', text: 'Of the result of look (a):' },
        { type: 'image_url', image_url: { url: PNG } },
        { type: 'text', text: 'Of the result of look (b):' },
        { type: 'image_url', image_url: { url: CAT } },
      ],
    },
    { role: 'user', content: 'And?' },
  ]);
});

test('images in results are inside the result on Anthropic', () => {
  const [, , results] = anthropic(
    user(words('Hi')),
    called('a', 'b'),
    result('a', [words('Two:'), image(PNG)]),
    result('b', ''),
  );

  expect(results?.content).toEqual([
    {
      ...{ type: 'tool_result', tool_use_id: 'a' },
      content: [
        { type: 'text', text: 'Two:' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      ],
    },
    { type: 'tool_result', tool_use_id: 'b', content: '(no output)' },
  ]);
});

test('images in results follow all results of the batch on Gemini', () => {
  const sent = gemini(user(words('Hi')), called('a', 'b'), result('a', [image(PNG)]), result('b', 'ok'));

  expect(sent[2]).toEqual({
    role: 'user',
    parts: [
      { functionResponse: { name: 'look', response: { result: '[image]' } } },
      { functionResponse: { name: 'look', response: { result: 'ok' } } },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    ],
  });
});

test('an unsupported part becomes a note in its place', () => {
  const zip = file({ file_data: 'data:application/zip;base64,UEs=', filename: 'a.zip' });
  const note = `[file: a.zip] ${MISSING}`;

  expect(openai(user(words('See'), zip))[0]?.content).toEqual([
    { type: 'text', text: 'See' },
    { type: 'text', text: note },
  ]);
  expect(openai(called('a'), result('a', [words('See'), zip]))).toEqual([
    expect.anything(),
    { role: 'tool', tool_call_id: 'a', content: `See\n${note}` },
  ]);
  expect(anthropic(user(zip))[0]?.content).toEqual([{ type: 'text', text: note }]);
  expect(gemini(user(image('no address')))[0]?.parts).toEqual([{ text: `[image] ${MISSING}` }]);
});
