import { sql } from 'kysely';
import type { TurnConfig } from '../../../turn/request/turn.ts';
import { isVisible } from '../../sql/visible.ts';
import type { Trx } from '../../tables.ts';

/** A turn that an input may join. */
export type JoinableTurn = { id: string; config: TurnConfig; priority: number };

/**
 * The turn that an input joins: to `steer`, the one that its conversation is at, to `merge`, the last one that has not begun. Of
 * those that wait for their time, only one that waits for more to be merged. The caller has locked the conversation (R26).
 */
export async function findJoinable(
  trx: Trx,
  conversationId: string,
  policy: 'steer' | 'merge',
): Promise<JoinableTurn | undefined> {
  const steered = { isMeant: sql`(at_head or ${isDebounced})`, order: sql`at_head desc, id desc` };
  const merged = { isMeant: sql`work.status = 'queued'`, order: sql`work.position desc nulls first, id desc` };
  const { isMeant, order } = policy === 'steer' ? steered : merged;
  const { rows } = await sql<JoinableTurn>`
    select id, config, turns.priority from work join turns using (id)
    where work.conversation_id = ${conversationId} and ${isVisible} and (work.position is not null or ${isDebounced}) and ${isMeant}
    order by ${order} limit 1`.execute(trx);
  return rows[0];
}

const isDebounced = sql`(work.position is null and debounced)`;
