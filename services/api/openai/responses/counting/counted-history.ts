import { findConversation } from '#core/checkpoint/conversations.ts';
import { PAGE_BYTES } from '#core/checkpoint/sql/page.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { positionAfter } from '#core/checkpoint/turns/reading/given-outputs.ts';
import { loadPlanned, outlineHistory } from '#core/checkpoint/turns/reading/outline.ts';
import { findTurnOfItems } from '#core/checkpoint/turns/reading/thread.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId } from '#core/id.ts';
import { bytesLoaded, type LoadingPlan, planLoading } from '#core/turn/compaction/plan-loading.ts';
import type { HistoryTurn } from '#core/turn/compaction/sent-history.ts';
import { tokensSinceCounted } from '#core/turn/compaction/tokens-of-request.ts';
import { turnIdOf } from '#core/turn/responses/item-id.ts';
import { isAdded } from '#core/turn/turn.ts';
import { conversationNotFound } from '../../../http/find-own.ts';
import { previousNotFound } from '../predecessor.ts';
import type { ReadRequest } from '../request/read-request.ts';

/** The history of a request: a whole conversation, or the part before a position. */
type NamedHistory = { conversationId: string; before?: number; position: number };

/** Finds the history of a request, without a lock. Returns null if the request names none. */
export async function findNamedHistory(
  db: Db,
  project: string,
  { previousResponseId, conversationId }: Pick<ReadRequest, 'previousResponseId' | 'conversationId'>,
): Promise<NamedHistory | null> {
  if (previousResponseId !== null) {
    const turnId = turnIdOf(previousResponseId);
    const found = turnId === undefined ? undefined : await findTurnOfItems(db, project, turnId);
    if (!found || isAdded(found.turn)) throw previousNotFound(previousResponseId);
    const { turn } = found;
    return { conversationId: turn.conversationId, before: positionAfter(turn), position: turn.position };
  }
  if (conversationId === null) return null;
  const found = isId('conv', conversationId) ? await findConversation(db, project, conversationId) : undefined;
  if (found) return { conversationId, position: LAST_POSITION };
  const { status, code, message } = conversationNotFound();
  throw new RequestRefused(status, code, message, 'conversation');
}

/** No turn has a higher position. */
const LAST_POSITION = 2 ** 31 - 1;

/** The turns that determine the tokens of a history, or its size if these turns are too large to load. */
type CountedHistory = { turns: HistoryTurn[]; bytes: null } | { turns: null; bytes: number };

/**
 * Loads the turns of a history for an estimate of its tokens: the turns since a provider has counted tokens,
 * otherwise all turns that are sent.
 */
export async function loadCounted(db: Db, { conversationId, before }: NamedHistory): Promise<CountedHistory> {
  const outline = await outlineHistory(db, conversationId, before);
  const thread = outline.map(({ turn }) => turn);
  const plan = planLoading(thread);
  const lastAsked = thread.findLastIndex(({ rounds }) => rounds.length > 0);
  const isCounted = tokensSinceCounted(thread) !== null;
  const wanted = { ...plan, first: isCounted ? Math.max(plan.first, lastAsked) : plan.first };
  const bytesOf = (part: LoadingPlan) => bytesLoaded(outline, part).reduce((sum, bytes) => sum + bytes, 0);
  if (bytesOf(wanted) > PAGE_BYTES) return { turns: null, bytes: bytesOf(plan) };
  if (outline.length === 0) return { turns: [], bytes: null };
  const history = { conversationId, ...(before !== undefined && { before }), outline };
  return { turns: await loadPlanned(db, history, wanted), bytes: null };
}
