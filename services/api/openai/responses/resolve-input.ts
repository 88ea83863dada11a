import type { Db } from '#core/checkpoint/tables.ts';
import { findTurnOfItems, isInThread } from '#core/checkpoint/turns/reading/thread.ts';
import { RequestRefused } from '#core/failure.ts';
import type { Capabilities } from '#core/llm/provider.ts';
import { quote } from '#core/text.ts';
import { type InputItem, isMessage } from '#core/turn/request/item.ts';
import { itemOf } from '#core/turn/responses/input-item.ts';
import { readItemId } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';
import { type TakenInput, takeParts } from '../../../start/take-parts.ts';
import type { ItemReference, PlacedItem } from './request/read-input.ts';

/** An item of the input with its index in the caller's list, or `KEPT`. */
export type ResolvedItem = { at: number; item: InputItem };

/** The scope of a search for references: the responses of a project. `last` is the turn that the new turn follows. */
type Place = { project: string; last: Pick<Turn, 'conversationId' | 'position'> | undefined };

/**
 * Replaces references by their items. Leaves out items that are already in the history, and items without content for
 * a model. Refuses an unknown reference with 400. Leaves out approval requests and their answers if their call is in
 * the input, because the call includes them.
 */
export async function resolveInput(db: Db, input: PlacedItem[], place: Place): Promise<ResolvedItem[]> {
  const findTurn = rememberTurns(db, place.project);
  const resolved: (ResolvedItem & { isHistory: boolean })[] = [];
  for (let at = 0; at < input.length; at += LOOK_UPS_AT_ONCE) {
    const some = input.slice(at, at + LOOK_UPS_AT_ONCE).map((placed) => resolve(db, placed, { ...place, findTurn }));
    resolved.push(...(await Promise.all(some)).flat());
  }
  const settled = new Set(resolved.flatMap(({ item }) => allowedBy(item) ?? []));
  return resolved.filter(({ item, isHistory }) => !isHistory && !settled.has(requestOf(item) ?? ''));
}

/** The number of references that a request looks up at a time, because other requests need connections too. */
const LOOK_UPS_AT_ONCE = 16;

type FindTurn = (turnId: string) => ReturnType<typeof findTurnOfItems>;

/** Reads each turn once, even if several of its items are named. */
function rememberTurns(db: Db, project: string): FindTurn {
  const known = new Map<string, ReturnType<FindTurn>>();
  return (turnId) => {
    const found = known.get(turnId) ?? findTurnOfItems(db, project, turnId);
    known.set(turnId, found);
    return found;
  };
}

/** Marks an item of a kept response, which is not part of the request. */
export const KEPT = -1;

/** Returns the path of a field by its index in the caller's list, from its index in the resolved input. */
export function placedParam(param: string, input: ResolvedItem[]): string {
  const place = (_: string, index: string) => placeParam(input[Number(index)]?.at ?? Number(index));
  return param.replace(/^input\[(\d+)\]/, place).replace(/\.images\[\d+\]\.image_url$/, '.result');
}

function placeParam(at: number): string {
  return at === KEPT ? 'previous_response_id' : `input[${at}]`;
}

/** Takes the data out of a resolved input. A refusal names the index in the caller's list. */
export async function takeResolved(
  db: Db,
  input: ResolvedItem[],
  { project, wire }: { project: string; wire: Capabilities['wire'] | null },
): Promise<TakenInput> {
  const items = input.map(({ item }) => item);
  return takeParts(db, { project, input: items, wire }).catch((error: unknown) => {
    if (!(error instanceof RequestRefused)) throw error;
    const { status, code, message, param } = error;
    const own = param && placedParam(param, input);
    throw new RequestRefused(status, code, param && own ? message.replaceAll(param, own) : message, own);
  });
}

async function resolve(
  db: Db,
  { at, item }: PlacedItem,
  place: Place & { findTurn: FindTurn },
): Promise<(ResolvedItem & { isHistory: boolean })[]> {
  if (!isReference(item)) return [{ at, item, isHistory: false }];
  const named = readItemId(item.id);
  const known = named && (await place.findTurn(named.turnId));
  const found = known?.deletedItems.includes(item.id) ? undefined : known && itemOf(known.turn, item.id);
  if (item.call) return [{ at, item: withResult(item.call, found), isHistory: false }];
  if (!known || found === undefined) {
    if (item.hosted) return [{ at, item: item.hosted, isHistory: false }];
    if (item.mayMiss) return [];
    throw itemNotFound(item, at);
  }
  if (found === null) return [];
  return [
    { at, item: found, isHistory: place.last !== undefined && (await isInThread(db, known.turn.id, place.last)) },
  ];
}

/** Returns a call with the result that its response stored, or without a result if none is stored. */
function withResult(call: NonNullable<ItemReference['call']>, found: InputItem | null | undefined): InputItem {
  const isKnown = found && 'type' in found && found.type === 'mcp_call' && found.name === call.name;
  return isKnown ? { ...call, output: found.output, error: found.error } : call;
}

function isReference(item: PlacedItem['item']): item is ItemReference {
  return 'type' in item && item.type === 'item_reference';
}

/** Returns the approval request of a call. */
function allowedBy(item: InputItem): string | null {
  return !isMessage(item) && item.type === 'mcp_call' ? (item.approval_request_id ?? null) : null;
}

/** Returns the approval request that an item is, or answers. */
function requestOf(item: InputItem): string | null {
  if (isMessage(item)) return null;
  if (item.type === 'mcp_approval_request') return item.id;
  return item.type === 'mcp_approval_response' ? item.approval_request_id : null;
}

function itemNotFound({ id }: ItemReference, at: number): RequestRefused {
  const message = `Item with id ${quote(id)} not found. Only items of stored responses of this project can be referred to.`;
  return new RequestRefused(400, 'item_not_found', message, `${placeParam(at)}.id`);
}
