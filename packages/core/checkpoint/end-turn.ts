import { newId } from '../id.ts';
import type { Ring } from '../turn/ring.ts';
import type { Db, Trx } from './database.ts';
import { lockConversation } from './lock-conversation.ts';
import { firstRings } from './owed-of.ts';
import {
  type Ended,
  type Ending,
  type LastRound,
  rowOfEnding,
  writeEndingAfterRound,
  writeEndingAlone,
  writeEndingAsItIs,
} from './write-ending.ts';

/**
 * Ends a turn once and for all, in one transaction with everything that hangs on it: its last round, the answers of
 * its open calls, its events, its deliveries, and the turn of the conversation that now comes first (R12, R16, R17).
 * Answers what is owed after the commit; null when the guard refused and nothing was written.
 */
export async function endTurn(trx: Trx, ending: Ending): Promise<Ring[] | null> {
  await lockConversation(trx, ending.conversationId);
  const eventIds = await newEventIds(trx, ending);
  const write = ending.lastRound ? writeEndingAfterRound : writeEndingAsItIs;
  return ringsOf(await write(trx, rowOfEnding(ending, eventIds)));
}

/**
 * Ends a turn with its last round like `endTurn`, in one statement where no other turn of its conversation waits. What came
 * while the statement waited for the lock it does not see; the counts of the locked conversation tell that there was.
 */
export async function endWithRound(db: Db, ending: Ending & { lastRound: LastRound }): Promise<Ring[] | null> {
  const eventIds = [newId('evt'), newId('evt')];
  const rings = ringsOf(await writeEndingAlone(db, rowOfEnding(ending, eventIds)));
  return rings ?? db.transaction().execute((trx) => endTurn(trx, ending));
}

function ringsOf([ended]: Ended[]): Ring[] | null {
  if (!ended) return null;
  return [...(ended.next ? [ended.next] : []), ...firstRings(ended.deliveryIds)];
}

/** One id for each event that may happen: a last round has no open calls, any other end may find some. */
async function newEventIds(trx: Trx, { turnId, lastRound }: Ending): Promise<string[]> {
  if (lastRound) return [newId('evt'), newId('evt')];
  const turn = await trx
    .selectFrom('turns')
    .select('open_calls')
    .where('id', '=', turnId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return Array.from({ length: (turn?.open_calls ?? 0) + 1 }, () => newId('evt'));
}
