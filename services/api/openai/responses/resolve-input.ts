import type { Db } from '#core/checkpoint/tables.ts';
import { findTurnOfItems, isInLine } from '#core/checkpoint/turns/reading/line.ts';
import { RequestRefused } from '#core/failure.ts';
import type { Capabilities } from '#core/llm/provider.ts';
import { quote } from '#core/text.ts';
import { type InputItem, isMessage } from '#core/turn/request/item.ts';
import { itemOf } from '#core/turn/responses/input-item.ts';
import { readItemId } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';
import { type TakenInput, takeParts } from '../../../start/take-parts.ts';
import type { ItemReference, PlacedItem } from './request/read-input.ts';

/** An item of the input with its place in the caller's list, or `KEPT`. */
export type ResolvedItem = { at: number; item: InputItem };

/** Where references are looked up: in the responses of a project. `last` is the turn that the new one follows. */
type Place = { project: string; last: Pick<Turn, 'conversationId' | 'position'> | undefined };

/**
 * Puts the items that references name in their place. What is in the history already is left out, as is what has nothing
 * to tell a model; a reference to nothing is a 400 (contract-responses R21). So are requests for approval, and answers to
 * them, that a call in the input came of: it tells all of it.
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

/** References that one request looks up at a time: other requests need connections, too. */
const LOOK_UPS_AT_ONCE = 16;

type FindTurn = (turnId: string) => ReturnType<typeof findTurnOfItems>;

/** Reads each turn once, however many of its items are named. */
function rememberTurns(db: Db, project: string): FindTurn {
  const known = new Map<string, ReturnType<FindTurn>>();
  return (turnId) => {
    const found = known.get(turnId) ?? findTurnOfItems(db, project, turnId);
    known.set(turnId, found);
    return found;
  };
}

/** Marks an item that came from a kept response and not from the request. */
export const KEPT = -1;

/** The path of a field by its place in the caller's list, of one by its place in the resolved input. */
export function placedParam(param: string, input: ResolvedItem[]): string {
  const place = (_: string, index: string) => placeParam(input[Number(index)]?.at ?? Number(index));
  return param.replace(/^input\[(\d+)\]/, place);
}

function placeParam(at: number): string {
  return at === KEPT ? 'previous_response_id' : `input[${at}]`;
}

/** Takes the data out of a resolved input; what is refused is named by its place in the caller's list. */
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
    if (item.mayMiss) return [];
    throw itemNotFound(item, at);
  }
  if (found === null) return [];
  return [{ at, item: found, isHistory: place.last !== undefined && (await isInLine(db, known.turn.id, place.last)) }];
}

/** A call with the result that its response has of it; without one where that is not stored. */
function withResult(call: NonNullable<ItemReference['call']>, found: InputItem | null | undefined): InputItem {
  const isKnown = found && 'type' in found && found.type === 'mcp_call' && found.name === call.name;
  return isKnown ? { ...call, output: found.output, error: found.error } : call;
}

function isReference(item: PlacedItem['item']): item is ItemReference {
  return 'type' in item && item.type === 'item_reference';
}

/** The request for approval that a call came of. */
function allowedBy(item: InputItem): string | null {
  return !isMessage(item) && item.type === 'mcp_call' ? (item.approval_request_id ?? null) : null;
}

/** The request for approval that an item is, or answers. */
function requestOf(item: InputItem): string | null {
  if (isMessage(item)) return null;
  if (item.type === 'mcp_approval_request') return item.id;
  return item.type === 'mcp_approval_response' ? item.approval_request_id : null;
}

function itemNotFound({ id }: ItemReference, at: number): RequestRefused {
  const message = `Item with id ${quote(id)} not found. Only items of stored responses of this project can be referred to.`;
  return new RequestRefused(400, 'item_not_found', message, `${placeParam(at)}.id`);
}
