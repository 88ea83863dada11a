import { sql } from 'kysely';
import type { TurnConfig } from '../../../turn/request/turn.ts';
import { isVisible } from '../../sql/visible.ts';
import type { Trx } from '../../tables.ts';

export type JoinableTurn = { id: string; config: TurnConfig; priority: number };

/**
 * Finds the turn that an input joins. For `steer`, this is the turn at the head of the conversation. For `merge`, it
 * is the last turn that has not begun. Of the delayed turns, only a debounced turn counts. The caller has locked the
 * conversation (R26).
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
