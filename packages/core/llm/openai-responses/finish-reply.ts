import { cleanText } from '../../text.ts';
import type { Reply, Usage } from '../../turn/reply.ts';
import { cutStream, unusable } from '../errors/name-failure.ts';
import { countIn, type Fields, fieldsIn, wordIn } from '../reply/fields.ts';
import { type Answering, finishReasonOf } from '../reply/finish-reason.ts';
import {
  type CallAccumulator,
  type CallsAccumulator,
  distinctCalls,
  gatherCall,
  requestedCall,
  startCalls,
} from '../reply/gather-calls.ts';
import { keepServedBy, type ServedBy, tierField } from '../reply/served-by.ts';
import { usageOf } from '../reply/usage-of.ts';
import { type Item, thoughtOf, typeOf } from './item.ts';
import { opaqueOf } from './opaque.ts';
import { argumentsText, itemsOf, type ReplyAccumulator } from './reply-accumulator.ts';
import { hostedField, saidIn } from './said-in.ts';

/** Returns the complete reply. A cut stream or an unusable reply is a `ProviderFailed` with a retry. */
export function finishReply(reply: ReplyAccumulator, { provider, toolNames, ownWords }: Answering): Reply {
  const { snapshot } = reply;
  if (!snapshot) throw cutStream(provider);
  const items = itemsOf(reply);
  const gathered = startCalls(toolNames);
  const callOf = new Map(items.filter(isCall).map((item, index) => [item, takeCall(gathered, item, index)]));
  const calls = distinctCalls(gathered.all);
  // A call without a name has no tool.
  if (calls.some(({ name }) => !name)) throw unusable(provider, 'a tool call has no name');
  const raw = rawReason(snapshot);
  const said = saidIn(items, raw !== 'completed');
  const { text, refusalFrom } = said;
  const seen = { calls: calls.length > 0, refused: refusalFrom !== null };
  const finishReason = finishReasonOf(raw, seen, { provider, own: ownWords });
  const about = { toolNames: gathered.toolNames, isCut: finishReason === 'length' };
  return {
    text: text === '' ? null : cleanText(text),
    calls: calls.map((call) => requestedCall(call, about)),
    refusalFrom,
    finishReason,
    finishReasonRaw: raw.slice(0, 100),
    usage: readUsage(fieldsIn(snapshot.usage)),
    ...tierField(wordIn(snapshot.service_tier)),
    ...servedBy(snapshot),
    opaque: opaqueOf(items.map((item) => ({ item, call: placeIn(calls, callOf.get(item)) }))),
    ...hostedField(said),
    ...(items.some(saysMore) ? { hasMore: true } : {}),
  };
}

function servedBy(snapshot: Fields): ServedBy {
  const served: ServedBy = {};
  keepServedBy(served, snapshot);
  return served;
}

function isCall(item: Item): boolean {
  return typeOf(item) === 'function_call';
}

function takeCall(calls: CallsAccumulator, item: Item, index: number): CallAccumulator {
  const name = wordIn(item.name) ?? '';
  const id = wordIn(item.call_id) ?? wordIn(item.id) ?? '';
  return gatherCall(calls, { index, id, name, text: argumentsText(item) }).call;
}

/** Returns the index of a call, or null if the item is not a call or repeats a call. */
function placeIn(calls: CallAccumulator[], call: CallAccumulator | undefined): number | null {
  const place = call ? calls.indexOf(call) : -1;
  return place === -1 ? null : place;
}

/** Returns the server's word for the end of the reply. */
function rawReason({ status, incomplete_details: details }: Item): string {
  const word = wordIn(status) ?? 'completed';
  return word === 'incomplete' ? (wordIn(fieldsIn(details)?.reason) ?? word) : word;
}

/** Returns whether an item has more than text and calls: reasoning, or a call that its server ran. */
function saysMore(item: Item): boolean {
  const type = typeOf(item);
  return type === 'reasoning' ? thoughtOf(item) !== '' : type !== 'message' && type !== 'function_call';
}

/**
 * Returns a provider's counts as usage, or null if it counted no tokens. Tokens cached for 12 hours count as
 * long-term.
 */
export function readUsage(usage: Fields | null): Usage | null {
  const given = countIn(usage?.input_tokens);
  const said = countIn(usage?.output_tokens);
  if (!usage || (given === null && said === null)) return null;
  const input = given ?? 0;
  const details = fieldsIn(usage.input_tokens_details);
  const reasoning = countIn(fieldsIn(usage.output_tokens_details)?.reasoning_tokens) ?? 0;
  return usageOf({
    input,
    // Some servers count reasoning outside the output. The total shows this.
    output: Math.max(said ?? 0, reasoning, (countIn(usage.total_tokens) ?? 0) - input),
    cached: countIn(details?.cached_tokens) ?? 0,
    written: countIn(details?.cache_write_tokens) ?? 0,
    longer: countIn(fieldsIn(details?.cache_write_tokens_details)?.ttl_12h_tokens) ?? 0,
    reasoning,
  });
}
