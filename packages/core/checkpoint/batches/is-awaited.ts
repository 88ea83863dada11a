import { sql } from 'kysely';

/**
 * The condition that a round waits for a row of `batch_requests`. The request is looked up by its turn: for a join
 * PostgreSQL may compare each row with each row of work. A request that no round waits for is never awaited again.
 */
export const isAwaited = sql<boolean>`exists (
  select from work where work.id = batch_requests.turn_id and work.step = batch_requests.step
    and work.model = batch_requests.model and work.background ->> 'step' = work.step
    and work.background ->> 'model' = work.model and work.background -> 'responses' ? batch_requests.id
  offset 0)`;
