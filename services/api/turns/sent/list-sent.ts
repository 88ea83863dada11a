import { PAGE_BYTES } from '#core/checkpoint/sql/page.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { loadPlanned, outlineHistory } from '#core/checkpoint/turns/reading/outline.ts';
import { bytesLoaded, planLoading } from '#core/turn/compaction/plan-loading.ts';
import { type HistoryTurn, sentHistory, withoutHidden } from '#core/turn/compaction/sent-history.ts';
import type { Turn } from '#core/turn/turn.ts';

/** The maximum number of turns on a page. */
const TURNS = 100;

/** The page: the turns after the turn `after`. `own` is the turn of the requested round, if it is not the next turn. */
export type SentPage = { after: string | undefined; own?: Turn };

/** Lists a page of the turns of a history as a model receives them, without deleted items. Only this page is loaded. */
export async function listSent(
  db: Db,
  conversationId: string,
  { after, own }: SentPage,
): Promise<{ rows: Turn[]; nextCursor: string | null }> {
  const before = own && { before: own.position };
  const outline = own && own.position <= 1 ? [] : await outlineHistory(db, conversationId, own?.position);
  const withOwn = (turns: readonly HistoryTurn[]): HistoryTurn[] => [
    ...turns.map(withoutHidden),
    ...(own ? [{ ...own, leftOut: 0 }] : []),
  ];
  const thread = withOwn(outline.map(({ turn }) => turn));
  const plan = planLoading(thread);
  const first = Math.max(plan.first, thread.findIndex(({ id }) => id === after) + 1);
  const bytes = [...bytesLoaded(outline, plan), ...(own ? [sizeOf(own)] : [])];
  const last = lastOfPage(bytes, first);

  const history = { conversationId, ...before, outline };
  const loaded = outline.length === 0 ? [] : await loadPlanned(db, history, { ...plan, first, last });
  const isShown = new Set(thread.slice(first, last + 1).map(({ id }) => id));
  const rows = sentHistory(withOwn(loaded)).filter(({ id }) => isShown.has(id));
  return { rows, nextCursor: last < thread.length - 1 ? (thread[last]?.id ?? null) : null };
}

/** Returns the last turn that fits on a page that begins with a turn. The page has at least this turn. */
function lastOfPage(bytes: readonly number[], first: number): number {
  let last = first;
  for (let sum = bytes[first] ?? 0; last + 1 < bytes.length && last - first + 1 < TURNS; last += 1) {
    sum += bytes[last + 1] ?? 0;
    if (sum > PAGE_BYTES) break;
  }
  return last;
}

function sizeOf({ input, rounds, pendingInput }: Turn): number {
  return JSON.stringify([input, rounds, pendingInput]).length;
}
