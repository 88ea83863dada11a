import { sql } from 'kysely';
import { newId } from '../../id.ts';
import { DELIVERIES_DUE, type Wakeup } from '../../turn/wakeup.ts';
import type { LastRound } from '../sql/rounds/insert-round.ts';
import type { Db, Trx } from '../tables.ts';
import { type Ended, type Ending, rowOfEnding } from './commits/row-of-ending.ts';
import {
  writeEndingAfterRound,
  writeEndingAlone,
  writeEndingLean,
  writeEndingWithoutRound,
} from './commits/write-ending.ts';
import { lockConversation } from './lock.ts';

/**
 * Ends a turn in one transaction with all its effects (R12, R16, R17): its last round, the results of its open calls,
 * its events, its deliveries, and the next turn. Returns the wakeups to enqueue after the commit, or null if the
 * guard refused.
 */
export async function endTurn(trx: Trx, ending: Ending): Promise<Wakeup[] | null> {
  await lockConversation(trx, ending.conversationId);
  const eventIds = await newEventIds(trx, ending);
  const write = ending.lastRound ? writeEndingAfterRound : writeEndingWithoutRound;
  return wakeupsOf(await write(trx, rowOfEnding(ending, eventIds)));
}

/**
 * Ends a turn with its last round like `endTurn`, in one statement if no other turn of its conversation waits. The
 * statement does not see turns that were added while it waited for the lock, but the counts of the conversation show
 * them. The lean statement also refuses if an endpoint was enabled since the run loaded the turn (R16). After a
 * refusal, `endTurn` decides.
 */
export async function endWithRound(db: Db, ending: Ending & { lastRound: LastRound }): Promise<Wakeup[] | null> {
  const row = rowOfEnding(ending, [newId('evt'), newId('evt')]);
  const { hasSubscribers = true, error, lastRound } = ending;
  const isLean = !hasSubscribers && !error && (lastRound.calls ?? []).length === 0;
  const writeAlone = isLean ? writeEndingLean : writeEndingAlone;
  const wakeups = wakeupsOf(await writeAlone(db, row));
  if (wakeups) return wakeups;
  return isTrx(db) ? endTurn(db, ending) : db.transaction().execute((trx) => endTurn(trx, ending));
}

function isTrx(db: Db): db is Trx {
  return db.isTransaction;
}

function wakeupsOf([ended]: Ended[]): Wakeup[] | null {
  if (!ended) return null;
  return [...(ended.next ? [ended.next] : []), ...(ended.delivers ? [DELIVERIES_DUE] : [])];
}

/** Returns an id for each event that may happen. A last round has no open calls, and any other end may find some. */
async function newEventIds(trx: Trx, { turnId, lastRound }: Ending): Promise<string[]> {
  if (lastRound) return [newId('evt'), newId('evt')];
  const { rows } = await sql<{ open_calls: number }>`
    select open_calls from work where id = ${turnId} for no key update`.execute(trx);
  return Array.from({ length: (rows[0]?.open_calls ?? 0) + 1 }, () => newId('evt'));
}
