import type postgres from 'postgres';
import { openBell } from '#core/queue/open-bell.ts';
import type { Mode } from '../contender.ts';
import type { Stores } from '../contenders/open-bullmq.ts';
import { inputOf, PLAIN_WORK } from '../work.ts';
import { filledConfig } from './filled-config.ts';

const RUNG_AT_ONCE = 50;

/** Turns that wait for a client's output: nobody need look at them. */
export async function fillWithParked(sql: postgres.Sql, turns: number): Promise<void> {
  const { config, input } = stored();
  await sql`
    with parked as (
      select 'turn_00' || lpad(to_hex(n), 24, '0') as turn, 'conv_00' || lpad(to_hex(n), 24, '0') as conversation
      from generate_series(1, ${turns}::int) as n
    ),
    conversations as (
      insert into conversations (id, project, config, metadata, turns)
      select conversation, 'default', '{}', '{}', 1 from parked
    ),
    turns as (
      insert into turns (id, project, conversation_id, position, provider, priority, config, input, metadata, status, step,
        at_head, open_calls, waiting_calls, due_at, started_at)
      select turn, 'default', conversation, 1, 'openai', 0, ${config}::json, ${input}::json, '{}', 'requires_action', 'b1',
        true, 1, 1, 'infinity', now() from parked
    ),
    rounds as (
      insert into rounds (turn_id, number, finish_reason, attempts, started_at)
      select turn, 1, 'tool_calls', 1, now() from parked
    )
    insert into tool_calls (turn_id, round, index, id, name, arguments, effect, waits_for)
    select turn, 1, 0, 'call_1', 'read_stock', '{}', 'none', 'output' from parked`;
}

/** Turns that were accepted for a provider that is asked nothing now, rows and jobs as the API leaves them. */
export async function fillWithQueued(sql: postgres.Sql, turns: number, at: Stores & { mode: Mode }): Promise<void> {
  const { config, input } = stored();
  await sql`
    with queued as (
      select 'turn_01' || lpad(to_hex(n), 24, '0') as turn, 'conv_01' || lpad(to_hex(n), 24, '0') as conversation
      from generate_series(1, ${turns}::int) as n
    ),
    conversations as (
      insert into conversations (id, project, config, metadata, turns)
      select conversation, 'default', '{}', '{}', 1 from queued
    )
    insert into turns (id, project, conversation_id, position, provider, model, priority, config, input, metadata, at_head, due_at)
    select turn, 'default', conversation, 1, 'openai', ${filledConfig.model}, 0, ${config}::json, ${input}::json, '{}', true,
      now() + interval '5 s' from queued`;
  await ringAll(turns, at);
}

async function ringAll(turns: number, { mode, databaseUrl, redisUrl }: Stores & { mode: Mode }): Promise<void> {
  const bell = await openBell({ databaseUrl, redisUrl: mode === 'redis' ? redisUrl : undefined });
  try {
    for (let from = 1; from <= turns; from += RUNG_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(RUNG_AT_ONCE, turns - from + 1) }, (_, index) => from + index);
      await bell.ring(numbers.map(ringOf));
    }
  } finally {
    await bell.close();
  }
}

function ringOf(number: number) {
  const turnId = `turn_01${number.toString(16).padStart(24, '0')}`;
  return { kind: 'turn' as const, turnId, step: 'r1', number: 0, provider: 'openai', priority: 0 };
}

function stored() {
  const input = [{ role: 'user', content: inputOf(PLAIN_WORK) }];
  return { config: JSON.stringify(filledConfig), input: JSON.stringify(input) };
}
