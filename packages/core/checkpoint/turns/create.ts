import { type RawBuilder, sql } from 'kysely';
import { newId } from '../../id.ts';
import { type NewTurn, predictQueuedTurn, type QueuedTurn } from '../../turn/predict.ts';
import type { StandingConfig } from '../../turn/request/turn.ts';
import { timing } from '../../turn/timing.ts';
import type { Turn } from '../../turn/turn.ts';
import { inMs } from '../sql/due.ts';
import { rawJson, writeFor } from '../sql/statement.ts';
import type { Db, Trx } from '../tables.ts';

/**
 * A new conversation: the configuration that its turns inherit, and its metadata. A fork's history begins with that of
 * another conversation, up to the turn `forkedFrom` (contract-responses R24). One that does not outlive its turns goes with the
 * last of them; that of a turn that is not stored is found by no caller, and looked at until both are erased.
 */
type Standing = {
  config: StandingConfig;
  metadata: Record<string, string>;
  forkedFrom?: { turnId: string; position: number };
  outlivesTurns?: boolean;
};

/** Records a turn behind the others of its conversation; the caller has locked the conversation. */
export async function createTurn(trx: Trx, turn: NewTurn): Promise<Turn> {
  return recorded(turn, await writeNext(trx, rowOf(turn)));
}

/**
 * Records a conversation together with its first turn, in one statement. The positions of a fork go on behind the
 * turn that it was forked from, whose conversation the caller has locked.
 */
export async function createFirstTurn(db: Db, turn: NewTurn, standing: Standing): Promise<Turn> {
  return recorded(turn, await writeFirst(db, { ...rowOf(turn), ...rowOfStanding(standing) }));
}

function rowOfStanding({ config, metadata, forkedFrom, outlivesTurns = true }: Standing) {
  return {
    ...{ standingConfig: rawJson(config), standingMetadata: rawJson(metadata), outlivesTurns },
    ...{ forkedFrom: forkedFrom?.turnId ?? null, turnsBefore: forkedFrom?.position ?? 0 },
  };
}

function recorded(turn: NewTurn, [queued]: QueuedTurn[]): Turn {
  if (!queued) throw new Error(`${turn.id} was not recorded although nothing stood in its way.`);
  return predictQueuedTurn(turn, queued);
}

function rowOf({ id: turnId, project, conversationId, config, input, metadata, priority, stored = true }: NewTurn) {
  const { deadline_seconds: deadlineSeconds } = config.limits;
  return {
    ...{ turnId, project, conversationId, priority, stored, deadlineSeconds, eventId: newId('evt') },
    provider: config.model.slice(0, config.model.indexOf('/')),
    model: config.model,
    ...{ config: rawJson(config), input: rawJson(input), metadata: rawJson(metadata) },
  };
}

const columns = sql`project text, "conversationId" text, priority int, "deadlineSeconds" double precision,
  "eventId" text, provider text, model text, config text, input text, metadata text, stored boolean,
  "standingConfig" text, "standingMetadata" text, "forkedFrom" text, "turnsBefore" int, "outlivesTurns" boolean`;

const deadlineAt = sql`now() + make_interval(secs => "deadlineSeconds")`;

/** `conversation` writes the conversations and returns the `id`, `position` and `at_head` of their new turns. */
function newTurns(conversation: RawBuilder<unknown>) {
  return writeFor<QueuedTurn>(
    columns,
    (input) => sql`
    with ${input},
    conversation as (${conversation}),
    turns as (
      insert into turns (id, project, conversation_id, position, provider, model, priority, config, input, metadata, at_head,
        deadline_at, due_at, last_event, stored)
      select "turnId", project, "conversationId", position, provider, model, priority, config::json, input::json, metadata::json,
        at_head, ${deadlineAt},
        case when at_head then least(${inMs(timing.graceMs)}, ${deadlineAt}) else coalesce(${deadlineAt}, 'infinity') end, 1,
        stored
      from input join conversation on conversation.id = "conversationId"
      returning id, position, at_head, created_at
    ),
    event as (
      insert into events (turn_id, number, id, type)
      select id, 1, "eventId", 'turn.queued' from turns join input on "turnId" = id
    )
    select id as "turnId", position, at_head as "atHead", created_at::text as "createdAt" from turns`,
  );
}

const writeFirst = newTurns(sql`
      insert into conversations (id, project, config, metadata, turns, forked_from, outlives_turns, hidden_at, erase_due_at)
      select "conversationId", project, "standingConfig"::json, "standingMetadata"::json, "turnsBefore" + 1, "forkedFrom",
        "outlivesTurns", case when not stored then now() end, case when not stored then ${inMs(timing.eraseEveryMs)} end
      from input
      returning id, turns as position, true as at_head`);

const writeNext = newTurns(sql`
      update conversations set turns = turns + 1 from input where id = "conversationId"
      returning id, turns as position,
        not exists (select from turns where conversation_id = conversations.id and at_head) as at_head`);
