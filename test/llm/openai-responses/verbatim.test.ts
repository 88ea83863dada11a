import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finishReply } from '#core/llm/openai-responses/finish-reply.ts';
import { fullForm, renderRequest } from '#core/llm/openai-responses/render-request.ts';
import { startReply, takeEvent } from '#core/llm/openai-responses/reply-accumulator.ts';
import type { Message } from '#core/turn/message.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { callItem, messageItem, reasoningItem, responseObject } from '#test/llm/responses-events.ts';

type Item = { type: string } & Record<string, unknown>;

/** Returns the input of the next request after a reply with these items and its results. OpenAI refuses odd items. */
function nextInput(output: Item[], { provider = 'openai', isKept = true, isOdd = false } = {}): Item[] {
  const { said, results } = roundOf(output);
  const messages: Message[] = [{ role: 'user', content: 'Hi' }, said, ...results, { role: 'user', content: 'And?' }];
  const body = renderRequest({ ...someRequest, messages }, { provider, form: { ...fullForm(true), isKept } });
  if (!isOdd) expect(checkOpenaiResponses(body, { reasons: () => true })).toEqual([]);
  const input = body.input as unknown as Item[];
  return input.slice(1, input.length - 1 - results.length);
}

function roundOf(output: Item[]): { said: Message; results: Message[] } {
  const reply = startReply();
  takeEvent(reply, responseObject(output));
  const { text, calls, opaque } = finishReply(reply, { provider: 'openai', toolNames: [] });
  const state = JSON.parse(JSON.stringify(opaque)) as unknown;
  return {
    said: { role: 'assistant', content: text, calls, opaque: { provider: 'openai', state } },
    results: calls.map(({ id, name }) => ({ role: 'tool', callId: id, name, content: 'ok', isError: false })),
  };
}

/** Returns the items as sent back. Messages, reasoning and calls have no id and no status. */
function returned(output: Item[]): Item[] {
  return output.map((item) => {
    if (!['message', 'reasoning', 'function_call'].includes(item.type)) return item;
    const { id: _id, status: _status, ...rest } = item;
    return rest as Item;
  });
}

const citation = { type: 'url_citation', url: 'https://example.com', title: 'Ü', start_index: 0, end_index: 2 };
const content = [{ type: 'output_text', text: 'It rains. 👋', annotations: [citation], logprobs: [] }];
const hosted = { action: { type: 'search', query: 'Bern', sources: [{ url: 'x' }] } };
const items: Record<string, Item> = {
  thought: reasoningItem(['Hm.']).item,
  openThought: reasoningItem([], { encrypted_content: null, content: [{ type: 'reasoning_text', text: 'Hm.' }] }).item,
  comment: messageItem(['I look.'], { phase: 'commentary' }).item,
  answer: messageItem([], { id: 'msg_2', phase: 'final_answer', content }).item,
  refusal: messageItem([], { id: 'msg_3', content: [{ type: 'refusal', refusal: 'No.' }] }).item,
  call: callItem({ id: 'call_a', name: 'look', arguments: ['{ "a" : 1.0 }'] }, { caller: { type: 'direct' } }).item,
  other: callItem({ id: 'call_b', name: 'look', arguments: ['{}'] }, { namespace: 'tools' }).item,
  search: { type: 'web_search_call', id: 'ws_1', status: 'completed', ...hosted },
  code: { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: 'x', container_id: 'c', outputs: null },
  unknown: { type: 'program', id: 'p_1', call_id: 'x', code: 'y', fingerprint: 'z' },
};

test('each item of a reply is sent back unchanged, in its place', () => {
  const { thought, comment, call, search, code, unknown, other, answer } = items;
  const output = [thought!, comment!, search!, call!, code!, unknown!, other!, answer!];

  expect(nextInput(output)).toEqual(returned(output));
});

test('hosted calls and unknown items keep their id and status', () => {
  expect(nextInput([items.search!, items.code!, items.unknown!])).toEqual([items.search, items.code, items.unknown]);
});

test('unknown parts of a message are sent back unchanged', () => {
  const text = { type: 'output_text', text: 'hello', annotations: [], refusal: '' };
  const message = messageItem([], { content: [{ type: 'a_new_part', text: 'more', at: 3 }, text] }).item;

  expect(nextInput([message], { isOdd: true })).toEqual(returned([message]));
});

test('items are sent back in any given order', () => {
  const names = Object.keys(items).filter((name) => !/thought/i.test(name));

  fc.assert(
    fc.property(fc.shuffledSubarray(names, { minLength: 1 }), fc.array(fc.boolean()), (order, thinks) => {
      const output = order.flatMap((name, at) => [
        ...(thinks[at] ? [{ ...items[at % 2 ? 'openThought' : 'thought']!, id: `rs_${at}` }] : []),
        items[name]!,
      ]);

      expect(nextInput(output)).toEqual(returned(output));
    }),
    { numRuns: 300 },
  );
});

test('reasoning without content is not sent back', () => {
  const bare = reasoningItem(['Hm.'], { encrypted_content: undefined }).item;

  expect(nextInput([bare, items.answer!])).toEqual(returned([items.answer!]));
  expect(nextInput([{ ...bare, encrypted_content: '' }, items.call!])).toEqual(returned([items.call!]));
});

test('reasoning at the end of a reply is not sent back', () => {
  expect(nextInput([items.answer!, items.thought!])).toEqual(returned([items.answer!]));
  expect(nextInput([items.thought!])).toEqual([]);
});

test('only text and calls are sent to another provider or after a refusal', () => {
  const output = [items.thought!, items.comment!, items.search!, items.call!];
  const bare = [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
    { type: 'function_call', call_id: 'call_a', name: 'look', arguments: '{ "a" : 1.0 }' },
  ];

  expect(nextInput(output, { provider: 'azure' })).toEqual(bare);
  expect(nextInput(output, { isKept: false })).toEqual(bare);
});

test('a changed text is sent back in one message at the place of the first', () => {
  const { said } = roundOf([items.thought!, items.comment!, items.search!, items.answer!]);
  const changed = { ...said, content: 'A summary of it all.' } as Message;
  const request = { ...someRequest, messages: [changed, { role: 'user' as const, content: 'And?' }] };

  const { input } = renderRequest(request, { provider: 'openai', form: fullForm(true) });

  expect((input as unknown as Item[]).map((item) => item.content ?? item.type)).toEqual([
    'reasoning',
    [{ type: 'output_text', text: 'A summary of it all.', annotations: [] }],
    'web_search_call',
    'And?',
  ]);
});

test('a repeated call id is sent back once, and later calls get their own ids', () => {
  const first = roundOf([items.call!]);
  const second = roundOf([items.call!]);
  const renamed = { ...second.said, calls: [{ id: 'call_2', name: 'look', arguments: '{}' }] } as Message;
  const result = { ...second.results[0]!, callId: 'call_2' } as Message;
  const messages = [first.said, ...first.results, renamed, result];

  const body = renderRequest({ ...someRequest, messages }, { provider: 'openai', form: fullForm(true) });

  expect(checkOpenaiResponses(body, { reasons: () => true })).toEqual([]);
  const ids = (body.input as unknown as Item[]).map(({ call_id: id }) => id);
  expect(ids).toEqual(['call_a', 'call_a', 'call_2', 'call_2']);
});

test('a repeated call is sent back once', () => {
  const again = { ...items.call!, id: 'fc_again' };

  expect(nextInput([items.call!, again])).toEqual(returned([items.call!]));
});
