import type { Ring } from '../turn/ring.ts';
import type { TurnStatus } from '../turn/turn.ts';
import type { Trx } from './database.ts';
import { endTurn } from './end-turn.ts';

/** What came of a cancel: `status` is the turn's after it. */
export type Cancelled = { status: TurnStatus; rings: Ring[] };

/** Cancels a turn at whatever it is doing; one that has ended stays as it is. Undefined when there is none. */
export async function cancelTurn(trx: Trx, project: string, turnId: string): Promise<Cancelled | undefined> {
  const turn = await trx
    .selectFrom('turns')
    .select(['conversation_id', 'status'])
    .where('id', '=', turnId)
    .where('project', '=', project)
    .executeTakeFirst();
  if (!turn) return undefined;

  const rings = await endTurn(trx, { turnId, conversationId: turn.conversation_id, status: 'cancelled' });
  if (rings) return { status: 'cancelled', rings };

  // Its conversation may have been deleted while this waited for it.
  const ended = await trx.selectFrom('turns').select('status').where('id', '=', turnId).executeTakeFirst();
  return ended && { status: ended.status, rings: [] };
}
