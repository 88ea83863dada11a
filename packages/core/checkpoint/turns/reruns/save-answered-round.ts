import { sql } from 'kysely';
import { newId } from '../../../id.ts';
import { timing } from '../../../turn/timing.ts';
import { createDeliveries } from '../../sql/deliveries.ts';
import { dueIn } from '../../sql/due.ts';
import { savedEdition } from '../../sql/edition.ts';
import { freshStep } from '../../sql/fresh-step.ts';
import { dueWithPlace, hasPlace } from '../../sql/place.ts';
import { insertRound } from '../../sql/rounds/insert-round.ts';
import { insertCalls } from '../../sql/rounds/new-calls.ts';
import { recordRounds, usedColumn } from '../../sql/rounds/record-rounds.ts';
import { standsOn, standsOnColumn } from '../../sql/rounds/stands-on.ts';
import { writeFor } from '../../sql/statement.ts';
import { delivers, wakeupColumns } from '../../sql/wakeup.ts';
import type { Db } from '../../tables.ts';
import { dueAtExpiry, type NewRound, rowOfRound, type Saved, type SavedRow, savedBy } from '../save-round.ts';

/**
 * Records a reply together with the results of calls that are known already, in one statement: no worker ever finds such a call
 * open (R38). Its batch has the other calls; where there are none, the next round is due. It has the guards of `saveRound`.
 * Null when nothing was written.
 */
export async function saveAnsweredRound(db: Db, round: NewRound): Promise<Saved | null> {
  const [row] = await write(db, rowOf(round));
  return row ? savedBy(row) : null;
}

function rowOf(round: NewRound) {
  const { waits, ...row } = rowOfRound(round);
  const answered = round.calls.flatMap(({ result }, index) => (result ? [index] : []));
  const isWaiting = waits && row.openCalls > 0;
  const eventIds = Array.from({ length: 1 + answered.length + (isWaiting ? 1 : 0) }, () => newId('evt'));
  return { ...row, waits: isWaiting, isComplete: row.openCalls === 0, answered, eventIds };
}

const write = writeFor<SavedRow>(
  sql`number int, model text, text text, reasoning text, "refusalFrom" int, "serviceTier" text, violations json, "ownEdition" int, "finishReason" text,
  "finishReasonRaw" text, usage json, ${usedColumn}, opaque text, requests int, attempts int, sent int, "startedAt" double precision, warnings json,
  calls json, "openCalls" int, "waitingCalls" int, waits boolean, "isComplete" boolean, "expiresIn" double precision, waiting json,
  answered json, webhook json, "eventIds" json, ${standsOnColumn}`,
  (input) => sql`
    with ${input},
    target as materialized (
      select turns.id, project, key_id, number as "roundNumber", ${savedEdition} as edition, input.*
      from input join turns on turns.id = "turnId"
      where status = 'in_progress' and step = 'r' || number and turns.model = input.model
        and ${standsOn(sql`input.number`)}
      for no key update of turns
    ),
    moved as (
      update turns set step = case when "isComplete" then 'r' || (number + 1) else 'b' || number end,
        open_calls = "openCalls", waiting_calls = "waitingCalls",
        status = case when waits then 'requires_action' else 'in_progress' end,
        due_at = case when waits then ${dueAtExpiry} else ${dueWithPlace(dueIn(timing.graceMs))} end,
        place = case when turns.place is null or turns.place = 'held' and not waits then turns.place when waits then 'none' else 'wanted' end,
        warnings = target.warnings, generation = 0, edition = case when "isComplete" then 0 else target.edition end, ${freshStep},
        last_event = last_event + json_array_length("eventIds")
      from target where turns.id = target.id
      returning turns.id, turns.project, stored, provider, priority, turns.step, generation, last_event, turns.place, inputs, number, webhook,
        waits, waiting, answered, "eventIds"
    ),
    round as (${insertRound}),
    recorded as (${recordRounds(sql`target`)}
    ),
    calls as (${insertCalls(sql`target`, sql`number`)}),
    happened as (
      select id, 1 as place, 'round.completed' as type, null::int as call_index, null::json as data from moved
      union all
      select id, 1 + call.place::int, 'tool_call.completed', call.index::int, null
      from moved, json_array_elements_text(answered) with ordinality as call (index, place)
      union all
      select id, json_array_length("eventIds"), 'turn.requires_action', null, waiting from moved where waits
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index, data)
      select id, last_event - json_array_length("eventIds") + happened.place, "eventIds" ->> (happened.place - 1), type, number, call_index, data
      from moved join happened using (id)
      returning turn_id, number, type
    ),
    delivery as (${createDeliveries(sql`moved`, sql`webhook`)})
    select ${wakeupColumns}, inputs, not waits and ${hasPlace} as "isDue",
      ${delivers('turns')}
    from moved as turns`,
);
