import { type RawBuilder, sql } from 'kysely';
import type { Usage } from '../../../turn/reply.ts';

/**
 * The column for the usage of a reply. The figures are in one array, since PostgreSQL parses JSON again for each
 * figure.
 */
export const usedColumn = sql`used numeric[]`;

/** Returns the figures of a reply that asks for `calls` calls, for `usedColumn`. Without usage, the cost is unknown. */
export function usedBy(usage: Usage | null, calls: number): number[] {
  const {
    input_tokens = 0,
    output_tokens = 0,
    total_tokens = 0,
    cached_input_tokens = 0,
    cache_write_tokens = 0,
    reasoning_tokens = 0,
  } = usage ?? {};
  const cost = usage?.cost_usd ?? null;
  return [
    ...[calls, input_tokens, output_tokens, total_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens],
    ...(cost === null ? [0, 1] : [cost, 0]),
  ];
}

const REPLY_COLUMNS = sql`project, model, key_id, agent, rounds, tool_calls, input_tokens, output_tokens, total_tokens,
        cached_input_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced`;

const FIGURES = sql`used[1], used[2], used[3], used[4], used[5], used[6], used[7], used[8], used[9]`;

/**
 * Records the usage of replies in the statement that saves them, so exactly once (R33). `from` has the columns
 * `project`, `key_id`, `agent`, `model` and `used`.
 */
export function recordRounds(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      insert into usage_records (${REPLY_COLUMNS})
      select project, model, key_id, agent, 1, ${FIGURES} from ${from}`;
}

/**
 * Records the usage of summaries, which are not rounds. If no model was asked, `model` is null and no usage is
 * recorded.
 */
export function recordSummaries(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      insert into usage_records (${REPLY_COLUMNS})
      select project, model, key_id, agent, 0, ${FIGURES} from ${from} where model is not null`;
}

/** Records requested turns. `from` has the columns `project`, `keyId`, `agent` and `model`. */
export function recordTurns(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      insert into usage_records (project, model, key_id, agent, turns) select project, model, "keyId", agent, 1 from ${from}`;
}
