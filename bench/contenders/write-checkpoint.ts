import type postgres from 'postgres';
import { newId } from '#core/id.ts';
import { nameStep } from '#core/turn/step.ts';
import { errorResult } from '#core/turn/tool-result.ts';
import { filledConfig } from '../fill/filled-config.ts';
import { ANSWER, CALLS, inputOf, turnRequestOf, WORDS, type Work } from '../work.ts';

type Sql = postgres.Sql | postgres.TransactionSql;

/** The rows of a new turn in a conversation of its own. */
export async function writeTurn(sql: Sql, id: string, work: Work): Promise<void> {
  const input = [{ role: 'user', content: inputOf(work) }];
  const { model, tools: names } = turnRequestOf(work);
  const conversationId = newId('conv');
  await sql`
    with conversation as (
      insert into conversations (id, project, config, metadata, turns)
      values (${conversationId}, 'default', ${sql.json({ model, tools: names })}, '{}', 1)
    ),
    turn as (
      insert into turns (id, project, conversation_id, position, priority, config, input, metadata)
      values (${id}, 'default', ${conversationId}, 1, 0, ${sql.json(filledConfig)}, ${sql.json(input)}, '{}')
    ),
    work as (
      insert into work (id, project, conversation_id, position, priority, stored, provider, model, at_head, due_at)
      values (${id}, 'default', ${conversationId}, 1, 0, true, 'openai', ${model}, true, now() + interval '5 s')
    )
    insert into events (turn_id, number, id, type) values (${id}, 1, ${newId('evt')}, 'turn.queued')`;
}

/** The lease on a turn, and its start. */
export async function writeStart(sql: Sql, turnId: string): Promise<void> {
  await sql`
    with work as (
      update work set status = 'in_progress', started_at = now(), lease_owner = ${newId('evt')},
        lease_until = now() + interval '6 s', due_at = now() + interval '6 s', last_event = 2 where id = ${turnId}
    )
    insert into events (turn_id, number, id, type) values (${turnId}, 2, ${newId('evt')}, 'turn.started')`;
}

/** A reply with its calls. */
export async function writeRound(sql: Sql, turnId: string, round: number): Promise<void> {
  const calls = CALLS.map(({ name, arguments: args }, index) => ({
    id: `call_${round}_${index}`,
    name,
    arguments: JSON.stringify(args),
  }));
  await sql`
    with work as (
      update work set step = ${nameStep('batch', round)}, open_calls = ${calls.length}, lease_owner = null, lease_until = null,
        due_at = now() + interval '5 s', last_event = last_event + 1 where id = ${turnId} returning last_event
    ),
    round as (
      insert into rounds (turn_id, number, model, text, finish_reason, finish_reason_raw, usage, attempts, started_at)
      values (${turnId}, ${round}, ${filledConfig.model}, ${WORDS}, 'tool_calls', 'tool_calls', ${sql.json(usage)}, 1, now())
    ),
    calls as (
      insert into tool_calls (turn_id, round, index, id, name, arguments, effect)
      select ${turnId}, ${round}, position - 1, call ->> 'id', call ->> 'name', call ->> 'arguments', 'none'
      from jsonb_array_elements(${sql.json(calls)}) with ordinality as requested (call, position)
    )
    insert into events (turn_id, number, id, type, round)
    select ${turnId}, last_event, ${newId('evt')}, 'round.completed', ${round}::int from work`;
}

/** The answer to one call. */
export async function writeResult(
  sql: Sql,
  { turnId, round, index }: { turnId: string; round: number; index: number },
): Promise<void> {
  await sql`
    with call as (
      update tool_calls set result = ${sql.json(result)}
      where turn_id = ${turnId} and round = ${round} and index = ${index}
    ),
    work as (
      update work set open_calls = open_calls - 1, last_event = last_event + 1, due_at = now() + interval '5 s',
        step = case when open_calls = 1 then ${nameStep('round', round + 1)} else step end where id = ${turnId} returning last_event
    )
    insert into events (turn_id, number, id, type, round, call_index)
    select ${turnId}, last_event, ${newId('evt')}, 'tool_call.completed', ${round}::int, ${index}::int from work`;
}

/** The last reply and the end of the turn. */
export async function writeEnd(sql: Sql, turnId: string, rounds: number): Promise<void> {
  await sql`
    with work as (
      delete from work where id = ${turnId} returning *
    ),
    turn as (
      update turns set status = 'completed', output = ${ANSWER}, completed_at = now(), last_event = work.last_event + 2,
        step = work.step, generation = work.generation, edition = work.edition, model = work.model,
        started_at = work.started_at, inputs = work.inputs, begun_with = work.begun_with,
        compacted_before = work.compacted_before, warnings = work.warnings, failed_requests = work.failed_requests
      from work where turns.id = work.id returning turns.last_event
    ),
    round as (
      insert into rounds (turn_id, number, model, finish_reason, finish_reason_raw, usage, attempts, started_at)
      values (${turnId}, ${rounds}, ${filledConfig.model}, 'stop', 'stop', ${sql.json(usage)}, 1, now())
    )
    insert into events (turn_id, number, id, type, round)
    select ${turnId}, last_event - 1, ${newId('evt')}, 'round.completed', ${rounds}::int from turn
    union all select ${turnId}, last_event, ${newId('evt')}, 'turn.completed', null from turn`;
}

const usage = { input_tokens: 212, output_tokens: 24, total_tokens: 236, cached_input_tokens: 0, reasoning_tokens: 0 };
const content = JSON.stringify({ article: 'A-4711', price: 12.5, currency: 'EUR' });
const { status: _, error: __, ...spent } = errorResult({ category: 'unknown', message: '', details: {} });
const result = { ...spent, status: 'success', error: null, content };
