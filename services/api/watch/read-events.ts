import type { Db } from '#core/checkpoint/database.ts';
import { listEvents } from '#core/checkpoint/list-events.ts';
import type { StoredEvent } from '#core/turn/event.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * The durable events of a turn after a number, up to the last one the loaded turn knows: what a later event points
 * at need not be in it.
 */
export async function readEvents(db: Db, turn: Turn, page: { after: number; limit: number }): Promise<StoredEvent[]> {
  if (turn.lastEvent <= page.after) return [];
  const events = await listEvents(db, turn.id, page);
  return events.filter(({ number }) => number <= turn.lastEvent);
}
