import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { cleanText } from '../../text.ts';
import type { RequestedCall } from '../../turn/message.ts';
import type { FinishReason, Reply, Usage } from '../../turn/reply.ts';
import { cutStream, unusable } from '../errors/name-failure.ts';
import type { Delta } from '../provider.ts';
import { countIn, type Fields, wordIn } from '../reply/fields.ts';
import { type Answering, finishReasonOf, laterReason, type OwnWords } from '../reply/finish-reason.ts';
import { declaredName } from '../reply/gather-calls.ts';
import { keepServedBy, type ServedBy, tierField } from '../reply/served-by.ts';
import { usageOf } from '../reply/usage-of.ts';
import { boundReply } from '../unusable-reply.ts';
import { type FunctionCall, type Part, readChunk } from './chunk.ts';
import { type CallAccumulator, gatherCall } from './gather-calls.ts';
import { generatedImageIn, withoutImage } from './generated-images.ts';
import { finishHosted, type HostedAccumulator, reportFound, startHosted } from './hosted/finish-hosted.ts';
import { gatherHosted } from './hosted/gather-hosted.ts';
import { type KeptPart, opaqueOf } from './opaque.ts';

/** A reply while its chunks arrive. */
export type ReplyAccumulator = {
  provider: string;
  ownWords: OwnWords | undefined;
  toolNames: ReadonlySet<string>;
  text: string;
  calls: CallAccumulator[];
  kept: KeptPart[];
  hosted: HostedAccumulator;
  /** The reply has thoughts, calls of hosted tools or media, so it is not empty without a text. */
  hasMore: boolean;
  finishReasonRaw: string | null;
  /** Gemini's word for the reason why the prompt itself was refused. */
  blockReason: string | null;
  usage: Usage | null;
  serviceTier: string | null;
  served: ServedBy;
};

/** Returns an empty reply for chunks. Its failures name `provider`. */
export function startReply({ provider, toolNames, ownWords }: Answering): ReplyAccumulator {
  const names = { provider, ownWords, toolNames: new Set(toolNames) };
  const reply = { ...names, text: '', calls: [], kept: [], hosted: startHosted(), hasMore: false };
  return { ...reply, finishReasonRaw: null, blockReason: null, usage: null, serviceTier: null, served: {} };
}

/** Adds one chunk and returns its deltas. Unreadable parts are an `UnusableReply`. */
export function takeChunk(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const { parts, finishReason, blockReason, usage, grounding, fetched, ...served } = readChunk(raw);
  keepServedBy(reply.served, served);
  // Counts grow from chunk to chunk. Some chunks have only the type of traffic.
  reply.usage = (usage && readUsage(usage)) ?? reply.usage;
  reply.serviceTier = wordIn(usage?.serviceTier) ?? reply.serviceTier;
  reply.blockReason = blockReason ?? reply.blockReason;
  reply.finishReasonRaw = laterReason(reply.finishReasonRaw, finishReason);
  const deltas = parts.flatMap((part, index) => {
    const start = reply.text.length;
    const taken = gatherPart(reply, part);
    addRun(reply, part, { start, isFirst: index === 0 });
    return taken;
  });
  if (grounding) reply.hosted.groundings.push(grounding);
  if (fetched) reply.hosted.fetched.push(fetched);
  return isFinished(reply) ? [...deltas, ...reportFound(reply.hosted, reply.text)] : deltas;
}

/** Returns whether Gemini sent its stop reason. Later chunks are not required. */
export function isFinished({ finishReasonRaw, blockReason }: ReplyAccumulator): boolean {
  return finishReasonRaw !== null || blockReason !== null;
}

/** Returns the complete reply. A cut stream or an unusable reply is a `ProviderFailed` with a retry. */
export function finishReply(reply: ReplyAccumulator): Reply {
  const { finishReasonRaw, blockReason, usage, serviceTier, kept } = reply;
  const raw = blockReason ?? finishReasonRaw;
  if (raw === null) throw cutStream(reply.provider);
  checkUsable(reply, raw);
  const finishReason = blockReason ? 'content_filter' : reasonOf(reply, raw);
  const hosted = finishHosted(reply.hosted, reply.text);
  return {
    text: reply.text ? cleanText(reply.text) : null,
    calls: reply.calls.map((call) => askedCall(call, reply.toolNames)),
    finishReason,
    finishReasonRaw: raw.slice(0, 100),
    usage,
    ...tierField(serviceTier),
    ...reply.served,
    opaque: opaqueOf(kept, hosted.hosted !== undefined),
    ...hosted,
    ...(reply.hasMore ? { hasMore: true } : {}),
  };
}

/** Throws if Gemini did not pass on a call or the call is broken, since a retry may succeed. */
function checkUsable(reply: ReplyAccumulator, raw: string): void {
  if (raw === 'UNEXPECTED_TOOL_CALL' && reply.calls.length === 0) throw unusable(reply.provider, raw);
  if (reply.calls.some(({ name }) => !name)) throw unusable(reply.provider, 'a tool call has no name');
  if (reply.calls.some(({ isBroken }) => isBroken))
    throw unusable(reply.provider, 'a tool call in pieces that do not fit');
}

