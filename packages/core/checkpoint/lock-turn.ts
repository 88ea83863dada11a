import type { Trx } from './database.ts';

/** Taken first by a write that has to see what others have just written to the same turn. */
export async function lockTurn(trx: Trx, turnId: string): Promise<void> {
  await trx.selectFrom('turns').select('id').where('id', '=', turnId).forNoKeyUpdate().execute();
}
