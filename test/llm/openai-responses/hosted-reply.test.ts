import { expect, test } from 'vitest';
import { finishReply } from '#core/llm/openai-responses/finish-reply.ts';
import { startReply, takeEvent } from '#core/llm/openai-responses/reply-accumulator.ts';
import type { Delta } from '#core/llm/provider.ts';
import {
  messageItem,
  outputOf,
  type ResponseEnd,
  responseObject,
  responseStream,
  responsesEvent,
  type ScriptedItem,
} from '#test/llm/responses-events.ts';

type Fields = Record<string, unknown>;

function read(...events: unknown[]) {
  const reply = startReply();
  const deltas = events.flatMap((event) => takeEvent(reply, event));
  return { reply: finishReply(reply, { provider: 'openai', toolNames: [] }), deltas };
}

const eventsIn = (stream: string[]): object[] => stream.map((event) => JSON.parse(event.split('data: ')[1]!));
const streamed = (items: ScriptedItem[], end?: ResponseEnd) => read(...eventsIn(responseStream(items, end)));
const whole = (items: ScriptedItem[], end?: ResponseEnd) => read(responseObject(outputOf(items), end));
const item = (type: string, id: string, more: Fields = {}): ScriptedItem => ({
  item: { type, id, status: 'completed', ...more },
});
const said = (id: string, text: string, annotations: object[] = []) =>
  messageItem([text], { id, content: [{ type: 'output_text', text, annotations, logprobs: [] }] });

const sources = [{ type: 'url', url: 'https://example.com' }];
const search = item('web_search_call', 'ws_1', { action: { type: 'search', query: 'Bern', sources } });
const code = item('code_interpreter_call', 'ci_1', {
  ...{ code: '1 + 1', container_id: 'cntr_1' },
  outputs: [
    { type: 'logs', logs: '2' },
    { type: 'logs', logs: 'done' },
  ],
});
const files = item('file_search_call', 'fs_1', { queries: ['Bern'], results: [{ file_id: 'file-1', text: 'A city' }] });
const drawn = item('image_generation_call', 'ig_1', { status: 'failed', result: null, revised_prompt: 'A bear' });

const CALLS = [
  {
    ...{ id: 'ws_1', type: 'web_search', status: 'completed', input: { type: 'search', query: 'Bern' } },
    ...{ output: JSON.stringify(sources), error: null },
  },
  {
    ...{ id: 'ci_1', type: 'code_execution', status: 'completed', input: { code: '1 + 1' } },
    ...{ output: '2\ndone', error: null },
  },
  {
    ...{ id: 'fs_1', type: 'file_search', status: 'completed', input: { queries: ['Bern'] } },
    ...{ output: '[{"file_id":"file-1","text":"A city"}]', error: null },
  },
  {
    ...{ id: 'ig_1', type: 'image_generation', status: 'failed', input: { prompt: 'A bear' } },
    ...{ output: null, error: 'The provider reported the status "failed".' },
  },
];
const items = [search, said('msg_1', 'Hi 👋. '), code, files, said('msg_2', 'Bye.'), drawn];
const OFFSETS = [0, 7, 7, 11];

test('hosted calls are read in order, from a stream and from a whole response', () => {
  const { reply } = streamed(items);

  expect(reply).toMatchObject({ text: 'Hi 👋. Bye.', finishReason: 'stop' });
  expect(reply.hosted).toEqual({
    calls: CALLS.map((call, at) => ({ ...call, offset: OFFSETS[at] })),
    annotations: [],
    images: [],
  });
  expect(whole(items).reply).toEqual(reply);
});

test('a reply without hosted tools has no hosted calls', () => {
  expect(streamed([said('msg_1', 'Hi.')]).reply).not.toHaveProperty('hosted');
});

const begun = (call: Delta & { kind: 'hosted-call' }): Delta => ({
  ...call,
  call: { ...call.call, status: 'in_progress', output: null, error: null },
});
const ended = (at: number) => ({ kind: 'hosted-call', text: '', call: CALLS[at] }) as Delta & { kind: 'hosted-call' };

test('watchers get the start and the end of a hosted call', () => {
  const expected = [begun(ended(0)), ended(0), { kind: 'text', text: 'Hi.' }, begun(ended(1)), ended(1)];

  for (const { deltas } of [streamed, whole].map((how) => how([search, said('msg_1', 'Hi.'), code])))
    expect(deltas).toEqual(expected);
});

test('steps and partial images of a hosted call are progress without content', () => {
  const steps = ['in_progress', 'searching', 'partial_image', 'completed'].map((step) => ({
    ...{ type: `response.image_generation_call.${step}`, item_id: 'ig_1', output_index: 0 },
    partial_image_b64: 'iVBORw0KGgo=',
  }));

  const { deltas, reply } = read(...steps, responseObject(outputOf([drawn])));

  expect(deltas.slice(0, 4)).toEqual(steps.map(() => ({ kind: 'reasoning', text: '' })));
  expect(reply.hosted?.images).toEqual([]);
});

test('a hosted call that only the last snapshot ends is reported once', () => {
  const stream = eventsIn(responseStream([search, said('msg_1', 'Hi.')]));
  const [added, ...others] = stream.filter((event) => !/item.done/.test(JSON.stringify(event))).slice(2);

  const { deltas } = read(added, added, ...others);

  const calls = deltas.flatMap((delta) => (delta.kind === 'hosted-call' ? delta.call.status : []));
  expect(calls).toEqual(['in_progress', 'completed']);
});

