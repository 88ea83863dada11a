import type { FinishReason } from '#core/turn/reply.ts';
import type { LooseScript, ScriptedReply, WireScript } from '#test/llm/wire-script.ts';
import {
  callItem,
  endEvent,
  itemEvents,
  messageItem,
  outputOf,
  type ResponseEnd,
  reasoningItem,
  responseObject,
  responseStream,
  responsesEvent,
  type ScriptedItem,
  startEvents,
} from './responses-events.ts';

const RAW: Partial<Record<FinishReason, string>> = { length: 'max_output_tokens' };

export const responsesWire: WireScript = {
  reply(reply) {
    const { before, calls } = itemsOf(reply);
    const end = endEvent(outputOf([...before, ...calls]), endOf(reply));
    return withFirstPiece([...startEvents(), ...eventsOf(before, calls), end]);
  },
  cutInCall(reply) {
    const all = responsesWire.reply(reply);
    const at = all.findIndex((each) => each.includes('arguments.delta'));
    return [...all.slice(0, at), all[at]!.slice(0, -20)];
  },
  finishReasons: [
    ['completed', 'stop'],
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['a new word', 'other'],
  ],
  finished: (raw, text) => responseStream([messageItem([text])], endBy(raw)),
  errorEvent: [
    responsesEvent('error', {
      error: { type: 'server_error', code: 'server_error', message: 'The server had an error', param: null },
    }),
    endEvent([], { status: 'failed', error: { code: 'server_error', message: 'The server had an error' } }),
  ],
  schemaIn: ({ text }) => (text as { format: { schema: unknown } }).format.schema,
  refusal: (status) => ({
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
    body: [
      JSON.stringify({
        error: { message: `Refused with ${status}`, type: 'some_error', param: null, code: CODES.get(status) ?? null },
      }),
    ],
  }),
  takesStop: false,
};

/** The codes of OpenAI by status. A 404 has a code only for an unknown model, not for an unknown path. */
const CODES = new Map([[404, 'model_not_found']]);

/** A scripted reply of servers that follow the Responses wire loosely. */
export const looseResponses: LooseScript = {
  text: (texts, finish = 'completed') => responseStream(texts.length > 0 ? [messageItem(texts)] : [], endBy(finish)),
  sentinel: ['data: [DONE]\n\n'],
  idle: [
    ': keep-alive\n\n',
    'event: keepalive\ndata: {"type":"keepalive","sequence_number":3}\n\n',
    'data: {"type":"ping"}\n\n',
    'event: response.queued\ndata: {"type":"response.queued","response":null}\n\n',
    'event: response.news.delta\ndata: {"type":"response.news.delta","output_index":"x","delta":"no"}\n\n',
    'data: {"type":"response.output_text.delta","output_index":0,"delta":null}\n\n',
    'data: {"type":"response.output_item.added","output_index":0,"item":null}\n\n',
  ],
  // Events without names, a delta without an added item, and an index that is a text.
  oddFields: (text) =>
    [
      { type: 'response.created', response: 'x' },
      { type: 'response.output_text.delta', output_index: '0', content_index: null, item_id: 5, delta: text },
      {
        type: 'response.completed',
        sequence_number: 'last',
        response: {
          ...{ id: 7, status: 'completed', usage: 'none', incomplete_details: 'none', error: {} },
          output: [{ type: 'message', content: [{ type: 'output_text', text, annotations: 'none', logprobs: 5 }] }],
        },
      },
    ].map((each) => `data: ${JSON.stringify(each)}\n\n`),
  unreadable: [endEvent([{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 5 }] }])],
  whole: (text) => responseObject([messageItem([text]).item]),
  wrongKey: { error: { message: 'Invalid API key', type: 'invalid_request_error', code: 'invalid_api_key' } },
  calls: (calls) => {
    const items = calls.map(({ id, args }) => callItem({ id, name: 'get_weather', arguments: [args] }));
    const events = items.flatMap((item) => {
      const first = items.findIndex((each) => each.item.call_id === item.item.call_id);
      const { opening, pieces, closing } = itemEvents(item, first);
      return [...opening, ...pieces, ...closing];
    });
    return [...startEvents(), ...events, endEvent(outputOf(items))];
  },
  hasEndEvent: true,
  thoughts: responseStream([reasoningItem(['Hm.'])]),
  nothing: responseStream([messageItem(['\n'])]),
};

/** Returns the end for a word: a status, or the reason why a response is incomplete. */
function endBy(word: string): ResponseEnd {
  return word === 'completed' || word === 'stop' ? {} : { status: 'incomplete', reason: word };
}

function endOf({ finishReason, usage }: ScriptedReply): ResponseEnd {
  const isWhole = !finishReason || finishReason === 'stop' || finishReason === 'tool_calls';
  return {
    ...endBy(isWhole ? 'completed' : (RAW[finishReason] ?? finishReason)),
    usage: usage ? counted(usage) : null,
  };
}

function counted(usage: NonNullable<ScriptedReply['usage']>): object {
  const { cached_input_tokens: cached_tokens, cache_write_tokens, reasoning_tokens } = usage;
  return {
    input_tokens: usage.input_tokens,
    input_tokens_details: { cached_tokens, cache_write_tokens },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: usage.total_tokens,
  };
}

function itemsOf({ reasoning = [], text = [], calls = [] }: ScriptedReply) {
  return {
    before: [
      ...(reasoning.length > 0 ? [reasoningItem(reasoning)] : []),
      ...(text.length > 0 ? [messageItem(text)] : []),
    ],
    calls: calls.map((call) => callItem(call)),
  };
}

/** Returns the items in sequence, but interleaves the pieces of calls, as their `output_index` allows. */
function eventsOf(before: ScriptedItem[], calls: ScriptedItem[]): string[] {
  const first = before.map((item, index) => itemEvents(item, index));
  const called = calls.map((item, at) => itemEvents(item, before.length + at));
  const longest = Math.max(0, ...called.map(({ pieces }) => pieces.length));
  const byTurns = Array.from({ length: longest }, (_, turn) => called.flatMap(({ pieces }) => pieces[turn] ?? []));
  return [
    ...first.flatMap(({ opening, pieces, closing }) => [...opening, ...pieces, ...closing]),
    ...called.flatMap(({ opening }) => opening),
    ...byTurns.flat(),
    ...called.flatMap(({ closing }) => closing),
  ];
}

/** Joins all events up to the first piece, because the exam cuts replies after their first string. */
function withFirstPiece(events: string[]): string[] {
  const first = events.findIndex((each) => each.includes('.delta"')) + 1;
  return [events.slice(0, first).join(''), ...events.slice(first)].filter((each) => each !== '');
}
