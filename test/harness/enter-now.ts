import { sql } from 'kysely';
import { enterAll } from '#services/worker/routines/enter-all.ts';
import type { Harness } from './create-harness.ts';

/** Enters all turns and conversations into the search index. Everything in them happened a minute ago. */
export async function enterNow({ db, worker }: Pick<Harness, 'db' | 'worker'>): Promise<void> {
  const minute = sql`interval '1 minute'`;
  await sql`update turns set created_at = created_at - ${minute}, completed_at = completed_at - ${minute}`.execute(db);
  await sql`update conversations set created_at = created_at - ${minute}`.execute(db);
  await sql`update search_progress set turns_until = '-infinity', active_until = '', conversations_until = '-infinity'`.execute(
    db,
  );
  await enterAll(worker);
}
