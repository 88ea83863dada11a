import { sql } from 'kysely';
import type { Trx } from '../tables.ts';

/**
 * Locks conversations together with their origins, since erasing a fork may free turns of its origin. Always locks
 * forks before their origins, so two deletes never wait for each other. Without `waits`, skips locked conversations
 * and their forks. Returns the given conversations that are locked and still exist.
 */
export async function lockThreads(
  trx: Trx,
  conversationIds: string[],
  { waits }: { waits: boolean },
): Promise<string[]> {
  if (conversationIds.length === 0) return [];
  const { rows: threads } = await sql<{ given: string; id: string; depth: number }>`
    with recursive thread (given, id, depth) as (
      select value, value, 0 from json_array_elements_text(${conversationIds}::json)
      union all
      select given, origin.conversation_id, depth + 1
      from thread join conversations on conversations.id = thread.id join turns as origin on origin.id = forked_from
    )
    select given, id, depth from thread`.execute(trx);
  const ids = threads.toSorted((one, other) => one.depth - other.depth).map(({ id }) => id);
  const { rows: locked } = await sql<{ id: string }>`
    select conversations.id from conversations
    join (select value as id, max(place) as place from json_array_elements_text(${ids}::json)
      with ordinality as named (value, place) group by value) as named on named.id = conversations.id
    order by named.place for no key update of conversations ${waits ? sql`` : sql`skip locked`}`.execute(trx);
  const isLocked = new Set(locked.map(({ id }) => id));
  const passed = new Set(threads.filter(({ id }) => !isLocked.has(id)).map(({ given }) => given));
  return conversationIds.filter((id) => !passed.has(id));
}
