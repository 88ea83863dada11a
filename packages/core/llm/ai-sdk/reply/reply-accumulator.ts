import type {
  LanguageModelV3StreamPart,
  LanguageModelV4StreamPart,
  SharedV3Warning,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import { quoteProvider } from '../../errors/name-failure.ts';
import type { Delta } from '../../provider.ts';
import { keepServedBy, type ServedBy } from '../../reply/served-by.ts';
import { boundReply } from '../../unusable-reply.ts';
import { type CallAccumulator, endCall, growCall, isSameCall, startCall } from './call-accumulator.ts';

/** One part of a stream, in either version of the interface. */
export type StreamPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart;

type Finish = Extract<StreamPart, { type: 'finish' }>;
type TextPart = { kind: 'text'; length: number; lead: number; metadata: unknown };
type ThoughtPart = { kind: 'reasoning'; text: string; metadata: unknown };
type OtherPart = { kind: 'call'; place: number } | { kind: 'custom'; named: string; metadata: unknown };

/**
 * A reply while its parts arrive. `parts` have the order of their beginnings, `open` has texts and thoughts by their
 * ids.
 */
export type ReplyAccumulator = {
  provider: string;
  text: string;
  parts: (TextPart | ThoughtPart | OtherPart)[];
  open: Map<string, TextPart | ThoughtPart>;
  calls: CallAccumulator[];
  /** Ids of calls that the provider runs itself. */
  foreign: Set<string>;
  warnings: Set<string>;
  served: ServedBy;
  finish: Pick<Finish, 'finishReason' | 'usage'> | null;
};

/** An error in place of a part. It is classified like any other failure of the package. */
export class StreamFailed extends Error {
  constructor(cause: unknown) {
    super('the stream contains an error', { cause });
  }
}

/** Returns an empty reply for parts. Its warnings name `provider`. */
export function startReply(provider: string): ReplyAccumulator {
  const [parts, calls] = [[], []];
  const known = { foreign: new Set<string>(), warnings: new Set<string>(), served: {}, finish: null };
  return { provider, text: '', parts, open: new Map(), calls, ...known };
}

/** Adds one part and returns its deltas. Unknown parts are ignored. */
export function takePart(reply: ReplyAccumulator, part: StreamPart): Delta[] {
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
      return takeText(reply, part);
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return takeThought(reply, part);
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-end':
    case 'tool-call':
      return takeCall(reply, part);
    case 'stream-start':
      for (const warning of part.warnings) warn(reply, wordWarning(reply.provider, warning));
      return [];
    case 'finish':
      reply.finish = { finishReason: part.finishReason, usage: part.usage };
      return [];
    case 'custom':
      keep(reply, { kind: 'custom', named: part.kind, metadata: part.providerMetadata });
      return [];
    case 'error':
      throw new StreamFailed(part.error);
    case 'tool-result':
    case 'tool-approval-request':
    case 'source':
    case 'file':
    case 'reasoning-file':
      passOver(reply, PASSED_OVER[part.type]);
      return [];
    case 'response-metadata':
      keepServedBy(reply.served, { id: part.id, model: part.modelId });
      return [];
    case 'raw':
    case 'ping':
      return [];
  }
}

const PASSED_OVER = {
  'tool-result': 'the result of a tool that the provider ran',
  'tool-approval-request': 'a request to approve its own tool call',
  source: 'sources of its answer',
  file: 'a file',
  'reasoning-file': 'a file in its reasoning',
};

const MOST_WARNINGS = 20;

function passOver(reply: ReplyAccumulator, what: string): void {
  warn(reply, `${reply.provider} sent ${what}, which Pawl does not store`);
}

function warn({ warnings }: ReplyAccumulator, sentence: string): void {
  if (warnings.size < MOST_WARNINGS) warnings.add(sentence);
}

function keep<Part extends ReplyAccumulator['parts'][number]>({ parts }: ReplyAccumulator, part: Part): Part {
  boundReply(parts.push(part), REPLY_BOUNDS.parts, 'parts');
  return part;
}

type Piece<Kind extends string> = Extract<StreamPart, { type: `${Kind}-start` | `${Kind}-delta` | `${Kind}-end` }>;

