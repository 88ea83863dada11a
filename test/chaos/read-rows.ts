import { readFile } from 'node:fs/promises';
import type postgres from 'postgres';
import type { AgentTurn, CallRow, DeliveryRow, History, Rows, StepStart, TalkTurn, TurnRow } from './history.ts';
import type { Part } from './open-harness.ts';
import { AGENTS, FORKS, LOAD, TALK } from './projects.ts';

/** Reads the rows at the end of a run: the rows of the load, and the turns of the flood that have not ended. */
export async function readRows(sql: postgres.Sql): Promise<Rows> {
  const ofLoad = sql`turn_id in (select id from turns where project = ${LOAD.name})`;
  const [turns, rounds, calls, events, deliveries, answers, strayWork] = await Promise.all([
    sql<
      TurnRow[]
    >`select id, (metadata ->> 'plan')::double precision as plan, status, step, lease_owner as "leaseOwner", output,
      error ->> 'code' as "errorCode", last_event as "lastEvent", ${ms(sql, 'created_at')} as "createdAt", ${ms(sql, 'started_at')} as "startedAt",
      ${ms(sql, 'completed_at')} as "completedAt", due_at is not null as "hasWork" from turn_states
      where project = ${LOAD.name} or completed_at is null order by id`,
    sql<
      Rows['rounds']
    >`select turn_id as "turnId", number, model, attempts from rounds where ${ofLoad} order by turn_id, number`,
    sql<CallRow[]>`select turn_id as "turnId", round, index, id, name, effect, arguments::json ->> 'mark' as mark,
      case when result ->> 'status' = 'error' then result -> 'error' ->> 'category' else result ->> 'status' end as outcome
      from tool_calls where ${ofLoad} order by turn_id, round, index`,
    sql<Rows['events']>`select turn_id as "turnId", number, type,
      coalesce(round, (data ->> 'round')::int) as round, ${ms(sql, 'created_at')} as at
      from events where ${ofLoad} order by turn_id, number`,
    sql<DeliveryRow[]>`select deliveries.id, deliveries.turn_id as "turnId", events.id as "eventId", status, attempts,
      last_status_code as "lastStatusCode"
      from deliveries join events on events.turn_id = deliveries.turn_id and number = event_number`,
    sql<Rows['answers']>`select id as "turnId", item ->> 'call_id' as "callId"
      from turns, json_array_elements(input) as item where item ->> 'type' = 'function_call_output'`,
    sql<Rows['strayWork']>`select id as "turnId" from work
      where not exists (select from turns where turns.id = work.id and completed_at is null)`,
  ]);
  return { turns, rounds, calls, events, deliveries, answers, strayWork };
}

/** Reads the turns of the talk, with all their messages in order. */
export function readTalk(sql: postgres.Sql): Promise<TalkTurn[]> {
  return sql<TalkTurn[]>`select id, status, inputs,
      coalesce((select max(inputs_sent) from rounds where turn_id = turns.id), 0) as sent,
      to_json(array[input::text] || array(select content::text from inputs where turn_id = turns.id order by number)) as said
    from turn_states as turns where project = ${TALK.name} order by id`;
}

/** Reads the ids of all existing turns of the families, including hidden turns. */
export async function readForks(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from turns where project = ${FORKS.name} order by id`;
  return rows.map(({ id }) => id);
}

/** Reads the turns of the agent, and all its versions in order. */
export async function readAgents(sql: postgres.Sql): Promise<Pick<History['agents'], 'turns' | 'versions'>> {
  const [turns, versions] = await Promise.all([
    sql<AgentTurn[]>`select id, status, (config -> 'agent' ->> 'version')::int as version,
      config ->> 'instructions' as instructions from turn_states where project = ${AGENTS.name} order by id`,
    sql<History['agents']['versions']>`select agent_versions.version, config ->> 'instructions' as instructions
      from agent_versions join agents on agents.id = agent_id where project = ${AGENTS.name} order by 1`,
  ]);
  return { turns, versions };
}

function ms(sql: postgres.Sql, column: string) {
  return sql`(extract(epoch from ${sql(column)}) * 1000)::double precision`;
}

type Line = { time?: number; event?: string; turn_id?: string; shiftMs?: number };

/** Reads from all workers' logs which worker began a step of which turn, and when. */
export async function readStarts(workers: Part[]): Promise<StepStart[]> {
  const files = workers.flatMap(({ name, logFiles }) => logFiles().map((file) => ({ name, file })));
  const starts = await Promise.all(
    files.map(async ({ name, file }) =>
      startsIn(await readFile(file, 'utf8')).map((start) => ({ ...start, worker: name })),
    ),
  );
  return starts.flat().sort((one, other) => one.at - other.at);
}

/** Returns the starts in a log. Times that were logged with a shifted clock are corrected. */
function startsIn(log: string): Omit<StepStart, 'worker'>[] {
  let shiftMs = 0;
  return log.split('\n').flatMap((text) => {
    const line = parse(text);
    if (line?.shiftMs !== undefined) shiftMs = line.shiftMs;
    if (!line?.turn_id || !line.time || !STARTS.has(line.event)) return [];
    return [{ at: line.time - shiftMs, turnId: line.turn_id }];
  });
}

const STARTS = new Set<string | undefined>(['round.started', 'tool_calls.started']);

/** Parses a line. A killed process may have left half a line. */
function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
