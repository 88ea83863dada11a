import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** A response that no round waits for. It is to be cancelled, counted and deleted at its provider. */
export type ClosedResponse = {
  provider: string;
  id: string;
  turnId: string;
  project: string;
  model: string;
  /** True if this is the first look at an unused response, which is then cancelled once. */
  isToCancel: boolean;
  /** True if its usage is counted: in its round or as late usage. */
  isCounted: boolean;
  /** The milliseconds since no round has waited for it. */
  closedMs: number;
};

/** The time until the next look at a response. It grows with the time since the first look. */
const nextLook = sql`greatest(interval '30 seconds',
  least((now() - coalesce(closed_at, now())) / 4, interval '15 minutes'))`;

/**
 * The condition that a round waits for the response, looked up by id: for a join PostgreSQL may compare each row with
 * each row of work.
 */
const isAwaited = sql<boolean>`exists (
  select from work where work.id = turn_id and work.step = background_responses.step
    and work.model = background_responses.model and work.background ->> 'step' = work.step
    and work.background ->> 'model' = work.model and work.background -> 'responses' ? background_responses.id
  offset 0)`;

/**
 * Takes responses that no round waits for (R41), each for one worker at a time. The round is over, was dropped or has
 * another model, or the turn has ended or is erased.
 */
export async function takeResponses(db: Db, limit: number): Promise<ClosedResponse[]> {
  const statement = sql<ClosedResponse>`
    with due as materialized (
      select provider, id, closed_at is null as is_first
      from background_responses where due_at < now() and not ${isAwaited}
      order by due_at limit ${limit} for update skip locked
    )
    update background_responses as response set closed_at = coalesce(closed_at, now()), due_at = now() + ${nextLook}
    from due where response.provider = due.provider and response.id = due.id
    returning response.provider, response.id, turn_id as "turnId", project, model, is_first and state = 'open' as "isToCancel",
      state <> 'open' as "isCounted",
      (extract(epoch from now() - closed_at) * 1000)::double precision as "closedMs"`;
  return await write(db, statement);
}
