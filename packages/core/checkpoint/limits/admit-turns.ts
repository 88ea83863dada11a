import { sql } from 'kysely';
import { ADMITTED_PRIORITY, type TurnWakeup } from '../../turn/wakeup.ts';
import type { Db } from '../tables.ts';

/** What a project has of the workers' places: by weight beside projects that have work, and no more than `most` turns. */
export type PlaceShare = { project: string; weight: number; most: number | null };

/**
 * How places are shared; a project that is not among `shares` has the weight 1. `isShared`: none may have more than three
 * quarters of them. `ownPlaces` is how many there are where no worker is alive.
 */
export type PlaceShares = { shares: PlaceShare[]; isShared: boolean; ownPlaces: number };

/**
 * Gives turns the places that are free, begun ones first, then by priority: in one statement, and one at a time in all
 * processes (R28). Each is due then. Returns the wake-ups to enqueue.
 */
export async function admitTurns(db: Db, { shares, isShared, ownPlaces }: PlaceShares): Promise<TurnWakeup[]> {
  const { rows } = await sql<TurnWakeup>`
    select 'turn' as kind, turn_id as "turnId", turn_step as step, turn_generation as generation, turn_provider as provider,
      ${ADMITTED_PRIORITY}::int as priority
    from admit_turns(${JSON.stringify(shares)}::text::json, ${ownPlaces}::int, ${isShared}::boolean)`.execute(db);
  return rows;
}
