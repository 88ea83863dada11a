import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import type { Delta } from '../provider.ts';
import { type Fields, fieldsIn, indexIn, partIn, partsIn, textIn, wordIn } from '../reply/fields.ts';
import { boundReply, UnusableReply } from '../unusable-reply.ts';
import { hostedCallOf } from './hosted-call.ts';
import { type Item, partsOf, textPartOf, thoughtOf, typeOf } from './item.ts';

/** A reply while its events arrive. It consists of complete items. Deltas are for watchers only. */
export type ReplyAccumulator = {
  /** The complete items with their positions, by position and id, and their ids alone. */
  done: Map<string, { place: number; item: Item }>;
  doneIds: Set<string>;
  /** The indexes of calls among the calls, by the positions of their items. */
  calls: Map<number, number>;
  /** The ids of the hosted calls that were reported as begun, and as ended. */
  hosted: { begun: Set<string>; ended: Set<string> };
  /** The type of the reasoning events. Some servers send the same reasoning with two types. */
  thoughtType: string | null;
  hasDeltas: boolean;
  /** The id of the response, and the number of its last event, for a response that is followed. */
  id: string | null;
  sequence: number | null;
  /** The last snapshot of the response, or null until the response has ended. */
  snapshot: Fields | null;
};

/** Returns an empty reply for events. */
export function startReply(): ReplyAccumulator {
  return {
    done: new Map(),
    doneIds: new Set(),
    calls: new Map(),
    hosted: { begun: new Set(), ended: new Set() },
    thoughtType: null,
    hasDeltas: false,
    ...{ id: null, sequence: null, snapshot: null },
  };
}

/** Returns whether the response has ended. A stream without its end was cut. */
export function isFinished({ snapshot }: ReplyAccumulator): boolean {
  return snapshot !== null;
}

/** Adds one event, or a complete response, and returns its deltas. Unknown events have none. */
export function takeEvent(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const event = partIn(raw);
  if (!event) throw new UnusableReply('not an event of a response');
  noteResponse(reply, event);
  const isWhole = event.object === 'response' || Array.isArray(event.output);
  if (isWhole) return UNFINISHED.has(wordIn(event.status) ?? '') ? [] : endReply(reply, event);
  const deltas = readEvent(reply, event);
  reply.hasDeltas ||= deltas.some(({ text }) => text !== '');
  return deltas;
}

function noteResponse(reply: ReplyAccumulator, event: Fields): void {
  const response = fieldsIn(event.response) ?? (event.object === 'response' ? event : null);
  reply.id ??= wordIn(response?.id);
  reply.sequence = indexIn(event.sequence_number) ?? reply.sequence;
}

/** The states of a complete response that has not ended. */
const UNFINISHED = new Set(['in_progress', 'queued']);
const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);
const THOUGHTS = new Set(['response.reasoning_summary_text.delta', 'response.reasoning_text.delta']);

function readEvent(reply: ReplyAccumulator, event: Fields): Delta[] {
  const type = textIn(event.type) ?? '';
  if (type.endsWith('.delta') && isDone(reply, event)) return [];
  // The type of the last event counts, not the status of its snapshot.
  if (ENDS.has(type)) return endReply(reply, { ...fieldsIn(event.response), status: type.replace('response.', '') });
  if (THOUGHTS.has(type)) return takeThought(reply, type, textIn(event.delta) ?? '');
  switch (type) {
    case 'response.output_text.delta':
      return deltaOf('text', event.delta);
    case 'response.refusal.delta':
      return deltaOf('refusal', event.delta);
    case 'response.reasoning_summary_part.added':
      return reply.thoughtType ? takeThought(reply, reply.thoughtType, '\n\n') : [];
    case 'response.function_call_arguments.delta':
      return argumentsOf(reply, placeOf(event), textIn(event.delta) ?? '');
    case 'response.output_item.added':
      return beginItem(reply, event);
    case 'response.output_item.done':
      return takeItem(reply, event);
    default:
      return OF_HOSTED_CALL.test(type) ? [PROGRESS] : [];
  }
}

/** The delta for a call that the server runs. It has no text for watchers. */
const PROGRESS: Delta = { kind: 'reasoning', text: '' };
const OF_HOSTED_CALL = /^response\.(?!function_call)\w+_call(_\w+)?\./;

function deltaOf(kind: 'text' | 'refusal', delta: unknown): Delta[] {
  const text = textIn(delta);
  return text ? [{ kind, text }] : [];
}

function takeThought(reply: ReplyAccumulator, type: string, text: string): Delta[] {
  reply.thoughtType ??= type;
  return text && reply.thoughtType === type ? [{ kind: 'reasoning', text }] : [];
}

