import { sql } from 'kysely';
import type { TerminalStatus, TurnStatus } from '../../turn/turn.ts';
import type { Wakeup } from '../../turn/wakeup.ts';
import type { Trx } from '../tables.ts';
import { endTurn } from './end.ts';

/**
 * The result of a cancel. `status` is the status of the turn afterwards. `wasActive` means that this cancel ended the
 * turn.
 */
export type Cancelled = { status: TurnStatus; wakeups: Wakeup[]; wasActive: boolean };

/**
 * Cancels a turn in any active state. An ended turn does not change. Returns undefined if the turn is missing or
 * deleted.
 */
export async function cancelTurn(trx: Trx, project: string, turnId: string): Promise<Cancelled | undefined> {
  const { rows: found } = await sql<{ conversation_id: string }>`
    select conversation_id from turns where id = ${turnId} and project = ${project} and hidden_at is null`.execute(trx);
  const [turn] = found;
  if (!turn) return undefined;

  const wakeups = await endTurn(trx, { turnId, conversationId: turn.conversation_id, status: 'cancelled' });
  if (wakeups) return { status: 'cancelled', wakeups, wasActive: true };

  // The turn or its conversation may have been deleted in between.
  const { rows } = await sql<{ status: TerminalStatus | null }>`
    select status from turns where id = ${turnId} and hidden_at is null`.execute(trx);
  const [ended] = rows;
  return ended?.status ? { status: ended.status, wakeups: [], wasActive: false } : undefined;
}
