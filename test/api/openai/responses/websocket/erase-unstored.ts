import { sql } from 'kysely';
import { expect } from 'vitest';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import type { Socket } from './open-socket.ts';

/** Lets the minute pass after which no row of a response without store is left. The connection keeps the last one. */
export async function eraseUnstored({ db, worker, advance }: Harness, socket: Socket): Promise<void> {
  // The answer comes after the connection has kept all responses that have ended.
  await socket.ask({ input: 'Hi', generate: false, stream_id: 'another' });
  await sql`update turns set completed_at = completed_at - interval '1 minute' where not stored`.execute(db);
  await advance(60_000);
  await eraseAllHidden(worker);
  expect(await db.selectFrom('turns').select('id').where('stored', '=', false).execute()).toEqual([]);
}