function placeOf({ output_index: index }: Fields): number {
  return indexIn(index) ?? 0;
}

function argumentsOf({ calls }: ReplyAccumulator, place: number, text: string): Delta[] {
  return text ? [{ kind: 'tool-arguments', index: indexOfCall(calls, place), text }] : [];
}

function indexOfCall(calls: Map<number, number>, place: number): number {
  const known = calls.get(place) ?? calls.size;
  calls.set(place, known);
  boundReply(calls.size, REPLY_BOUNDS.calls, 'tool calls');
  return known;
}

function beginItem({ calls, hosted }: ReplyAccumulator, event: Fields): Delta[] {
  const item = fieldsIn(event.item);
  if (item && typeOf(item) === 'function_call') indexOfCall(calls, placeOf(event));
  const call = item && hostedCallOf(item, { place: placeOf(event) });
  return call ? beginHosted(hosted, call) : [];
}

type Ran = NonNullable<ReturnType<typeof hostedCallOf>>;

/** Returns the start of a hosted call, unless it was reported. */
function beginHosted({ begun }: ReplyAccumulator['hosted'], call: Ran): Delta[] {
  if (begun.has(call.id)) return [];
  begun.add(call.id);
  return [{ kind: 'hosted-call', text: '', call: { ...call, status: 'in_progress', output: null, error: null } }];
}

/** Returns the end of a hosted call, unless it was reported, and before it the start. */
function endHosted({ hosted }: ReplyAccumulator, call: Ran | null): Delta[] {
  if (!call || hosted.ended.has(call.id)) return [];
  hosted.ended.add(call.id);
  return [...beginHosted(hosted, call), { kind: 'hosted-call', text: '', call }];
}

/** Returns whether an event is about a complete item, since some servers send all its events again. */
function isDone({ doneIds }: ReplyAccumulator, { item_id: id }: Fields): boolean {
  return doneIds.has(wordIn(id) ?? '');
}

/** Adds an item. A repeated item is one item. Some servers give all items the same position. */
function takeItem(reply: ReplyAccumulator, event: Fields): Delta[] {
  const { done, doneIds } = reply;
  const item = partIn(event.item);
  if (!item) return [];
  const place = indexIn(event.output_index) ?? done.size;
  const id = wordIn(item.id) ?? wordIn(item.call_id) ?? '';
  done.set(`${place} ${id}`, { place, item });
  boundReply(done.size, REPLY_BOUNDS.parts, 'items in one reply');
  if (wordIn(item.id)) doneIds.add(id);
  return endHosted(reply, hostedCallOf(item, { place }));
}

function endReply(reply: ReplyAccumulator, response: Fields): Delta[] {
  reply.snapshot = response;
  const isCut = wordIn(response.status) === 'incomplete';
  const deltasOf = reply.hasDeltas ? () => [] : deltasOfItem(reply);
  return itemsOf(reply).flatMap((item, place) => [
    ...endHosted(reply, hostedCallOf(item, { place, isCut })),
    ...deltasOf(item, place),
  ]);
}

/** Returns the items of an ended reply: from the last snapshot, or else from the events. */
export function itemsOf({ snapshot, done }: ReplyAccumulator): Item[] {
  const listed = partsIn(snapshot?.output);
  boundReply(listed.length, REPLY_BOUNDS.parts, 'items in one reply');
  const items =
    listed.length > 0
      ? listed
      : [...done.values()].sort((one, other) => one.place - other.place).map(({ item }) => item);
  return withoutRepeated(items);
}

/** Removes items that equal an earlier item with the same id. */
function withoutRepeated(items: Item[]): Item[] {
  const known = new Map<string, string>();
  return items.filter((item) => {
    const id = wordIn(item.id);
    if (!id) return true;
    const text = JSON.stringify(item);
    const isRepeated = known.get(id) === text;
    known.set(id, text);
    return !isRepeated;
  });
}

/** Returns the deltas of an item, for a reply without deltas. */
function deltasOfItem(reply: ReplyAccumulator): (item: Item, index: number) => Delta[] {
  return (item, index) => {
    switch (typeOf(item)) {
      case 'message':
        return partsOf(item).flatMap((part) => {
          const said = textPartOf(part);
          return said ? deltaOf(said.field, said.text) : [];
        });
      case 'reasoning':
        return takeThought(reply, 'whole', thoughtOf(item));
      case 'function_call':
        return argumentsOf(reply, index, argumentsText(item));
      default:
        return [];
    }
  };
}

/** Returns the arguments of a call as a text. Some servers send them as an object. */
export function argumentsText({ arguments: args }: Item): string {
  if (args === null || args === undefined) return '';
  return typeof args === 'string' ? args : JSON.stringify(args);
}
