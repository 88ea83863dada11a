import { sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

export const BULK_ACTIONS = ['cancel', 'retry', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** A bulk in its current state. `done` and `failed` count its settled turns. */
export type Bulk = {
  id: string;
  action: BulkAction;
  filter: Record<string, unknown>;
  matched: number;
  done: number;
  failed: number;
  errors: { turn_id: string; code: string }[];
  createdAt: string;
  completedAt: string | null;
};

export const MAX_BULK_ERRORS = 20;

/** Reads a project's bulk in one statement: its counted turns, and its settled turns that are not counted yet. */
export async function findBulk(db: Db, project: string, id: string): Promise<Bulk | undefined> {
  const query = sql<Bulk>`
    select id, action, filter, matched, done + ${settled(sql`outcome = 'done'`)} as done,
      failed + ${settled(sql`outcome <> 'done'`)} as failed,
      (select coalesce(json_agg(error), '[]') from (
        select error from (
          select 0 as rank, position, error from json_array_elements(errors) with ordinality as kept (error, position)
          union all
          select 1, row_number() over (order by turn_id desc), json_build_object('turn_id', turn_id, 'code', outcome)
          from bulk_turns where bulk_id = bulks.id and outcome is not null and outcome <> 'done'
        ) as known order by rank, position limit ${MAX_BULK_ERRORS}) as first) as errors,
      created_at::text as "createdAt", completed_at::text as "completedAt"
    from bulks where id = ${id} and project = ${project}`;
  return (await read(db, query))[0];
}

const settled = (condition: ReturnType<typeof sql>) => sql`(
        select count(*)::int from bulk_turns where bulk_id = bulks.id and outcome is not null and ${condition})`;

/**
 * Deletes bulks a week after completion, since a filter may contain a person's words. Such a bulk has no turns left.
 */
export async function deleteOldBulks(db: Db): Promise<void> {
  await write(db, sql`delete from bulks where completed_at < now() - interval '7 days'`);
}
