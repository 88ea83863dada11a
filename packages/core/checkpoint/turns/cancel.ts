import type { TurnStatus } from '../../turn/turn.ts';
import type { Wakeup } from '../../turn/wakeup.ts';
import type { Trx } from '../tables.ts';
import { endTurn } from './end.ts';

/** What a cancel did; `status` is that of the turn after it, `wasActive` whether this cancel has ended it. */
export type Cancelled = { status: TurnStatus; wakeups: Wakeup[]; wasActive: boolean };

/** Cancels a turn in any active state; one that has ended stays as it is. Undefined when there is none, or it is deleted. */
export async function cancelTurn(trx: Trx, project: string, turnId: string): Promise<Cancelled | undefined> {
  const turn = await trx
    .selectFrom('turns')
    .select('conversation_id')
    .where('id', '=', turnId)
    .where('project', '=', project)
    .where('hidden_at', 'is', null)
    .executeTakeFirst();
  if (!turn) return undefined;

  const wakeups = await endTurn(trx, { turnId, conversationId: turn.conversation_id, status: 'cancelled' });
  if (wakeups) return { status: 'cancelled', wakeups, wasActive: true };

  // The turn may have been deleted meanwhile, or its conversation.
  const rows = trx.selectFrom('turns').select('status').where('id', '=', turnId).where('hidden_at', 'is', null);
  const ended = await rows.executeTakeFirst();
  return ended?.status ? { status: ended.status, wakeups: [], wasActive: false } : undefined;
}
