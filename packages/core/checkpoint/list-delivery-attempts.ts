import { sql } from 'kysely';
import type { Db } from './database.ts';

/** One attempt as the log keeps it; `body` is the beginning of what the receiver answered. */
export type LoggedAttempt = {
  attempt: number;
  at: string;
  statusCode: number | null;
  body: string | null;
  error: string | null;
  durationMs: number;
};

const LAST = 20;

/** The last attempts at a delivery, the first of them first; numbers start again when it is redelivered. */
export async function listDeliveryAttempts(db: Db, deliveryId: string): Promise<LoggedAttempt[]> {
  const newestFirst = await db
    .selectFrom('delivery_attempts')
    .select(['attempt', 'status_code as statusCode', 'body', 'error', 'duration_ms as durationMs'])
    .select(sql<string>`at::text`.as('at'))
    .where('delivery_id', '=', deliveryId)
    .orderBy('delivery_attempts.at', 'desc')
    .limit(LAST)
    .execute();
  return newestFirst.reverse();
}
