import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';
import { firstIdAt } from '#core/id.ts';
import type { TerminalStatus, TurnError } from '#core/turn/turn.ts';
import { plainConfig } from './plain-config.ts';

/** Past turns that ended alike: their number, the creation of the first, and their distance. Times are in ms. */
export type PastTurns = {
  from: number;
  count: number;
  everyMs: number;
  status: TerminalStatus;
  project?: string;
  error?: Partial<TurnError>;
  durationMs?: (index: number) => number;
};

/**
 * Inserts turns as if a worker had run them: begun 100 ms after their creation, done after 1.1 s to 2 s. Each has one
 * round of 100 tokens in and 10 out.
 */
export async function insertPastTurns(db: Db, past: PastTurns): Promise<void> {
  const { from, count, everyMs, project = 'default' } = past;
  const conversationId = `conv_${project}_${from}`;
  const rows = Array.from({ length: count }, (_, index) => {
    const at = from + index * everyMs;
    const id = firstIdAt('turn', at).slice(0, -10) + String(index).padStart(10, '0');
    return { ...columnsOf(past, { index, at }), id, project, conversation_id: conversationId, position: index + 1 };
  });
  await sql`insert into conversations (id, project, config, metadata) values (${conversationId}, ${project}, '{}', '{}')`.execute(
    db,
  );
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)));
  await sql`insert into turns (${columns}) select ${columns}
    from json_populate_recordset(null::turns, ${rows}::json)`.execute(db);
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  await sql`insert into rounds (turn_id, number, model, finish_reason, usage, attempts, started_at)
    select id, 1, 'openai/test', 'stop', ${usage}::json, 1, started_at from turns
    where not exists (select from rounds where turn_id = turns.id)`.execute(db);
}

const BUSY = { type: 'provider_error', code: 'provider_overloaded', retryable: true };

function columnsOf(past: PastTurns, { index, at }: { index: number; at: number }) {
  const { status, error, durationMs = (n) => 1_100 + (n % 10) * 100 } = past;
  const time = (ms: number) => new Date(at + ms).toISOString();
  return {
    ...{ config: plainConfig, input: [{ role: 'user', content: `Turn ${index}.` }], metadata: {}, priority: 0 },
    ...{ status, model: 'openai/test', step: 'r1', generation: 0, draft: 0, warnings: [] },
    output: status === 'failed' ? null : 'Hi.',
    error: status === 'failed' ? { ...BUSY, message: `It is busy, ${index}.`, ...error } : null,
    incomplete_reason: status === 'incomplete' ? 'max_output_tokens' : null,
    ...{ created_at: time(0), started_at: time(100), completed_at: time(durationMs(index)) },
  };
}
