import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { CallOutput } from '../../../turn/history/repeated-outputs.ts';
import { itemIdOf } from '../../../turn/responses/item-id.ts';
import type { Turn } from '../../../turn/turn.ts';
import type { Db } from '../../tables.ts';
import { historyOf } from './history.ts';
import { BEHIND_ALL } from './select.ts';

/** A history: all of a conversation, or its turns up to `last`. */
type GivenHistory = {
  conversationId: string;
  last: Pick<Turn, 'position'> | undefined;
  param: 'conversation' | 'previous_response_id';
};

type OutputRow = { item: CallOutput; turnId: string; index: number; deletedItems: string[] | null };

/** Finds the outputs of calls with these ids in the inputs of a history, without deleted outputs. */
export async function findGivenOutputs(
  db: Db,
  { conversationId, last, param }: GivenHistory,
  callIds: readonly string[],
): Promise<CallOutput[]> {
  const before = param === 'conversation' || !last ? undefined : positionAfter(last);
  const query = sql<OutputRow>`
    ${historyOf(conversationId, before, sql`input, deleted_items`)}
    select item, history.id as "turnId", (place - 1)::int as index, deleted_items as "deletedItems"
    from history, json_array_elements(input) with ordinality as given (item, place)
    where item ->> 'type' in ('function_call_output', 'custom_tool_call_output')
      and item ->> 'call_id' in (select json_array_elements_text(${callIds}::json))`;
  const rows = await read(db, query);
  return rows.flatMap((row) => (isDeleted(row) ? [] : [row.item]));
}

/** Returns the position before which a history with the turn ends, even if the turn has no position yet. */
export function positionAfter({ position }: Pick<Turn, 'position'>): number {
  return Math.min(position + 1, BEHIND_ALL);
}

function isDeleted({ item, turnId, index, deletedItems }: OutputRow): boolean {
  const prefix = item.type === 'function_call_output' ? 'fco' : 'ctco';
  return deletedItems?.includes(itemIdOf(turnId, { kind: 'input', prefix, index })) ?? false;
}
