import { sql } from 'kysely';
import type { Trx } from '#core/checkpoint/tables.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { newId } from '#core/id.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { scripted } from '#test/harness/scripted.ts';

/** Starts a turn in its own conversation and runs the turn. */
export async function endedTurn(
  harness: Harness,
  request: Record<string, unknown> = { input: 'Hi' },
): Promise<TurnResource> {
  const turn = await harness.startTurn(request);
  await harness.workUntilIdle();
  return turn;
}

/** Returns a request for a turn that fails, and that a retry completes. */
export function failing() {
  return { input: scripted({ answer: 'Hi', final: { fault: { kind: 'status', status: 401, times: 1 } } }) };
}

/** Returns a turn as `checkpoint/` stores it, in its own conversation. */
export function newTurn() {
  const input = [{ role: 'user' as const, content: 'Hi' }];
  const ids = { id: newId('turn'), conversationId: newId('conv') };
  return {
    ...ids,
    project: 'default',
    config: { ...plainConfig, model: 'openai/test' },
    input,
    priority: 0,
    metadata: {},
  };
}

/** Starts the next turn of a conversation. */
export function say(harness: Harness, { conversation_id: id }: { conversation_id: string }) {
  return harness.call<TurnResource>('POST', `/v1/conversations/${id}/turns`, { body: { input: 'Next.' } });
}

export function inTransaction<T>({ db }: Harness, act: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(act);
}

/** Returns the ids of the turns in a turn's history. */
export async function historyOf({ db }: Harness, id: string): Promise<string[]> {
  const turn = (await loadTurn(db, id))!;
  return ((await loadHistory(db, turn.conversationId, { before: turn.position })) ?? []).map((earlier) => earlier.id);
}

export async function exists({ db }: Harness, id: string): Promise<boolean> {
  return (await loadTurn(db, id)) !== undefined;
}

/** Lets a month pass for all turns and conversations. */
export async function age({ db }: Harness): Promise<void> {
  const earlier = sql`interval '30 days'`;
  await sql`update turns set created_at = created_at - ${earlier}, completed_at = completed_at - ${earlier}`.execute(
    db,
  );
  await sql`update conversations set created_at = created_at - ${earlier}, expiry_due_at = expiry_due_at - ${earlier}`.execute(
    db,
  );
}

type Table = 'turns' | 'conversations' | 'deliveries' | 'delivery_attempts' | 'compactions';

export async function count({ db }: Harness, table: Table): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(db);
  return rows[0]!.count;
}
