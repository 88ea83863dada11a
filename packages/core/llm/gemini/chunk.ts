import { z } from 'zod';
import { isRecord, jsonObject } from '../../json.ts';
import { unwrapArguments } from '../reply/arguments-accumulator.ts';
import { lenient, lenientIndex, lenientNumber, lenientText, lenientWord } from '../reply/lenient.ts';

const text = z.string().nullish();

const PartialArg = z.looseObject({
  jsonPath: z.string(),
  stringValue: text,
  numberValue: z.number().nullish(),
  boolValue: z.boolean().nullish(),
  willContinue: z.boolean().nullish(),
});
/** One value of a call's arguments that arrive in chunks, under its JSON path; no value at all is null. */
export type PartialArg = z.infer<typeof PartialArg>;

/** Some gateways write the arguments as a text of JSON, or in another way if there are none. */
const Args = z.preprocess(
  (args) => (isRecord(args) || args === undefined ? args : (jsonObject(unwrapArguments(textOf(args))) ?? args)),
  z.record(z.string(), z.unknown()).nullish(),
);

function textOf(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** Some gateways give the arguments OpenAI's name. */
function withArgs(call: unknown): unknown {
  if (!isRecord(call) || call.args !== undefined || call.arguments === undefined) return call;
  return { ...call, args: call.arguments };
}

const FunctionCall = z.preprocess(
  withArgs,
  z.object({
    id: lenientWord,
    name: text,
    args: Args,
    partialArgs: z.array(PartialArg).nullish(),
    willContinue: lenient(z.boolean()),
  }),
);
export type FunctionCall = z.infer<typeof FunctionCall>;

const Part = z.looseObject({
  text,
  thought: lenient(z.boolean()),
  thoughtSignature: lenientText,
  functionCall: FunctionCall.nullish(),
});
/** One part of the model's content; what is neither text nor a call is kept as it came. */
export type Part = z.infer<typeof Part>;

const Usage = z.object({
  promptTokenCount: lenientNumber,
  toolUsePromptTokenCount: lenientNumber,
  candidatesTokenCount: lenientNumber,
  thoughtsTokenCount: lenientNumber,
  cachedContentTokenCount: lenientNumber,
});
export type WireUsage = z.infer<typeof Usage>;

const Candidate = z.object({
  index: lenientIndex,
  content: z.object({ parts: z.array(Part).nullish() }).nullish(),
  finishReason: lenientWord,
});

/** One chunk of a generateContent stream; a reply sent whole is one chunk. Only parts have to be readable. */
export const Chunk = z.preprocess(
  withCamelCase,
  z.object({
    candidates: z.array(Candidate).nullish(),
    promptFeedback: lenient(z.object({ blockReason: lenientText, blockReasonMessage: lenientText })),
    usageMetadata: lenient(Usage),
  }),
);
export type Chunk = z.infer<typeof Chunk>;

const NAMES = [
  ...[
    'usageMetadata',
    'promptFeedback',
    'blockReason',
    'blockReasonMessage',
    'finishReason',
    'functionCall',
    'partialArgs',
  ],
  ...[
    'thoughtSignature',
    'willContinue',
    'inlineData',
    'fileData',
    'jsonPath',
    'stringValue',
    'numberValue',
    'boolValue',
  ],
  ...[
    'promptTokenCount',
    'toolUsePromptTokenCount',
    'candidatesTokenCount',
    'thoughtsTokenCount',
    'cachedContentTokenCount',
  ],
];
const CAMEL = new Map(NAMES.map((name) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]));

/** The same chunk with the names of the wire. Some gateways write them in snake case. Arguments stay as they are. */
function withCamelCase(chunk: unknown): unknown {
  if (Array.isArray(chunk)) return chunk.map(withCamelCase);
  if (!isRecord(chunk)) return chunk;
  const entries = Object.entries(chunk).map(([name, value]) => [
    CAMEL.get(name) ?? name,
    name === 'args' || name === 'arguments' ? value : withCamelCase(value),
  ]);
  return Object.fromEntries(entries);
}
