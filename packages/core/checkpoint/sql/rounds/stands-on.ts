import { type RawBuilder, sql } from 'kysely';
import type { Round } from '../../../turn/turn.ts';

/** For the statements that save round `number`: when the round before, which the model was sent, began to be asked for. */
export const standsOnColumn = sql`"standsOn" double precision`;

/** The value of that column, for a run that has loaded these rounds. */
export function standsOnOf(rounds: Pick<Round, 'startedAt'>[]): number | null {
  const last = rounds.at(-1);
  return last ? Date.parse(last.startedAt) / 1000 : null;
}

/**
 * Whether the round before is the one that the model was sent. Another one is there where a failover has lost commits, and the
 * turn has come so far again meanwhile. Milliseconds are compared, as workers count them.
 */
export function standsOn(number: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`("standsOn" is null or exists (
    select from rounds as before where before.turn_id = work.id and before.number = ${number} - 1
      and abs(extract(epoch from before.started_at) - "standsOn"::numeric) < 0.002))`;
}
