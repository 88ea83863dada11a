import { type RawBuilder, sql } from 'kysely';
import type { Round } from '../../../turn/turn.ts';

/** The column for statements that save a round: the start of the round before, which the model was sent. */
export const basedOnColumn = sql`"basedOn" double precision`;

/** Returns the value of that column for a run that has loaded these rounds. */
export function basedOnOf(rounds: Pick<Round, 'startedAt'>[]): number | null {
  const last = rounds.at(-1);
  return last ? Date.parse(last.startedAt) / 1000 : null;
}

/**
 * Returns the condition that the round before is the round that the model was sent. After a failover that lost
 * commits, another round may have its number. Compares milliseconds, as workers count them.
 */
export function basedOn(number: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`("basedOn" is null or exists (
    select from rounds as before where before.turn_id = work.id and before.number = ${number} - 1
      and abs(extract(epoch from before.started_at) - "basedOn"::numeric) < 0.002))`;
}
