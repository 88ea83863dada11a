import { sql } from 'kysely';
import { expiresAt } from '../sql/expires-at.ts';
import { listed } from '../sql/listed.ts';
import type { Db, Trx } from '../tables.ts';
import { isOnlyEraser } from './erase-aged.ts';
import type { Erased } from './erase-threads.ts';
import { lockThreads } from './lock-threads.ts';
import { removeTurns } from './remove-turns.ts';

/** The maximum of conversations that a transaction examines, and of turns that it erases. */
const MAX_CONVERSATIONS = 20;
const MAX_TURNS = 100;

const NOTHING = { turnIds: [], conversationIds: [], goesOn: false };

/**
 * Examines a batch of conversations that may have expired, and erases expired conversations (R32). Hides them first,
 * so that no turn starts in them, and erases each with its last turn, in as many batches as needed. Sets the next
 * examination of the others. `goesOn` means that more may be due.
 */
export async function eraseExpired(db: Db): Promise<Erased & { goesOn: boolean }> {
  return db.transaction().execute(async (trx) => {
    if (!(await isOnlyEraser(trx))) return NOTHING;
    const due = await takeDue(trx);
    if (due.length === 0) return NOTHING;
    const expired = await hideExpired(trx, due);
    const turnIds = await takeTurns(trx, expired);
    const erased = await removeTurns(trx, { conversationIds: expired, turnIds, isByAge: true });
    await lookAgain(trx, due);
    return { ...erased, goesOn: true };
  });
}

async function takeDue(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from conversations where expiry_due_at <= now() order by expiry_due_at limit ${MAX_CONVERSATIONS}
    for update skip locked`.execute(trx);
  return lockThreads(
    trx,
    rows.map(({ id }) => id),
    { waits: false },
  );
}

/** Hides expired conversations. They are locked, so no turn runs, begins or is reopened in them. */
async function hideExpired(trx: Trx, due: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update conversations set hidden_at = coalesce(hidden_at, now())
    where id in (${listed(due)}) and ${expiresAt} <= now() returning id`.execute(trx);
  return rows.map(({ id }) => id);
}

async function takeTurns(trx: Trx, expired: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from turns where conversation_id in (${listed(expired)}) and stored and history_until is null
    order by id limit ${MAX_TURNS} for update`.execute(trx);
  return rows.map(({ id }) => id);
}

/**
 * Sets the next examination. An active turn ends now at the earliest. An expired conversation with turns is due at
 * once. Forks keep an expired conversation without turns.
 */
async function lookAgain(trx: Trx, due: string[]): Promise<void> {
  await sql`
    update conversations set expiry_due_at = case
        when hidden_at is null then coalesce(${expiresAt}, now() + make_interval(secs => (config ->> 'expires_in_seconds')::int))
        when exists (select from turns where conversation_id = conversations.id and stored and history_until is null) then now() end
    where id in (${listed(due)})`.execute(trx);
}
