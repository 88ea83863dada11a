import { isRecord, jsonObject } from '../../json.ts';
import { unwrapArguments } from '../reply/arguments-accumulator.ts';
import { type Fields, fieldsIn, indexIn, partIn, partsIn, textIn, wordIn } from '../reply/fields.ts';
import { UnusableReply } from '../unusable-reply.ts';

/** One value of a call's arguments that arrive in chunks, with its JSON path. A missing value is null. */
export type PartialArg = { jsonPath: string; value: string | number | boolean | null; willContinue: boolean };

/** A call, complete or in chunks. Missing arguments are null. */
export type FunctionCall = {
  id: string;
  name: string;
  args: Fields | null;
  partialArgs: PartialArg[];
  willContinue: boolean;
};

/** One part of the model's content. `fields` is the unchanged part. */
export type Part = {
  text: string | null;
  isThought: boolean;
  signature: string | null;
  call: FunctionCall | null;
  fields: Fields;
};

/** One chunk of a reply. `blockReason` is the reason why the prompt itself was refused. */
export type Chunk = {
  parts: Part[];
  finishReason: string | null;
  blockReason: string | null;
  usage: Fields | null;
  /** The sources of the text, and the pages that Gemini fetched. Null if the chunk has none. */
  grounding: Fields | null;
  fetched: Fields | null;
  /** Unchanged fields of the response. */
  id: unknown;
  model: unknown;
};

/** Reads one chunk, or a complete reply: its first candidate. Unreadable parts are an `UnusableReply`. */
export function readChunk(raw: unknown): Chunk {
  const chunk = withCamelCase(fieldsIn(raw) ?? {});
  const candidates = partsIn(chunk.candidates);
  const candidate = candidates.find(({ index }) => !indexIn(index));
  return {
    parts: partsIn(partIn(candidate?.content)?.parts).map(readPart),
    finishReason: wordIn(candidate?.finishReason),
    blockReason: readBlockReason(fieldsIn(chunk.promptFeedback), candidates.length > 0),
    usage: fieldsIn(chunk.usageMetadata),
    grounding: metadataIn(candidate?.groundingMetadata),
    fetched: metadataIn(candidate?.urlContextMetadata),
    id: chunk.responseId,
    model: chunk.modelVersion,
  };
}

/** Reads metadata. The first chunks of a stream have empty metadata. */
function metadataIn(value: unknown): Fields | null {
  const fields = fieldsIn(value);
  return fields && Object.keys(fields).length > 0 ? fields : null;
}

/** Returns why a prompt was refused, or null. Older servers rate accepted prompts in the same field. */
function readBlockReason(feedback: Fields | null, hasCandidates: boolean): string | null {
  const reason = wordIn(feedback?.blockReason);
  if (reason && !/^0$|unspecified$/i.test(reason)) return reason;
  const isBlocked = !hasCandidates && Boolean(reason || textIn(feedback?.blockReasonMessage));
  return isBlocked ? 'BLOCKED_REASON_UNSPECIFIED' : null;
}

function readPart(fields: Fields): Part {
  const call = partIn(fields.functionCall);
  return {
    text: readText(fields.text),
    isThought: fields.thought === true,
    signature: textIn(fields.thoughtSignature),
    call: call && readCall(call),
    fields,
  };
}

function readText(text: unknown): string | null {
  if (typeof text === 'string') return text;
  if (partIn(text)) throw unreadable('a text');
  return null;
}

/** Reads a call. Some gateways use OpenAI's name for the arguments. */
function readCall({ id, name, args, arguments: other, partialArgs, willContinue }: Fields): FunctionCall {
  return {
    id: wordIn(id) ?? '',
    name: textIn(name) ?? '',
    args: readArgs(args === undefined ? other : args),
    partialArgs: partsIn(partialArgs).map(readPartial),
    willContinue: willContinue === true,
  };
}

/** Reads arguments. Some gateways write them as JSON text, or in another way if there are none. */
function readArgs(args: unknown): Fields | null {
  if (args === undefined) return null;
  if (isRecord(args)) return args;
  const read = jsonObject(unwrapArguments(typeof args === 'string' ? args : JSON.stringify(args)));
  if (!read) throw unreadable('arguments');
  return read;
}

function readPartial({ jsonPath, stringValue, numberValue, boolValue, willContinue }: Fields): PartialArg {
  const value = stringValue ?? numberValue ?? boolValue ?? null;
  const isValue = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (typeof jsonPath !== 'string' || !isValue) throw unreadable('a piece of arguments');
  return { jsonPath, value: value as PartialArg['value'], willContinue: willContinue === true };
}

function unreadable(what: string): UnusableReply {
  return new UnusableReply(`${what} that cannot be read`);
}

const NAMES = [
  ...['usageMetadata', 'promptFeedback', 'blockReason', 'blockReasonMessage', 'finishReason', 'functionCall'],
  ...['partialArgs', 'thoughtSignature', 'willContinue', 'inlineData', 'fileData'],
  ...['jsonPath', 'stringValue', 'numberValue', 'boolValue', 'promptTokenCount', 'toolUsePromptTokenCount'],
  ...['candidatesTokenCount', 'thoughtsTokenCount', 'cachedContentTokenCount', 'mimeType'],
  ...['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'toolType'],
  ...['groundingMetadata', 'groundingChunks', 'groundingSupports', 'groundingChunkIndices', 'searchEntryPoint'],
  ...['renderedContent', 'webSearchQueries', 'retrievalQueries', 'retrievedContext', 'documentName', 'fileSearchStore'],
  ...['sourceUri', 'partIndex', 'startIndex', 'endIndex'],
  ...['urlContextMetadata', 'urlMetadata', 'retrievedUrl', 'urlRetrievalStatus'],
];
const CAMEL = new Map(NAMES.map((name) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]));

/** The arguments and the response of a call, with names from the tool. */
const OWN = new Set(['args', 'arguments', 'response']);

/** Returns a chunk with the wire's names, which some gateways write in snake case. A tool's own names stay. */
function withCamelCase(chunk: Fields): Fields {
  let renamed: Fields | null = null;
  for (const name in chunk) {
    const camel = CAMEL.get(name) ?? name;
    const value = OWN.has(name) ? chunk[name] : renamedIn(chunk[name]);
    if (camel === name && value === chunk[name]) continue;
    renamed ??= { ...chunk };
    delete renamed[name];
    renamed[camel] = value;
  }
  return renamed ?? chunk;
}

function renamedIn(value: unknown): unknown {
  if (!Array.isArray(value)) return isRecord(value) ? withCamelCase(value) : value;
  const renamed = value.map(renamedIn);
  return renamed.some((each, index) => each !== value[index]) ? renamed : value;
}
