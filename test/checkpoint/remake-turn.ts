import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Past } from './arbitrary-turn.ts';

/** Gives the step of a turn a past, as earlier attempts leave it, and loads the turn like a run. */
export async function remakeTurn(db: Db, { id }: Pick<Turn, 'id'>, past: Past): Promise<Turn> {
  await sql`update work set starts = ${past.starts}, generation = ${past.generation}, attempts = ${past.attempts},
      waited_ms = ${past.waitedMs}, failed_requests = ${past.failedRequests}, rate_limited = ${past.isRateLimited},
      retry_at = case when ${past.isRateLimited} then now() - interval '2 s' end,
      lease_owner = case when ${past.isLeased} then 'run' end,
      lease_until = case when ${past.isLeased} then now() + interval '6 s' end
    where id = ${id}`.execute(db);
  return (await loadTurn(db, id))!;
}
