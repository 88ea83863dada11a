import { sql } from 'kysely';
import { newId } from '../../id.ts';
import type { Subscription } from '../../turn/request/turn.ts';
import { timing } from '../../turn/timing.ts';
import type { Wakeup } from '../../turn/wakeup.ts';
import { createDeliveries } from '../sql/deliveries.ts';
import { dueIn } from '../sql/due.ts';
import { savedEdition } from '../sql/edition.ts';
import { freshStep } from '../sql/fresh-step.ts';
import { writeFor } from '../sql/statement.ts';
import { type DueRow, dueWakeups, wakeupColumns } from '../sql/wakeup.ts';
import type { Db } from '../tables.ts';
import { columnsOfRound, insertRound, type LastRound } from './write-ending.ts';

/** An answer that breaks the output schema of its turn, about to be committed. `warnings` are all of the turn so far. */
export type UnfitAnswer = Omit<LastRound, 'calls'> & {
  turnId: string;
  warnings: string[];
  webhook: Subscription | null;
};

/**
 * Records an answer that breaks the output schema, in one statement: the repair round is due at once, without a batch in
 * between (R24). The first write wins, as in `save-round.ts` (R5, R18). Returns the wake-ups to enqueue; null when nothing was
 * written.
 */
export async function saveUnfitAnswer(
  db: Db,
  { turnId, warnings, webhook, ...round }: UnfitAnswer,
): Promise<Wakeup[] | null> {
  const { roundNumber: number, ...columns } = columnsOfRound(round);
  const [row] = await write(db, { turnId, number, warnings, webhook, ...columns, eventIds: [newId('evt')] });
  return row ? dueWakeups(row) : null;
}

const write = writeFor<DueRow>(
  sql`number int, model text, text text, reasoning text, "refusalFrom" int, violations json, "ownEdition" int,
  "finishReason" text, "finishReasonRaw" text, usage json, opaque text, requests int, attempts int, "startedAt" double precision,
  warnings json, webhook json, "eventIds" json`,
  (input) => sql`
    with ${input},
    target as materialized (
      select turns.id, number as "roundNumber", ${savedEdition} as edition, input.*
      from input join turns on turns.id = "turnId"
      where status = 'in_progress' and step = 'r' || number
      for no key update of turns
    ),
    moved as (
      update turns set step = 'r' || (number + 1), due_at = ${dueIn(timing.graceMs)}, warnings = target.warnings,
        generation = 0, edition = 0, ${freshStep}, last_event = last_event + 1
      from target where turns.id = target.id
      returning turns.id, project, stored, provider, priority, turns.step, generation, last_event, number, webhook, "eventIds"
    ),
    round as (${insertRound}),
    event as (
      insert into events (turn_id, number, id, type, round)
      select id, last_event, "eventIds" ->> 0, 'round.completed', number from moved
      returning turn_id, number, type
    ),
    delivery as (${createDeliveries(sql`moved`, sql`webhook`)})
    select ${wakeupColumns}, true as "isDue", (select json_agg(id) from delivery where turn_id = turns.id) as "deliveryIds"
    from moved as turns`,
);
