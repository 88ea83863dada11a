import { expect, test } from 'vitest';
import { fullForm, renderRequest } from '#core/llm/openai-responses/render-request.ts';
import type { Message } from '#core/turn/message.ts';
import type { Part } from '#core/turn/request/item.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

function inputOf(...messages: Message[]): unknown[] {
  const body = renderRequest({ ...someRequest, messages }, { provider: 'openai', form: fullForm(false) });
  expect(checkOpenaiResponses(body, { reasons: () => true })).toEqual([]);
  return body.input as unknown[];
}

const MISSING = '(It cannot be shown to you here.)';
const user = (content: string, parts?: Part[]): Message => ({ role: 'user', content, ...(parts && { parts }) });
const call = (id: string, name = 'look', args = '{}') => ({ id, name, arguments: args });
const said = (content: string | null, ...calls: ReturnType<typeof call>[]): Message => ({
  ...{ role: 'assistant', content, calls },
});
const result = (callId: string, content: string, parts?: Part[]): Message => ({
  ...{ role: 'tool', callId, name: 'look', content, isError: false },
  ...(parts && { parts }),
});
const sent = (call_id: string, name = 'look', args = '{}') => ({
  type: 'function_call',
  call_id,
  name,
  arguments: args,
});
const answer = (call_id: string, output: unknown) => ({ type: 'function_call_output', call_id, output });
const message = (text: string) => ({
  ...{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
});

test('a history of another provider is text, calls and results on Responses', () => {
  const opaque = { provider: 'anthropic', state: { blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] } };
  const round = { ...said('Let me look.', call('a'), call('b')), opaque } as Message;

  expect(inputOf(user('Hi'), round, result('a', 'Yes'), result('b', 'No'), said('Done.'), user('And?'))).toEqual([
    { type: 'message', role: 'user', content: 'Hi' },
    message('Let me look.'),
    ...[sent('a'), sent('b'), answer('a', 'Yes'), answer('b', 'No')],
    message('Done.'),
    { type: 'message', role: 'user', content: 'And?' },
  ]);
});

test('system messages keep their place in the input of Responses', () => {
  expect(inputOf(user('Hi'), { role: 'system', content: 'Now in French.' }, user('And?'))[1]).toEqual({
    ...{ type: 'message', role: 'system', content: 'Now in French.' },
  });
});

test('the input of Responses has no blank messages, and an opening if empty', () => {
  expect(inputOf(user(''), said(' '), user('Hi'))).toEqual([{ type: 'message', role: 'user', content: 'Hi' }]);
  expect(inputOf()).toHaveLength(1);
});

test('images and files are sent to Responses by data and by URL', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  const pdf = 'data:application/pdf;base64,JVBERi0=';
  const url = 'https://example.com/a.pdf';

  const [first] = inputOf(
    user('Look', [
      { type: 'input_text', text: 'Look' },
      { type: 'input_text', text: ' ' },
      { type: 'input_image', image_url: png, detail: 'low' },
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      { type: 'input_file', file_data: pdf, filename: 'b.pdf' },
      { type: 'input_file', file_url: url },
      { type: 'input_audio', data: 'UklGRg==', format: 'wav' },
    ]),
  );

  expect(first).toMatchObject({
    role: 'user',
    content: [
      { type: 'input_text', text: 'Look' },
      { type: 'input_image', image_url: png, detail: 'low' },
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      { type: 'input_file', file_data: pdf, filename: 'b.pdf' },
      { type: 'input_file', file_url: url },
      { type: 'input_text', text: `[audio] ${MISSING}` },
    ],
  });
});

test('images of results stay inside the result on Responses', () => {
  const cat = 'https://example.com/cat.jpg';
  const parts: Part[] = [
    { type: 'input_text', text: 'Two:' },
    { type: 'input_image', image_url: cat },
    { type: 'input_file', file_data: 'data:application/zip;base64,UEs=', filename: 'a.zip' },
  ];

  const input = inputOf(user('Hi'), said(null, call('a'), call('b')), result('a', 'Two:', parts), result('b', ''));

  expect(input.slice(3)).toMatchObject([
    answer('a', [
      { type: 'input_text', text: 'Two:' },
      { type: 'input_image', image_url: cat },
      { type: 'input_text', text: `[file: a.zip] ${MISSING}` },
    ]),
    answer('b', '(no output)'),
  ]);
});

test.each([
  ['old tool!', /^[a-zA-Z0-9_-]+$/],
  ['grüße', /^[a-zA-Z0-9_-]+$/],
  ['n'.repeat(70), /^n{1,64}$/],
])('the call name %s becomes a name that Responses accepts', (name, allowed) => {
  const [, called] = inputOf(user('Hi'), said(null, call('a', name)), result('a', 'ok'));

  expect((called as { name: string }).name).toMatch(allowed);
});

test.each(['has space', 'z'.repeat(200), 'functions.look:0', 'ü'])(
  'the call id %s is equal in a call and its result on Responses',
  (id) => {
    const [, called, answered] = inputOf(user('Hi'), said(null, call(id)), result(id, 'ok')) as { call_id: string }[];

    expect(called!.call_id).toMatch(/^.{1,64}$/);
    expect(answered!.call_id).toBe(called!.call_id);
  },
);
