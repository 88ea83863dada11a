import { type RawBuilder, sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { HistoryTurn } from '../../../turn/compaction/sent-history.ts';
import { turnUpTo } from '../../../turn/forks/turn-up-to.ts';
import { withoutItems } from '../../../turn/responses/conversation-items.ts';
import type { Turn } from '../../../turn/turn.ts';
import { fittingRows, type Page, pageOfRows } from '../../sql/page.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';
import { bytesOfTurn } from './bytes.ts';
import { selectWhole, type TurnAsRead, toTurn } from './select.ts';

/**
 * Whether what comes later in its conversation stands on a turn that was begun or still may be, or on added items. A turn that
 * was cancelled while it was queued is passed, unless a response was to stand on it by its name (contract-responses R25).
 */
export const isStoodOn = sql<boolean>`(started_at is not null or completed_at is null or ${isAddedItems}
  or (config -> 'response' is not null and config -> 'response' ->> 'conversation' is null))`;

/**
 * The turns that history is made of, never one that is not stored. A fork has the turn that it was forked from in any case,
 * unless it takes the place of that.
 */
export const isHistory = sql`stored and (${isStoodOn} or id = "upTo") and (id is distinct from "upTo" or coalesce("upToRound", 0) >= 0)`;

/**
 * The conversations that a history runs through, each with the position that it ends before: the given one, the one
 * that it was forked from, and so on (contract-responses R24). A fork's positions go on behind the turn `upTo` which it
 * was forked from, so one order holds for all of them.
 */
export function lineOf(conversationId: string, before: RawBuilder<unknown>) {
  return sql`
    line ("lineOf", "endsBefore", "upTo", "upToRound", "forkedAfter") as (
      select ${conversationId}::text, ${before}, null::text, null::int, null::int
      union all
      select origin.conversation_id, origin.position + 1, origin.id, forked_round, forked_after
      from line join conversations on conversations.id = "lineOf" join turns origin on origin.id = forked_from
    )`;
}

/**
 * A turn that was deleted while none of its conversation stood on it is in the history of none that came later, nor of forks
 * that begin behind those (R21). One that was taken out of its conversation is in that of forks which were made before (R31).
 */
const wasKept = sql`(history_until is null
  or history_until >= case when "upTo" is null then "endsBefore" else "endsBefore" - 1 end or "forkedAfter" < deletion)`;

/** All turns of these conversations that are before their ends. */
export const turnsOfLine = sql`line join turn_states as turns on conversation_id = "lineOf" and position < "endsBefore"`;

/** A turn of a line as it was, and the ids of its items that were deleted since (contract-responses R27). */
export type LineTurn = { turn: Turn; deletedItems: readonly string[] };

/** All columns of a turn of a line. */
export const selectLineTurn = sql`${selectWhole}, deleted_items as "deletedItems"`;
export type LineTurnAsRead = TurnAsRead & { deletedItems: string[] | null; upToRound?: number | null };

/** Up to which round a turn of a line is read; null where all of it is. */
const upToRound = sql`case when id = "upTo" then "upToRound" end as "upToRound"`;

/** The turns that a turn at the position `before` stands on, oldest first; all of the conversation without it. */
export function historyOf(conversationId: string, before: number | undefined, columns: RawBuilder<unknown>) {
  const end = before === undefined ? sql`2147483647` : sql`${before}::int`;
  return sql`with recursive ${lineOf(conversationId, end)},
    history as materialized (
      select turns.id, ${upToRound}, ${columns} from ${turnsOfLine} where ${isHistory} and ${wasKept})`;
}

/** Which history is loaded: that of a turn at the position `before`, if it has no more than `most` bytes. */
export type HistoryBounds = { before?: number; most?: number };

/**
 * Loads the turns that a turn stands on, oldest first, those before a fork too. Turns that were deleted since are among them.
 * Null if the turns have more than `most` bytes: Postgres then sends none of them.
 */
export async function loadHistory(
  db: Db,
  conversationId: string,
  { before, most = Number.MAX_SAFE_INTEGER }: HistoryBounds = {},
): Promise<HistoryTurn[] | null> {
  const query = sql<LineTurnAsRead & { fits: boolean }>`
    ${historyOf(conversationId, before, sql`${bytesOfTurn} as bytes`)},
    size as (select coalesce(sum(bytes), 0) <= ${most}::bigint as fits from history)
    select fits, turn.* from size left join lateral (
      select ${selectLineTurn}, "upToRound" from history join turn_states as turns using (id) where fits) as turn on true
    order by position`;
  const rows = await read(db, query);
  if (rows[0]?.fits === false) return null;
  return rows.flatMap(({ fits: _, ...row }) => (row.id === null ? [] : [toHistoryTurn(row)]));
}

/** Makes a turn of a history from its row, without the items that were deleted. */
export function toHistoryTurn(row: LineTurnAsRead): HistoryTurn {
  const line = toLineTurn(row);
  return { ...asHistory(line), leftOut: line.deletedItems.length + (line.turn.hidden ? 1 : 0) };
}

/**
 * Where a page of a line begins: at a turn of it, or behind that; at its first turn where none is named. `kept`: with deleted turns
 * that a model is still sent.
 */
type LinePage = {
  from?: { turnId: string; isIncluded: boolean } | undefined;
  direction: 'asc' | 'desc';
  limit: number;
  view?: 'visible' | 'kept';
};

/** One page of a line as callers see it, without turns that were deleted. */
export async function listLine(
  db: Db,
  conversationId: string,
  { from, direction, limit, view = 'visible' }: LinePage,
): Promise<Page<LineTurn>> {
  const isAhead = sql.raw(`${direction === 'asc' ? '>' : '<'}${from?.isIncluded ? '=' : ''}`);
  const behind = from ? sql`and position ${isAhead} (select position from turns where id = ${from.turnId})` : sql``;
  const isShown = view === 'kept' ? wasKept : isVisible;
  const rows = sql`from ${turnsOfLine} where ${isHistory} and ${isShown} ${behind}`;
  const page = fittingRows({ rows, key: sql`position`, direction, limit, bytes: bytesOfTurn });
  const query = sql<LineTurnAsRead & { found: number }>`
    with recursive ${lineOf(conversationId, sql`2147483647`)},
    page as materialized (${page})
    select ${selectLineTurn}, ${upToRound}, found::int from page join turn_states as turns using (id) left join line on "upTo" = id
    order by position ${sql.raw(direction)}`;
  const found = await read(db, query);
  const { rows: turns, hasMore } = pageOfRows(found);
  return { rows: turns.map(toLineTurn), hasMore };
}

/** One page of the history as callers see it, from the turn after `after` on, without items that were deleted. */
export async function listHistory(
  db: Db,
  conversationId: string,
  { after, limit }: { after?: string; limit: number },
): Promise<Page<Turn>> {
  const from = after === undefined ? undefined : { turnId: after, isIncluded: false };
  const { rows, hasMore } = await listLine(db, conversationId, { from, direction: 'asc', limit });
  return { rows: rows.map(asHistory), hasMore };
}

/** Makes a turn of a line from its row, without the rounds that a fork does not stand on (R37). */
export function toLineTurn({ deletedItems, upToRound: round = null, ...row }: LineTurnAsRead): LineTurn {
  const turn = toTurn(row);
  return { turn: round === null ? turn : turnUpTo(turn, round), deletedItems: deletedItems ?? [] };
}

/** A turn as what comes later is told of it. */
export function asHistory({ turn, deletedItems }: LineTurn): Turn {
  return withoutItems(turn, deletedItems);
}
