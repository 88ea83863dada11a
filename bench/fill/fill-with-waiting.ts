import type postgres from 'postgres';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { FIRST_STEP } from '#core/turn/step.ts';
import { filledConfig, inputOf, PLAIN_WORK } from '../work.ts';

const ENQUEUED_AT_ONCE = 50;

type Urls = Parameters<typeof openJobQueue>[0];

/** Inserts turns that wait for a client's output. None is due. */
export async function fillWithWaiting(sql: postgres.Sql, turns: number): Promise<void> {
  const { config, input } = stored();
  await sql`
    with waiting as (
      select 'turn_00' || lpad(to_hex(n), 24, '0') as turn, 'conv_00' || lpad(to_hex(n), 24, '0') as conversation
      from generate_series(1, ${turns}::int) as n
    ),
    conversations as (
      insert into conversations (id, project, config, metadata, turns)
      select conversation, 'default', '{}', '{}', 1 from waiting
    ),
    turns as (
      insert into turns (id, project, conversation_id, position, priority, config, input, metadata)
      select turn, 'default', conversation, 1, 0, ${config}::json, ${input}::json, '{}' from waiting
    ),
    work as (
      insert into work (id, project, conversation_id, position, priority, stored, provider, model, status, step, at_head,
        open_calls, waiting_calls, due_at, started_at)
      select turn, 'default', conversation, 1, 0, true, 'openai', ${filledConfig.model}, 'requires_action', 'b1', true,
        1, 1, 'infinity', now() from waiting
    ),
    rounds as (
      insert into rounds (turn_id, number, model, finish_reason, attempts, started_at)
      select turn, 1, ${filledConfig.model}, 'tool_calls', 1, now() from waiting
    )
    insert into tool_calls (turn_id, round, index, id, name, arguments, effect, waits_for)
    select turn, 1, 0, 'call_1', 'read_stock', '{}', 'none', 'output' from waiting`;
}

/** Inserts turns of a rate-limited provider, with rows and jobs as the API leaves them. */
export async function fillWithQueued(sql: postgres.Sql, turns: number, urls: Urls): Promise<void> {
  const { config, input } = stored();
  await sql`
    with queued as (
      select 'turn_01' || lpad(to_hex(n), 24, '0') as turn, 'conv_01' || lpad(to_hex(n), 24, '0') as conversation
      from generate_series(1, ${turns}::int) as n
    ),
    conversations as (
      insert into conversations (id, project, config, metadata, turns)
      select conversation, 'default', '{}', '{}', 1 from queued
    ),
    turns as (
      insert into turns (id, project, conversation_id, position, priority, config, input, metadata)
      select turn, 'default', conversation, 1, 0, ${config}::json, ${input}::json, '{}' from queued
    )
    insert into work (id, project, conversation_id, position, priority, stored, provider, model, at_head, due_at)
    select turn, 'default', conversation, 1, 0, true, 'openai', ${filledConfig.model}, true, now() + interval '5 s' from queued`;
  await enqueueAll(turns, urls);
}

async function enqueueAll(turns: number, urls: Urls): Promise<void> {
  const jobQueue = await openJobQueue(urls);
  try {
    for (let from = 1; from <= turns; from += ENQUEUED_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(ENQUEUED_AT_ONCE, turns - from + 1) }, (_, index) => from + index);
      await jobQueue.enqueue(numbers.map(wakeupOf));
    }
  } finally {
    await jobQueue.close();
  }
}

function wakeupOf(number: number) {
  const turnId = `turn_01${number.toString(16).padStart(24, '0')}`;
  return { kind: 'turn' as const, turnId, step: FIRST_STEP, generation: 0, provider: 'openai', priority: 0 };
}

function stored() {
  const input = [{ role: 'user', content: inputOf(PLAIN_WORK) }];
  return { config: JSON.stringify(filledConfig), input: JSON.stringify(input) };
}