function takeText(reply: ReplyAccumulator, piece: Piece<'text'>): Delta[] {
  const key = `text ${piece.id}`;
  const known = reply.open.get(key);
  const isOpen = known?.kind === 'text' && piece.type !== 'text-start';
  let part = isOpen ? known : keep(reply, emptyText());
  const delta = piece.type === 'text-delta' ? piece.delta : '';
  // Text that alternates with text of another block keeps its order of arrival.
  if (delta && part.length > 0 && lastText(reply) !== part) part = keep(reply, emptyText());
  reply.open.set(key, part);
  part.metadata = piece.providerMetadata ?? part.metadata;
  if (!delta) return [];
  const lead = part.length === 0 ? leadOf(reply, part) : '';
  part.lead += lead.length;
  part.length += delta.length;
  reply.text += lead + delta;
  return [{ kind: 'text', text: lead + delta }];
}

function emptyText(): TextPart {
  return { kind: 'text', length: 0, lead: 0, metadata: undefined };
}

function lastText({ parts }: ReplyAccumulator): TextPart | undefined {
  return parts.findLast((part): part is TextPart => part.kind === 'text' && part.length > 0);
}

/** Returns a blank line if the model did other work between two texts. */
function leadOf({ parts, text }: ReplyAccumulator, part: TextPart): string {
  const at = parts.indexOf(part);
  const before = parts.findLastIndex((each, index) => index < at && each.kind === 'text' && each.length > 0);
  return text && parts.slice(before + 1, at).some(({ kind }) => kind !== 'text') ? '\n\n' : '';
}

function takeThought(reply: ReplyAccumulator, piece: Piece<'reasoning'>): Delta[] {
  const key = `reasoning ${piece.id}`;
  const known = reply.open.get(key);
  const isOpen = known?.kind === 'reasoning' && piece.type !== 'reasoning-start';
  const part = isOpen ? known : keep(reply, { kind: 'reasoning' as const, text: '', metadata: undefined as unknown });
  reply.open.set(key, part);
  part.metadata = piece.providerMetadata ?? part.metadata;
  const delta = piece.type === 'reasoning-delta' ? piece.delta : '';
  part.text += delta;
  return delta ? [{ kind: 'reasoning', text: delta }] : [];
}

type CallPiece = Piece<'tool-input'> | Extract<StreamPart, { type: 'tool-call' }>;

/**
 * Adds a call, which may arrive in pieces and then complete, or only complete. Calls that the provider runs are
 * ignored.
 */
function takeCall(reply: ReplyAccumulator, piece: CallPiece): Delta[] {
  const id = piece.type === 'tool-call' ? piece.toolCallId : piece.id;
  if ('providerExecuted' in piece && piece.providerExecuted) {
    reply.foreign.add(id);
    passOver(reply, 'a call of a tool that the provider runs');
  }
  if (reply.foreign.has(id)) return [];
  switch (piece.type) {
    case 'tool-input-start':
      return begin(reply, piece) && [];
    case 'tool-input-delta':
      return growCall(openCall(reply, id), piece.delta);
    case 'tool-input-end':
      return growCall(openCall(reply, id), '', piece.providerMetadata);
    case 'tool-call':
      if (reply.calls.some((call) => isSameCall(call, piece))) return [];
      return endCall(openCall(reply, id) ?? begin(reply, { id, toolName: piece.toolName }), piece);
  }
}

type Beginning = Parameters<typeof startCall>[1];

function begin(reply: ReplyAccumulator, beginning: Beginning): CallAccumulator {
  const call = startCall(reply.calls, beginning);
  keep(reply, { kind: 'call', place: call.place });
  return call;
}

/** Returns the latest incomplete call of that id. */
function openCall({ calls }: ReplyAccumulator, id: string): CallAccumulator | undefined {
  return calls.findLast((call) => call.id === id && !call.isWhole);
}

/** Returns a package's warning as a sentence for the caller, in one line. */
function wordWarning(provider: string, warning: SharedV3Warning | SharedV4Warning): string {
  return quoteProvider(`${provider}: ${meaning(warning)}`);
}

function meaning(warning: SharedV3Warning | SharedV4Warning): string {
  switch (warning.type) {
    case 'unsupported':
      return `${warning.feature} is not supported${because(warning.details)}`;
    case 'compatibility':
      return `${warning.feature} is only imitated${because(warning.details)}`;
    case 'deprecated':
      return `${warning.setting} is deprecated${because(warning.message)}`;
    case 'other':
      return warning.message;
  }
}

function because(details: string | undefined): string {
  return details ? `: ${details}` : '';
}