test.each([
  ['completed', 'completed', 'generating', null],
  ['failed', 'completed', 'incomplete', 'The provider reported the status "incomplete".'],
  ['failed', 'incomplete', 'searching', 'The provider reported the status "searching".'],
  ['completed', 'incomplete', 'completed', null],
] as const)('a hosted call is %s in a response that is %s if its status is %s', (status, end, given, error) => {
  const call = item('image_generation_call', 'ig_1', { status: given, result: null });

  const { reply } = streamed([call, said('msg_1', 'Hi.')], { status: end, reason: null });

  expect(reply.hosted?.calls).toMatchObject([{ status, error }]);
});

test('the error of a hosted call is the message of its server', () => {
  const error = { code: 'moderation_blocked', message: 'It was refused.' };

  const { reply } = whole([item('image_generation_call', 'ig_1', { status: 'failed', result: null, error })]);

  expect(reply.hosted?.calls).toMatchObject([{ error: 'It was refused.' }]);
});

test('the input of a hosted call may be the arguments of a function, as at xAI', () => {
  const xai = item('code_interpreter_call', 'fc_1', { arguments: '{"code":"1"}', call_id: '', name: 'code_execution' });

  expect(whole([xai]).reply.hosted?.calls).toMatchObject([{ id: 'fc_1', input: { code: '1' }, output: null }]);
});

test.each<[Fields]>([
  [{ id: undefined, status: undefined }],
  [{ id: '', action: null, status: 5 }],
  [{ action: 'search', results: {}, arguments: 'oops', status: {} }],
  [{ action: { type: 'open_page', url: null, sources: 'many' }, arguments: '[]' }],
  [{ code: 5, outputs: ['x', null, { logs: 5 }, { type: 'image', url: 5 }] }],
  [{ queries: 'Bern', results: 'many' }],
  [{ result: 5, revised_prompt: {}, output_format: [] }],
  [{ result: 'not base64!', outputs: [{ type: 'image', url: 'data:text/plain,Hi' }] }],
])('a hosted call with the odd fields %j is read', (odd) => {
  for (const { type } of items.map((each) => each.item).filter(({ type: each }) => each !== 'message')) {
    const { reply } = whole([item(type, 'x_1', odd), said('msg_1', 'Hi.')]);

    expect(reply).toMatchObject({ text: 'Hi.', hosted: { calls: [{ id: expect.stringMatching(/./), error: null }] } });
  }
});

const url = (start_index: unknown, end_index: unknown, more: object = {}) => ({
  ...{ type: 'url_citation', url: 'https://example.com', title: 'Example', start_index, end_index, ...more },
});
const cited = (start_index: number, end_index: number) => url(start_index, end_index);

test('citations count in the text of the whole reply', () => {
  const container = { container_id: 'cntr_1', file_id: 'cfile_1', filename: 'a.png' };
  const { reply } = whole([
    said('msg_1', 'One 👋. ', [url(0, 3)]),
    messageItem([], {
      id: 'msg_2',
      content: [
        { type: 'output_text', text: 'Two. ', annotations: [url(0, 3, { title: '' })] },
        {
          type: 'output_text',
          text: 'Three.',
          annotations: [
            { type: 'file_citation', file_id: 'file-1', filename: 'b.txt', index: 5 },
            { type: 'container_file_citation', ...container, start_index: 0, end_index: 6 },
            { type: 'file_path', file_id: 'file-2', index: 0 },
          ],
        },
      ],
    }),
  ]);

  expect(reply.text).toBe('One 👋. Two. Three.');
  expect(reply.hosted?.annotations).toEqual([
    cited(0, 3),
    { type: 'url_citation', url: 'https://example.com', start_index: 8, end_index: 11 },
    { type: 'file_citation', file_id: 'file-1', title: 'b.txt', start_index: 18, end_index: 18 },
    { type: 'file_citation', file_id: 'cfile_1', title: 'a.png', start_index: 13, end_index: 19 },
  ]);
});

test('a citation outside its text is omitted, and without a place it is at the end', () => {
  const outside = [url(0, 4), url(3, 2), url(-1, 2), url(9, 9)];
  const odd = [null, 'x', {}, { type: 'url_citation' }, { type: 'url_citation', url: 5 }, { type: 'file_citation' }];
  const { reply } = whole([
    said('msg_1', 'Hi.', [...outside.filter((each) => each.start_index !== -1), ...(odd as []), url(1, 2)]),
    said('msg_2', 'Bye. And much more text.', [url(undefined, undefined)]),
  ]);

  expect(reply.hosted?.annotations).toEqual([cited(1, 2), cited(27, 27)]);
});

test('a stream with the event of a citation is read like its last snapshot', () => {
  const annotation = url(0, 2);
  const event = JSON.parse(responsesEvent('response.output_text.annotation.added', { annotation }).split('data: ')[1]!);

  const { reply } = read(event, ...eventsIn(responseStream([said('msg_1', 'Hi.', [annotation])])));

  expect(reply.hosted?.annotations).toEqual([annotation]);
});