/** Returns the finish reason. Gemini has no word for a stop at calls. */
function reasonOf({ provider, ownWords, calls }: ReplyAccumulator, raw: string): FinishReason {
  return finishReasonOf(NUMBERS.get(raw) ?? raw, { calls: calls.length > 0 }, { provider, own: ownWords });
}

/** The numbers of Gemini's enum, which some gateways send instead of its words. */
const NUMBERS = new Map([
  ['1', 'STOP'],
  ['2', 'MAX_TOKENS'],
  ['3', 'SAFETY'],
  ['4', 'RECITATION'],
  // Vertex has another order of filters.
  ['6', 'BLOCKLIST'],
  ['7', 'BLOCKLIST'],
  ['8', 'PROHIBITED_CONTENT'],
]);

function askedCall({ id, name, args }: CallAccumulator, toolNames: ReadonlySet<string>): RequestedCall {
  return {
    id: cleanText(id),
    name: declaredName(cleanText(name), toolNames),
    arguments: cleanText(JSON.stringify(args)),
  };
}

/** Adds one part and returns its deltas. Thoughts are sent as deltas, and stored only if they are signed. */
function gatherPart(reply: ReplyAccumulator, part: Part): Delta[] {
  const { text, signature, call, fields } = part;
  if (call) return takeCall(reply, call, signature);
  if (part.isThought) return takeThought(reply, part);
  if (text !== null) return takeText(reply, text, signature);
  if (!Object.values(fields).some(Boolean)) return [];
  reply.hasMore = true;
  if (fields.inlineData || fields.fileData) return takeMedia(reply, fields);
  // All other parts, such as code that Google ran, are sent back with the round.
  keep(reply, { whole: fields });
  return gatherHosted(reply.hosted.calls, fields, reply.text.length);
}

/** Adds an image without its data to the stored parts. Other media can be neither stored nor shown. */
function takeMedia(reply: ReplyAccumulator, fields: Fields): Delta[] {
  const image = generatedImageIn(fields, reply.text.length);
  if (!image) return [];
  reply.hosted.images.push(image);
  keep(reply, { whole: withoutImage(fields) });
  return [];
}

/** Notes the part of the content that has a piece of the text. The first part of a chunk may continue a part. */
function addRun(
  { hosted: { runs }, text }: ReplyAccumulator,
  part: Part,
  at: { start: number; isFirst: boolean },
): void {
  const kind = part.isThought ? 'thought' : part.call || part.text === null ? 'other' : 'text';
  const last = runs.at(-1);
  if (at.isFirst && last?.kind === kind && kind !== 'other') last.end = text.length;
  else runs.push({ kind, start: at.start, end: text.length });
}

function keep({ kept }: ReplyAccumulator, part: KeptPart): void {
  boundReply(kept.push(part), REPLY_BOUNDS.parts, 'parts');
}

function takeCall(reply: ReplyAccumulator, call: FunctionCall, signature: string | null): Delta[] {
  const { started, deltas } = gatherCall(reply.calls, call);
  if (started) {
    started.keptAt = reply.kept.length;
    const id = started.id ? { id: started.id } : {};
    keep(reply, { call: reply.calls.length - 1, ...id, ...signed(signature) });
  } else if (signature) {
    signLastCall(reply, signature);
  }
  return deltas;
}

/** Adds a signature to the last call, since some streams sign a call only in its last chunk. */
function signLastCall({ calls, kept }: ReplyAccumulator, thoughtSignature: string): void {
  const last = kept[calls.at(-1)?.keptAt ?? -1];
  if (last && 'call' in last) last.thoughtSignature ??= thoughtSignature;
}

function takeThought(reply: ReplyAccumulator, { text, signature, fields }: Part): Delta[] {
  // An image of a thought is no part of the reply.
  if (signature && !fields.inlineData) keep(reply, { whole: fields });
  reply.hasMore = true;
  return text ? [{ kind: 'reasoning', text }] : [];
}

/** Adds text. Unsigned pieces are one part. A signed piece is its own part and may be empty. */
function takeText(reply: ReplyAccumulator, text: string, signature: string | null): Delta[] {
  if (!text && !signature) return [];
  const last = reply.kept.at(-1);
  const grows = last && 'text' in last && !last.thoughtSignature && !signature;
  if (grows) last.text += text.length;
  else keep(reply, { text: text.length, ...signed(signature) });
  reply.text += text;
  return text ? [{ kind: 'text', text }] : [];
}

function signed(signature: string | null) {
  return signature ? { thoughtSignature: signature } : {};
}

/** Returns Gemini's count as usage, with thoughts added to the candidates, or null if it counted no tokens. */
function readUsage(usage: Fields): Usage | null {
  const prompt = countIn(usage.promptTokenCount);
  const candidates = countIn(usage.candidatesTokenCount);
  if (prompt === null && candidates === null) return null;
  const thoughts = countIn(usage.thoughtsTokenCount) ?? 0;
  return usageOf({
    input: (prompt ?? 0) + (countIn(usage.toolUsePromptTokenCount) ?? 0),
    output: (candidates ?? 0) + thoughts,
    cached: countIn(usage.cachedContentTokenCount) ?? 0,
    reasoning: thoughts,
  });
}
