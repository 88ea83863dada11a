import { isRecord } from '../../json.ts';
import { type Fields, fieldsIn, indexIn, partIn, partsIn, textIn, wordIn } from '../reply/fields.ts';
import { UnusableReply } from '../unusable-reply.ts';

/** A delta of a call. Some servers send no index, no id, or the whole call at once. `fields` is the unchanged call. */
export type CallDelta = { index: number | null; id: string; name: string; text: string; fields: Fields };

/** One chunk's addition to the reply. `fields` is its unchanged delta, with reasoning and state of the server. */
export type ChunkDelta = {
  text: string;
  thinking: string;
  refusal: string;
  calls: CallDelta[];
  hasMedia: boolean;
  fields: Fields;
};

/** One choice of a chunk: a delta, or the complete message. */
export type Choice = { delta: ChunkDelta | null; message: ChunkDelta | null; finishReason: string | null };

/** One chunk of a reply. `id` and `model` are the unchanged values of the response. */
export type Chunk = {
  choices: Choice[];
  usage: Fields | null;
  serviceTier: string | null;
  id: unknown;
  model: unknown;
};

/**
 * Reads a chunk of a Chat Completions stream, as loosely as servers write it. A complete reply (`message`) is a
 * chunk. Unreadable text or calls are an `UnusableReply`.
 * - Usage is at the top, beside the choice (Moonshot) or under `x_groq`.
 * - Only the first choice is the reply, for any requested `n`. Copilot sends text and calls as separate choices.
 */
export function readChunk(raw: unknown): Chunk {
  if (!isRecord(raw)) throw new UnusableReply('not a chat completion chunk');
  const choices = partsIn(raw.choices).filter(({ index }) => !indexIn(index));
  const usage = fieldsIn(raw.usage) ?? fieldsIn(choices[0]?.usage) ?? fieldsIn(fieldsIn(raw.x_groq)?.usage);
  const { id, model } = raw;
  return { choices: choices.map(readChoice), usage, serviceTier: wordIn(raw.service_tier), id, model };
}

/**
 * Reads a choice. Some servers put text into the choice itself, like older Completions, or the reason into the delta.
 */
function readChoice({ delta, message, text, finish_reason, finishReason }: Fields): Choice {
  const bare = typeof text === 'string' && text !== '' ? { content: text } : null;
  const reason = finish_reason ?? finishReason ?? fieldsIn(delta)?.finish_reason;
  return { delta: readDelta(delta ?? bare), message: readDelta(message), finishReason: wordIn(reason) };
}

function readDelta(value: unknown): ChunkDelta | null {
  const fields = partIn(value);
  if (!fields) return null;
  const { text, thinking, refusal, hasMedia } = readContent(fields.content);
  const { images, audio } = fields;
  return {
    text,
    thinking,
    refusal: textIn(fields.refusal) ?? refusal,
    calls: readCalls(fields),
    hasMedia: hasMedia || (Array.isArray(images) && images.length > 0) || Boolean(audio),
    fields,
  };
}

type Content = Pick<ChunkDelta, 'text' | 'thinking' | 'refusal' | 'hasMedia'>;
const NOTHING: Content = { text: '', thinking: '', refusal: '', hasMedia: false };

function readContent(content: unknown): Content {
  if (typeof content === 'string') return { ...NOTHING, text: content };
  if (content === null || content === undefined) return NOTHING;
  const parts = Array.isArray(content) ? content.map(readPart) : [readPart(content)];
  return {
    text: parts.map(({ text }) => text).join(''),
    thinking: parts.map(({ thinking }) => thinking).join(''),
    refusal: parts.map(({ refusal }) => refusal).join(''),
    hasMedia: parts.some(({ hasMedia }) => hasMedia),
  };
}

/**
 * Reads one part of a content. Cloudflare sends requested JSON as an object, and other servers send a text in an
 * object.
 */
function readPart(value: unknown): Content {
  if (typeof value === 'string') return { ...NOTHING, text: value };
  const part = partIn(value) ?? {};
  const { type } = part;
  const text = textIn(part.text) ?? textIn(fieldsIn(part.text)?.value);
  const isJson = typeof type !== 'string' && text === null && Object.keys(part).length > 0;
  return {
    text: isJson ? JSON.stringify(part) : (text ?? ''),
    thinking: typeof type === 'string' ? thinkingIn(part.thinking ?? part.summary) : '',
    refusal: textIn(part.refusal) ?? '',
    hasMedia: /image|audio|video/.test(textIn(type) ?? ''),
  };
}

/** Reads thoughts. Mistral and Databricks send a list of texts. */
function thinkingIn(value: unknown): string {
  if (!Array.isArray(value)) return textIn(value) ?? '';
  return value.map((part) => textIn(fieldsIn(part)?.text) ?? '').join('');
}

const NO_CALLS: CallDelta[] = [];

function readCalls({ tool_calls: calls, function_call: call }: Fields): CallDelta[] {
  if (!calls && !call) return NO_CALLS;
  const listed = partsIn(calls);
  const called = listed.length > 0 ? null : partIn(call);
  return (called ? [{ function: called }] : listed).filter((each) => !isBlank(each)).map(readCall);
}

/** Returns whether a call is empty. Some servers send an empty call for no call, or list their own search (Z.ai). */
function isBlank(call: Fields): boolean {
  const { name, arguments: args } = partIn(call.function) ?? {};
  if (!call.function && !call.name && typeof call.type === 'string' && !/^(function)?$/.test(call.type)) return true;
  return !name && !args && !Object.keys(call).some((field) => !OF_BLANK.has(field) && call[field]);
}

const OF_BLANK = new Set(['index', 'type', 'function']);

function readCall(fields: Fields): CallDelta {
  const { name, arguments: args, parameters, input } = partIn(fields.function) ?? fields;
  const index = indexIn(fields.index);
  const text = textOfArguments(args ?? parameters ?? input);
  return { index, id: wordIn(fields.id) ?? '', name: nameIn(name), text, fields };
}

/** Reads a name. Some servers write null as a text in later pieces. */
function nameIn(name: unknown): string {
  return typeof name === 'string' && !/^(null|none)$/i.test(name) ? name : '';
}

/** Returns the arguments as a text. Some servers send them as an object, or under another name. */
function textOfArguments(args: unknown): string {
  if (args === null || args === undefined) return '';
  return typeof args === 'string' ? args : JSON.stringify(args);
}
