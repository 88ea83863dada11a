import type { NewEvent } from '../turn/event.ts';
import type { Trx } from './database.ts';

/** Appends events in order and without a gap; numbers are taken under the turn's row lock (R5). */
export async function appendEvents(trx: Trx, turnId: string, events: NewEvent[]): Promise<void> {
  const { last_event } = await trx
    .updateTable('turns')
    .set((turn) => ({ last_event: turn('last_event', '+', events.length) }))
    .where('id', '=', turnId)
    .returning('last_event')
    .executeTakeFirstOrThrow();

  await trx
    .insertInto('events')
    .values(
      events.map((event, index) => ({
        turn_id: turnId,
        number: last_event - events.length + 1 + index,
        id: event.id,
        type: event.type,
        round: event.round ?? null,
        call_index: event.callIndex ?? null,
        data: event.data ?? null,
      })),
    )
    .execute();
}
