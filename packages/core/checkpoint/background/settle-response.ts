import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Usage } from '../../turn/reply.ts';
import { recordSummaries, usedBy } from '../sql/rounds/record-rounds.ts';
import type { Db } from '../tables.ts';

/** The key of a response: ids are unique for each provider. */
export type ResponseKey = { provider: string; id: string };

/** Notes that a run is about to cancel a response, so that no other worker cancels it too. */
export async function markClosed(db: Db, { provider, id }: ResponseKey): Promise<void> {
  const statement = sql`
    update background_responses set closed_at = coalesce(closed_at, now())
    where provider = ${provider} and id = ${id}`;
  await write(db, statement);
}

/**
 * Records the usage of a response that no round has used, once, as of now (R41). Returns false if its usage is
 * already counted.
 */
export async function settleResponse(db: Db, { provider, id }: ResponseKey, usage: Usage | null): Promise<boolean> {
  const statement = sql`
    with settled as (
      update background_responses set state = 'settled'
      where provider = ${provider} and id = ${id} and state = 'open'
      returning project, model, key_id, (select agent from turns where turns.id = turn_id) as agent
    ),
    counted as (
      select settled.*, used from settled, json_to_record(${{ used: usedBy(usage, 0) }}::json) as given (used numeric[])
      where ${usage !== null}::boolean
    ),
    recorded as (${recordSummaries(sql`counted`)}
    )
    select from settled`;
  return (await write(db, statement)).length > 0;
}

/** Removes the row of a response that its provider has deleted, or that is given up. */
export async function removeResponse(db: Db, { provider, id }: ResponseKey): Promise<void> {
  await write(db, sql`delete from background_responses where provider = ${provider} and id = ${id}`);
}
