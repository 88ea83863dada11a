import { crc32 } from 'node:zlib';
import type { FinishReason } from '#core/turn/reply.ts';
import type { ScriptedReply, WireScript } from '#test/llm/wire-script.ts';

const RAW: Record<FinishReason, string> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'content_filtered',
  refusal: 'content_filtered',
  other: 'strange',
};

/** Returns one frame of an AWS event stream: lengths, headers and a JSON payload, each half with its checksum. */
function frame(type: string, payload: object, messageType: 'event' | 'exception' = 'event'): Uint8Array {
  const headers = Buffer.concat([
    header(':message-type', messageType),
    header(`:${messageType}-type`, type),
    header(':content-type', 'application/json'),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(12 + headers.length + body.length + 4, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const front = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([front, checksum(front)]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  const text = 7;
  return Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(text), length, Buffer.from(value)]);
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

/** A scripted reply in the converse-stream of Amazon Bedrock. */
export const bedrockWire: WireScript<Uint8Array> = {
  reply: (reply) => [...pieces(reply), ...ending(reply)],
  cutInCall(reply) {
    const frames = pieces(reply);
    const last = frames.at(-2)!;
    return [...frames.slice(0, -2), last.subarray(0, last.length - 20)];
  },
  finishReasons: [
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['content_filtered', 'content_filter'],
    ['guardrail_intervened', 'content_filter'],
    ['tool_use', 'stop'],
    ['a_new_word', 'other'],
  ],
  finished: (raw, text) => [delta(0, { text }), frame('messageStop', { stopReason: raw })],
  errorEvent: [frame('internalServerException', { message: 'The system has a problem.' }, 'exception')],
  // The package requires a call of a tool named `json`.
  schemaIn: ({ toolConfig }) =>
    (toolConfig as { tools: { toolSpec: { inputSchema: { json: unknown } } }[] }).tools[0]!.toolSpec.inputSchema.json,
  refusal: (status) => ({
    status,
    headers: { 'content-type': 'application/json', 'x-amzn-requestid': 'req_1' },
    body: [JSON.stringify({ message: `Refused with ${status}` })],
  }),
  uncounted: ['reasoning_tokens'],
  noise: frame('someNewEvent', { p: 'abcdef' }),
};

function delta(contentBlockIndex: number, content: object): Uint8Array {
  return frame('contentBlockDelta', { contentBlockIndex, delta: content, p: 'abc' });
}

function stop(contentBlockIndex: number): Uint8Array {
  return frame('contentBlockStop', { contentBlockIndex });
}

/** Returns the blocks in sequence, but interleaves the pieces of calls. A thought is signed at its end. */
function pieces({ reasoning = [], text = [], calls = [] }: ScriptedReply): Uint8Array[] {
  const signature = delta(0, { reasoningContent: { signature: 'c2lnbmVk' } });
  const thought = reasoning.map((each) => delta(0, { reasoningContent: { text: each } }));
  const longest = Math.max(0, ...calls.map((call) => call.arguments.length));
  const starts = calls.map(({ id, name }, at) =>
    frame('contentBlockStart', { contentBlockIndex: at + 2, start: { toolUse: { toolUseId: id, name } } }),
  );
  const byTurns = Array.from({ length: longest }, (_, turn) =>
    calls.flatMap(({ arguments: all }, at) => {
      const input = all[turn];
      return input === undefined ? [] : [delta(at + 2, { toolUse: { input } })];
    }),
  );
  return [
    ...(thought.length ? [...thought, signature, stop(0)] : []),
    ...(text.length ? [...text.map((each) => delta(1, { text: each })), stop(1)] : []),
    ...[...starts, ...byTurns.flat(), ...calls.map((_, at) => stop(at + 2))],
  ];
}

function ending({ calls = [], finishReason, usage }: ScriptedReply): Uint8Array[] {
  const reason = finishReason ?? (calls.length ? 'tool_calls' : 'stop');
  const stopped = frame('messageStop', { stopReason: RAW[reason] });
  if (!usage) return [stopped];
  const cached = usage.cached_input_tokens;
  const counted = {
    inputTokens: usage.input_tokens - cached,
    cacheReadInputTokens: cached,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
  };
  return [stopped, frame('metadata', { usage: counted, metrics: { latencyMs: 5 } })];
}
