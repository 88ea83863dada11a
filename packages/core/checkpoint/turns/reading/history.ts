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
 * The condition that later turns of the conversation depend on a turn. It was begun or still may be, or it is added
 * items. A turn that was cancelled while it was queued is skipped, unless a response may name it.
 */
export const isBasis = sql<boolean>`(started_at is not null or completed_at is null or ${isAddedItems}
  or (config -> 'response' is not null and config -> 'response' ->> 'conversation' is null))`;

/**
 * The condition that a turn is part of a history. An unstored turn never is. A fork always has the turn that it was
 * forked from, unless it replaces that turn.
 */
export const isHistory = sql`stored and (${isBasis} or id = "upTo") and (id is distinct from "upTo" or coalesce("upToRound", 0) >= 0)`;

/**
 * Returns the CTE of a history's conversations, each with the position before which it ends: the given conversation,
 * its origin, and so on. The positions of a fork continue after its origin turn (`upTo`), so one order applies to all
 * conversations.
 */
export function threadBefore(conversationId: string, before: RawBuilder<unknown>) {
  return sql`
    thread ("ofConversation", "endsBefore", "upTo", "upToRound", "forkedAfter") as (
      select ${conversationId}::text, ${before}, null::text, null::int, null::int
      union all
      select origin.conversation_id, origin.position + 1, origin.id, forked_round, forked_after
      from thread join conversations on conversations.id = "ofConversation" join turns origin on origin.id = forked_from
    )`;
}

/**
 * The condition that a deleted turn is still in this history. If no turn of its conversation depended on it when it
 * was deleted, later turns and their forks do not read it (R21). If it was removed from its conversation, only
 * earlier forks read it (R31).
 */
const wasKept = sql`(history_until is null
  or history_until >= case when "upTo" is null then "endsBefore" else "endsBefore" - 1 end or "forkedAfter" < deletion)`;

/** All turns of these conversations before their ends. */
export const turnsOfThread = sql`thread join turn_states as turns on conversation_id = "ofConversation" and position < "endsBefore"`;

/** A turn of a history as it was, and the ids of its items that were deleted since. */
export type ThreadTurn = { turn: Turn; deletedItems: readonly string[] };

export const selectThreadTurn = sql`${selectWhole}, deleted_items as "deletedItems"`;
export type ThreadTurnAsRead = TurnAsRead & { deletedItems: string[] | null; upToRound?: number | null };

/** The round up to which a turn of a thread is read, or null for the whole turn. */
const upToRound = sql`case when id = "upTo" then "upToRound" end as "upToRound"`;

/**
 * Selects the turns that a turn at the position `before` is based on, oldest first. Without `before`, selects all of
 * the conversation.
 */
export function historyOf(conversationId: string, before: number | undefined, columns: RawBuilder<unknown>) {
  const end = before === undefined ? sql`2147483647` : sql`${before}::int`;
  return sql`with recursive ${threadBefore(conversationId, end)},
    history as materialized (
      select turns.id, ${upToRound}, ${columns} from ${turnsOfThread} where ${isHistory} and ${wasKept})`;
}

/** The history to load: the turns before the position `before`, if they have at most `most` bytes. */
export type HistoryBounds = { before?: number; most?: number };

/**
 * Loads the turns that a turn is based on, oldest first, with the turns before a fork and turns that were deleted
 * since. Returns null if they have more than `most` bytes: PostgreSQL then sends no turn.
 */
export async function loadHistory(
  db: Db,
  conversationId: string,
  { before, most = Number.MAX_SAFE_INTEGER }: HistoryBounds = {},
): Promise<HistoryTurn[] | null> {
  const query = sql<ThreadTurnAsRead & { fits: boolean }>`
    ${historyOf(conversationId, before, sql`${bytesOfTurn} as bytes`)},
    size as (select coalesce(sum(bytes), 0) <= ${most}::bigint as fits from history)
    select fits, turn.* from size left join lateral (
      select ${selectThreadTurn}, "upToRound" from history join turn_states as turns using (id) where fits) as turn on true
    order by position`;
  const rows = await read(db, query);
  if (rows[0]?.fits === false) return null;
  return rows.flatMap(({ fits: _, ...row }) => (row.id === null ? [] : [toHistoryTurn(row)]));
}

/** Creates a turn of a history from its row, without its deleted items. */
export function toHistoryTurn(row: ThreadTurnAsRead): HistoryTurn {
  const threadTurn = toThreadTurn(row);
  const { turn, deletedItems } = threadTurn;
  return { ...asHistory(threadTurn), leftOut: deletedItems.length + (turn.hidden ? 1 : 0) };
}

/**
 * A page of a thread. It begins at a turn or after a turn, by default at the first turn. The view `kept` includes
 * deleted turns that a model is still sent.
 */
type ThreadPage = {
  from?: { turnId: string; isIncluded: boolean } | undefined;
  direction: 'asc' | 'desc';
  limit: number;
  view?: 'visible' | 'kept';
};

/** Lists a page of a thread, by default without deleted turns. */
export async function listThread(
  db: Db,
  conversationId: string,
  { from, direction, limit, view = 'visible' }: ThreadPage,
): Promise<Page<ThreadTurn>> {
  const isAhead = sql.raw(`${direction === 'asc' ? '>' : '<'}${from?.isIncluded ? '=' : ''}`);
  const behind = from ? sql`and position ${isAhead} (select position from turns where id = ${from.turnId})` : sql``;
  const isShown = view === 'kept' ? wasKept : isVisible;
  const rows = sql`from ${turnsOfThread} where ${isHistory} and ${isShown} ${behind}`;
  const page = fittingRows({ rows, key: sql`position`, direction, limit, bytes: bytesOfTurn });
  const query = sql<ThreadTurnAsRead & { found: number }>`
    with recursive ${threadBefore(conversationId, sql`2147483647`)},
    page as materialized (${page})
    select ${selectThreadTurn}, ${upToRound}, found::int from page join turn_states as turns using (id) left join thread on "upTo" = id
    order by position ${sql.raw(direction)}`;
  const found = await read(db, query);
  const { rows: turns, hasMore } = pageOfRows(found);
  return { rows: turns.map(toThreadTurn), hasMore };
}

/** Lists a page of the history that callers see, from the turn after `after`, without deleted items. */
export async function listHistory(
  db: Db,
  conversationId: string,
  { after, limit }: { after?: string; limit: number },
): Promise<Page<Turn>> {
  const from = after === undefined ? undefined : { turnId: after, isIncluded: false };
  const { rows, hasMore } = await listThread(db, conversationId, { from, direction: 'asc', limit });
  return { rows: rows.map(asHistory), hasMore };
}

/** Creates a turn of a thread from its row, without the rounds that a fork does not depend on (R37). */
export function toThreadTurn({ deletedItems, upToRound: round = null, ...row }: ThreadTurnAsRead): ThreadTurn {
  const turn = toTurn(row);
  return { turn: round === null ? turn : turnUpTo(turn, round), deletedItems: deletedItems ?? [] };
}

/** Returns a turn without its deleted items, as later turns read it. */
export function asHistory({ turn, deletedItems }: ThreadTurn): Turn {
  return withoutItems(turn, deletedItems);
}
