import { sql } from 'kysely';
import { newId } from '../../../id.ts';
import type { JoinedInput } from '../../../turn/turn.ts';
import { enterTurn } from '../../search/enter-turns.ts';
import type { Trx } from '../../tables.ts';

/**
 * Adds an input to an active turn, with its event, in one statement. Returns false if the turn has ended. No step
 * becomes due, since the due step sends the input too, or the end of the turn is refused (R26, R30). So step,
 * generation, lease, `due_at` and status do not change. The statement numbers the input under the lock of the row of
 * `work`. The caller has locked the conversation. With `isQueued`, the turn may not have begun either. Searches find
 * the turn by its joined inputs.
 */
export async function joinTurn(
  trx: Trx,
  turnId: string,
  { content, metadata }: JoinedInput,
  { isQueued = false }: { isQueued?: boolean } = {},
): Promise<boolean> {
  const { rows } = await sql`
    with joined as (
      update work set inputs = inputs + 1, last_event = last_event + 1
      where id = ${turnId} ${isQueued ? sql`and status = 'queued'` : sql``}
      returning id, inputs, last_event
    ),
    input as (
      insert into inputs (turn_id, number, content, metadata)
      select id, inputs, ${content}::json, ${metadata}::json from joined
    )
    insert into events (turn_id, number, id, type, data)
    select id, last_event, ${newId('evt')}, 'input.added', json_build_object('number', inputs) from joined
    returning turn_id`.execute(trx);
  if (rows.length === 0) return false;
  await enterTurn(trx, turnId);
  return true;
}
