import type postgres from 'postgres';
import { pawl } from '../contenders/pawl.ts';
import { type Contest, measureInTurns } from '../measure-in-turns.ts';
import type { BenchHarness } from '../open-harness.ts';
import type { Options } from '../read-options.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast } from '../report/goal.ts';
import { ratio } from '../report/summarize.ts';
import { ANSWER, filledConfig, inputOf, PLAIN_WORK, WORDS } from '../work.ts';

const GOAL = 0.9;

/** Measures whether a turn costs the same in a database with very many turns. */
export async function oldDatabase(harness: BenchHarness, options: Options) {
  const { modes, turns, concurrency, tries, rounds, finished } = options;
  process.stderr.write(`  filling a database with ${finished} finished turns\n`);
  const old = await harness.postgres.keptDatabase('bench_old', (sql) => fillWithFinished(sql, finished));
  const shared = { open: pawl, work: { rounds, thinkMs: 0 }, play: { turns, concurrency, alone: 0 } };
  const contests = modes.flatMap((mode): Contest[] => [
    { name: `pawl-${mode}, empty`, mode, ...shared },
    { name: `pawl-${mode}, old`, mode, ...shared, databaseUrl: old },
  ]);
  const results = await measureInTurns(contests, harness, tries);
  const goals = modes.map((mode) => {
    const pair: [string, string] = [`pawl-${mode}, old`, `pawl-${mode}, empty`];
    return atLeast(`on ${mode}: turns/s with ${finished} finished turns ÷ with none`, GOAL, ratio(results, pair));
  });
  return { text: figuresTable(results), goals };
}

const BATCH = 50_000;

/** Fills a database with turns that ended long ago: a round with a call, an answer, and their events. */
async function fillWithFinished(sql: postgres.Sql, turns: number): Promise<void> {
  // The rows are consistent. Checking each foreign key would take longer than all the rest.
  await sql`set session_replication_role = replica`;
  await sql`set synchronous_commit = off`;
  for (let from = 1; from <= turns; from += BATCH) {
    await fillSome(sql, { from, to: Math.min(turns, from + BATCH - 1) });
  }
  // Otherwise the workers would enter all turns into the search during the measurement.
  await sql`update search_progress set turns_until = now(), conversations_until = now()`;
  await sql`vacuum (analyze)`;
}

/** Returns an SQL expression for valid ids that are older than all later ids. */
function idOf(prefix: string, number: string): string {
  return `'${prefix}_00' || lpad(to_hex(${number}), 24, '0')`;
}

async function fillSome(sql: postgres.Sql, { from, to }: { from: number; to: number }): Promise<void> {
  const numbers = `generate_series(${from}, ${to}) as n`;
  const [config, model] = [literal(filledConfig), literalText(filledConfig.model)];
  const input = literal([{ role: 'user', content: inputOf(PLAIN_WORK) }]);
  const usage = literal({ input_tokens: 212, output_tokens: 24, total_tokens: 236 });
  const result = literal({ status: 'success', content: '{"article":"A-4711","pieces":7}', error: null });
  const [conversation, turn] = [idOf('conv', 'n'), idOf('turn', 'n')];
  await sql.unsafe(`
    insert into conversations (id, project, config, metadata, turns)
      select ${conversation}, 'default', '{}', '{}', 1 from ${numbers};
    insert into turns (id, project, conversation_id, position, model, priority, config, input, metadata, status,
        step, last_event, output, created_at, started_at, completed_at)
      select ${turn}, 'default', ${conversation}, 1, ${model}, 0, ${config}, ${input}, '{}', 'completed',
        'r2', 6, ${literalText(ANSWER)}, now() - interval '30 days', now() - interval '30 days', now() - interval '30 days'
      from ${numbers};
    insert into rounds (turn_id, number, model, text, finish_reason, usage, attempts, started_at)
      select ${turn}, number, ${model}, ${literalText(WORDS)}, 'stop', ${usage}, 1, now()
      from ${numbers}, generate_series(1, 2) as number;
    insert into tool_calls (turn_id, round, index, id, name, arguments, effect, result)
      select ${turn}, 1, 0, 'call_1', 'read_stock', '{"article":"A-4711"}', 'none', ${result} from ${numbers};
    insert into events (turn_id, number, id, type, round, call_index)
      select ${turn}, number, ${idOf('evt', 'n * 8::bigint + number')}, type, round, call_index from ${numbers}, (values
        (1, 'turn.queued', null::int, null::int), (2, 'turn.started', null, null), (3, 'round.completed', 1, null),
        (4, 'tool_call.completed', 1, 0), (5, 'round.completed', 2, null), (6, 'turn.completed', null, null)
      ) as event (number, type, round, call_index);`);
}

function literal(value: unknown): string {
  return `${literalText(JSON.stringify(value))}::json`;
}

function literalText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
