import { type RawBuilder, sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { inMs } from './due.ts';

/** The condition that no run has the lease of a step (R3, R9). */
export const isFree = sql<boolean>`(work.lease_owner is null or work.lease_until < now())`;

/** Returns the condition that no other run has the lease (R6). */
export function isFreeFor(runId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(work.lease_owner = ${runId} or ${isFree})`;
}

/**
 * Returns the guard of a negative write: the run "runId" has the lease, or the step is free and still of the
 * generation that the run has loaded (R5).
 */
export function mayGiveUp(generation: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(work.lease_owner = "runId" or (work.generation = ${generation} and ${isFree}))`;
}

/**
 * Returns the columns of a lease that a run takes or renews (R4). The turn is due when the lease ends, and its
 * rescues are reset.
 */
export function leaseFor(runId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`lease_owner = ${runId}, lease_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)}, rescues = 0`;
}
