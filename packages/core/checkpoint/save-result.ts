import { sql } from 'kysely';
import type { DeliveryRing, Ring, TurnRing } from '../turn/ring.ts';
import type { ToolResult } from '../turn/tool-result.ts';
import { isActive } from './active.ts';
import { advanceBatch } from './advance-batch.ts';
import type { Db } from './database.ts';

/**
 * One call's answer, about to be committed. `fullOutput` is kept only where the model sees a cut one. `heldBy` marks a
 * negative answer (`outcome_unknown`): only the run that has the turn may give up on a call (R5, R8).
 */
export type NewResult = {
  turnId: string;
  round: number;
  index: number;
  result: ToolResult;
  fullOutput?: string | null;
  heldBy?: string;
};

/** What a save did: `written` is false for a loser; `rings` is what is owed, empty while the batch has open calls. */
export type Saved = { written: boolean; rings: Ring[] };

type Row = TurnRing & { isOwed: boolean; deliveryId: string | null };

/** Records a result the moment it is known, in one statement; the first write wins (R5). */
export async function saveResult(db: Db, { turnId, round, index, result, ...rest }: NewResult): Promise<Saved> {
  const { rows } = await sql<Row>`
    with target as materialized (
      select id, status, open_calls, waiting_calls, deadline_at from turns
      where id = ${turnId} and ${isActive} and step = ${`b${round}`}
        ${rest.heldBy ? sql`and held_by = ${rest.heldBy} and held_until > now()` : sql``}
      for no key update
    ),
    answered as (
      update tool_calls set result = ${result}::json, full_output = ${rest.fullOutput ?? null}::text from target
      where turn_id = target.id and round = ${round} and index = ${index} and result is null
      returning index, waits_for is not null as waited, true as done
    ),
    ${advanceBatch(round, 1)}`.execute(db);
  return savedOf(rows);
}

/** What the row of an advanced batch makes owed; no row means that the guard refused. */
export function savedOf([row]: Row[]): Saved {
  if (!row) return { written: false, rings: [] };
  const { isOwed, deliveryId, ...ring } = row;
  const delivery: DeliveryRing[] = deliveryId ? [{ kind: 'delivery', deliveryId, number: 0 }] : [];
  return { written: true, rings: isOwed ? [ring, ...delivery] : delivery };
}
