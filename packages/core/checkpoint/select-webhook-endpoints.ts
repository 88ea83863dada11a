import { sql } from 'kysely';
import type { Db } from './database.ts';

/** A project's webhook endpoints, without their secrets. */
export function selectWebhookEndpoints(db: Db, project: string) {
  return db
    .selectFrom('webhook_endpoints')
    .select([
      'id',
      'url',
      'description',
      'events',
      'with_turn as withTurn',
      'status',
      'disabled_reason as disabledReason',
    ])
    .select([sql<string | null>`failing_since::text`.as('failingSince'), sql<string>`created_at::text`.as('createdAt')])
    .where('project', '=', project);
}
