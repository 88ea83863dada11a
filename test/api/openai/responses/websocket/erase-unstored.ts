import { sql } from 'kysely';
import { expect } from 'vitest';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import type { Socket } from './open-socket.ts';

/**
 * Lets the minute pass that responses without store keep their rows, and erases the rows. The connection keeps its
 * latest response.
 */
export async function eraseUnstored({ db, worker, advance }: Harness, socket: Socket): Promise<void> {
  // The answer follows after the connection has kept all ended responses.
  await socket.ask({ input: 'Hi', generate: false, stream_id: 'another' });
  await sql`update turns set completed_at = completed_at - interval '1 minute' where not stored`.execute(db);
  await advance(60_000);
  await eraseAllHidden(worker);
  expect(await db.selectFrom('turns').select('id').where('stored', '=', false).execute()).toEqual([]);
}
