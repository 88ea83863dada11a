import { sql } from 'kysely';
import type { TerminalStatus, TurnStatus } from '../../turn/turn.ts';
import type { Wakeup } from '../../turn/wakeup.ts';
import type { Trx } from '../tables.ts';
import { endTurn } from './end.ts';

/** What a cancel did; `status` is that of the turn after it, `wasActive` whether this cancel has ended it. */
export type Cancelled = { status: TurnStatus; wakeups: Wakeup[]; wasActive: boolean };

/** Cancels a turn in any active state; one that has ended stays as it is. Undefined when there is none, or it is deleted. */
export async function cancelTurn(trx: Trx, project: string, turnId: string): Promise<Cancelled | undefined> {
  const { rows: found } = await sql<{ conversation_id: string }>`
    select conversation_id from turns where id = ${turnId} and project = ${project} and hidden_at is null`.execute(trx);
  const [turn] = found;
  if (!turn) return undefined;

  const wakeups = await endTurn(trx, { turnId, conversationId: turn.conversation_id, status: 'cancelled' });
  if (wakeups) return { status: 'cancelled', wakeups, wasActive: true };

  // The turn may have been deleted meanwhile, or its conversation.
  const { rows } = await sql<{ status: TerminalStatus | null }>`
    select status from turns where id = ${turnId} and hidden_at is null`.execute(trx);
  const [ended] = rows;
  return ended?.status ? { status: ended.status, wakeups: [], wasActive: false } : undefined;
}
