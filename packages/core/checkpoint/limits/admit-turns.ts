import { sql } from 'kysely';
import { ADMITTED_PRIORITY, type TurnWakeup } from '../../turn/wakeup.ts';
import type { Db } from '../tables.ts';

/**
 * A project's share of the workers' slots: its weight beside other projects with work, and its maximum of turns
 * (`most`).
 */
export type SlotShare = { project: string; weight: number; most: number | null };

/**
 * The shares of all projects. A project that is not in `shares` has the weight 1. With `isShared`, no project may
 * hold more than three quarters of the slots. `ownSlots` is the number of slots if no worker is alive.
 */
export type SlotShares = { shares: SlotShare[]; isShared: boolean; ownSlots: number };

/**
 * Assigns the free slots to turns: begun turns first, then by priority. Runs as one statement, and one at a time in
 * all processes (R28). The turns are then due. Returns the wakeups to enqueue.
 */
export async function admitTurns(db: Db, { shares, isShared, ownSlots }: SlotShares): Promise<TurnWakeup[]> {
  const { rows } = await sql<TurnWakeup>`
    select 'turn' as kind, turn_id as "turnId", turn_step as step, turn_generation as generation, turn_provider as provider,
      ${ADMITTED_PRIORITY}::int as priority
    from admit_turns(${JSON.stringify(shares)}::text::json, ${ownSlots}::int, ${isShared}::boolean)`.execute(db);
  return rows;
}
