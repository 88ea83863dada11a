import { cleanText } from '../../../text.ts';
import type { RequestedCall } from '../../../turn/message.ts';
import type { Reply, Usage } from '../../../turn/reply.ts';
import { cutStream, unusable } from '../../errors/name-failure.ts';
import type { Ending } from '../../errors/reply-of-refusal.ts';
import { unwrapArguments } from '../../reply/arguments-accumulator.ts';
import { countIn } from '../../reply/fields.ts';
import { finishReasonOf } from '../../reply/finish-reason.ts';
import { isOddId } from '../../reply/odd-id.ts';
import { usageOf } from '../../reply/usage-of.ts';
import { type KeptPart, Metadata, opaqueOf } from '../opaque.ts';
import type { CallAccumulator } from './call-accumulator.ts';
import type { ReplyAccumulator } from './reply-accumulator.ts';

type Finish = NonNullable<ReplyAccumulator['finish']>;

/** Returns the complete reply. A cut stream or an unusable reply is a `ProviderFailed` with a retry. */
export function finishReply(reply: ReplyAccumulator): Reply {
  const { provider, finish, calls, text } = reply;
  if (!finish || isInterrupted(finish)) throw cutStream(provider);
  const { unified, raw } = finish.finishReason;
  if (calls.some(({ name }) => !name)) throw unusable(provider, 'a tool call has no name');
  const finishReason = finishReasonOf(
    unified === 'other' ? String(raw) : unified,
    { calls: calls.length > 0 },
    { provider },
  );
  return {
    text: text ? cleanText(text) : null,
    calls: calls.map((call) => askedCall(call, finishReason === 'length')),
    finishReason,
    finishReasonRaw: String(raw ?? unified).slice(0, 100),
    usage: readUsage(finish.usage),
    ...reply.served,
    opaque: opaqueOf(reply.parts.flatMap((part) => keptPart(part, calls))),
    ...(reply.parts.some(({ kind }) => kind === 'reasoning' || kind === 'custom') ? { hasMore: true } : {}),
    ...(reply.warnings.size > 0 ? { warnings: [...reply.warnings] } : {}),
  };
}

/** Returns the reply so far, after an end that a package reports as an error. */
export function finishEnded(reply: ReplyAccumulator, { finishReason, raw }: Ending): Reply {
  const unified = finishReason === 'length' ? 'length' : 'content-filter';
  return finishReply({ ...reply, finish: { finishReason: { unified, raw }, usage: NOTHING_COUNTED } });
}

const NOTHING_COUNTED: Finish['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Returns whether the stream was interrupted. Older packages, and some current packages, omit the reason instead. */
function isInterrupted({ finishReason }: Finish): boolean {
  const { unified, raw } = finishReason;
  return unified === 'interrupted' || (unified === 'other' && raw === undefined);
}

/** Returns a call. Empty arguments mean no arguments, unless the reply was cut. */
function askedCall({ id, name, arguments: args }: CallAccumulator, isCut: boolean): RequestedCall {
  const text = isCut ? args : unwrapArguments(args);
  return { id: cleanText(id), name: cleanText(name), arguments: cleanText(text) };
}

/** Returns a package's count of tokens, or null if it counted no tokens. */
function readUsage({ inputTokens, outputTokens }: Finish['usage']): Usage | null {
  const [given, written] = [countIn(inputTokens?.total), countIn(outputTokens?.total)];
  if (given === null && written === null) return null;
  return usageOf({
    input: given ?? 0,
    output: written ?? 0,
    cached: countIn(inputTokens?.cacheRead) ?? 0,
    written: countIn(inputTokens?.cacheWrite) ?? 0,
    reasoning: countIn(outputTokens?.reasoning) ?? 0,
  });
}

function keptPart(part: ReplyAccumulator['parts'][number], calls: CallAccumulator[]): KeptPart[] {
  switch (part.kind) {
    case 'text': {
      const lead = part.lead > 0 ? { lead: part.lead } : {};
      const field = metadataField(part.metadata);
      return part.length > 0 || field.metadata ? [{ text: part.length, ...lead, ...field }] : [];
    }
    case 'reasoning': {
      const field = metadataField(part.metadata);
      return part.text || field.metadata ? [{ reasoning: part.text, ...field }] : [];
    }
    case 'call':
      return [{ call: part.place, ...oddId(calls[part.place]?.id), ...metadataField(calls[part.place]?.metadata) }];
    case 'custom':
      return [{ custom: part.named, ...metadataField(part.metadata) }];
  }
}

function oddId(id = ''): { id?: string } {
  return isOddId(id) ? { id } : {};
}

/** Returns the field with the data of a package for a part, if it is JSON that can be stored. */
function metadataField(said: unknown): { metadata?: Metadata } {
  if (said === undefined || said === null) return {};
  const { data } = Metadata.safeParse(JSON.parse(JSON.stringify(said)));
  return data && Object.keys(data).length > 0 ? { metadata: data } : {};
}
