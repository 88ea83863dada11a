import type { Hosted } from '../hosted/hosted.ts';
import { allowingItems, type InputItem } from '../request/item.ts';
import { isAdded, type Turn } from '../turn.ts';
import { imagesByCall } from './hosted/hosted-item.ts';
import { inputItems, type ListedInputItem, listedItems } from './input-item.ts';
import { type ItemPosition, isHostedPrefix, readItemId } from './item-id.ts';
import { adoptedItems, type OutputItem, outputItems, roundItems } from './output-item.ts';

/** An item of a conversation in a list: of the input or the output of a turn. */
export type ConversationItem = ListedInputItem | OutputItem;

/** Returns the items of one turn of a conversation, in order, without deleted items. */
export function itemsOfTurn(turn: Turn, deletedIds: readonly string[]): ConversationItem[] {
  return allItems(turn).filter(({ id }) => !deletedIds.includes(id));
}

/**
 * Returns the counterpart of a call or result in the turns of a thread, oldest first. Null if the item is neither, or
 * has no counterpart. As in a transcript, a result answers the latest open call of its id.
 */
export function otherHalf(turns: readonly Turn[], itemId: string): string | null {
  let open: OpenCall[] = [];
  for (const turn of turns) {
    const pair = answerCalls(open, inputItems(turn)).find((both) => both.includes(itemId));
    if (pair) return pair.find((id) => id !== itemId) ?? null;
    if (!isAdded(turn)) open = outputItems(turn).flatMap(openCall);
  }
  return null;
}

/**
 * Returns the ids of the items about one allowed or denied call: the request, the answer, and the run call. Empty if
 * the item belongs to no such call, or its request has no answer.
 */
export function itemsOfApproval(turns: readonly Turn[], itemId: string): string[] {
  const groups = turns.flatMap((turn) => {
    const adopted = adoptedItems(turn);
    return inputItems(turn).flatMap(({ id, type, approval_request_id: request }) => {
      if (type !== 'mcp_approval_response' || typeof request !== 'string') return [];
      const run = adopted.filter((call) => call.approval_request_id === request);
      return [[request, id, ...run.map((call) => call.id)]];
    });
  });
  const ofThread = (id: string) => turns.some((turn) => turn.id === readItemId(id)?.turnId);
  return (groups.find((ids) => ids.includes(itemId)) ?? []).filter(ofThread);
}

/**
 * Returns a turn for the history, without deleted items. Each deleted item of a round also removes the round's opaque
 * data, which may repeat the item.
 */
export function withoutItems(turn: Turn, deletedIds: readonly string[]): Turn {
  if (deletedIds.length === 0) return turn;
  const places = deletedIds.flatMap((id) => readItemId(id)?.place ?? []);
  const isInputDeleted = (index: number) => places.some((place) => place.kind === 'input' && place.index === index);
  const deletedOf = (number: number) => places.filter((place) => place.kind === 'round' && place.round === number);

  const rounds = turn.rounds.map((round) => {
    const deleted = deletedOf(round.number);
    if (deleted.length === 0) return round;
    const own = deleted.filter(({ prefix }) => !isHostedPrefix(prefix));
    const calls = round.calls.filter(({ index }) => !own.some((place) => 'call' in place && place.call === index));
    const hosted = withoutHosted(round.hosted, deleted);
    return { ...round, calls, hosted, text: deleted.some(isMessage) ? null : round.text, opaque: null };
  });
  let next = turn.input.length;
  const kept = (items: InputItem[]) => {
    next += items.length;
    return items.filter((_, index) => !isInputDeleted(next - items.length + index));
  };
  // An adopted call has the position of the answer that allowed it.
  const allowing = allowingItems(turn.input);
  const isAnswerOf = (index: number) => turn.input.some((item, at) => item === allowing[index] && isInputDeleted(at));
  const isAnswerDeleted = deletedOf(turn.rounds.length).some(isMessage);
  return {
    ...turn,
    rounds: rounds.map((round) => ({ ...round, input: kept(round.input) })),
    pendingInput: kept(turn.pendingInput),
    adopted: turn.adopted.filter(({ index }) => !isAnswerOf(index)),
    output: isAnswerDeleted ? null : turn.output,
    input: turn.input.filter((_, index) => !isInputDeleted(index) && !isInputDeleted(ownerOf(turn.input, index))),
  };
}

type OpenCall = { id: string; callId: unknown };

/** Adds the calls of items to the open calls and removes answered calls. Returns each answered call with its result. */
function answerCalls(open: OpenCall[], items: ListedInputItem[]): string[][] {
  return items.flatMap((item) => {
    if (CALLS.has(item.type)) open.push(...openCall(item));
    if (!RESULTS.has(item.type)) return [];
    const place = open.findLastIndex(({ callId }) => callId === item.call_id);
    return place === -1 ? [] : open.splice(place, 1).map(({ id }) => [id, item.id]);
  });
}

function openCall(item: ConversationItem): OpenCall[] {
  return 'call_id' in item ? [{ id: item.id, callId: item.call_id }] : [];
}

const CALLS = new Set(['function_call', 'custom_tool_call']);
const RESULTS = new Set(['function_call_output', 'custom_tool_call_output']);

function allItems(turn: Turn): ConversationItem[] {
  let next = 0;
  const said = (items: readonly InputItem[]) => {
    next += items.length;
    return listedItems(turn, items, next - items.length);
  };
  return [
    ...said(turn.input),
    ...adoptedItems(turn),
    ...turn.rounds.flatMap((round) => [...said(round.input), ...roundItems(turn, round)]),
    ...said(turn.pendingInput),
  ];
}

/** Returns the additions of a provider to a reply, without deleted calls, their images, and deleted images. */
function withoutHosted(hosted: Hosted | null, deleted: readonly ItemPosition[]): Hosted | null {
  if (!hosted) return null;
  const { calls, images } = hosted;
  const { byCall } = imagesByCall(hosted);
  const gone = new Set(
    deleted.flatMap((place) =>
      place.kind === 'round' && isHostedPrefix(place.prefix) && place.call !== null ? [place.call] : [],
    ),
  );
  const madeByGone = new Set([...gone].map((index) => byCall.get(index)));
  return {
    ...hosted,
    calls: calls.filter((_, index) => !gone.has(index)),
    images: images.filter((image, index) => !madeByGone.has(image) && !gone.has(calls.length + index)),
  };
}

function isMessage({ prefix }: { prefix: string }): boolean {
  return prefix === 'msg';
}

/** Returns the item that opaque state belongs to, which is the next item. */
function ownerOf(input: InputItem[], index: number): number {
  const item = input[index];
  return item && 'type' in item && item.type === 'opaque_state' ? ownerOf(input, index + 1) : index;
}
