import postgres from 'postgres';
import { openPawlClient, type PawlClient } from '../contenders/pawl-client.ts';
import { startPawl } from '../contenders/start-pawl.ts';
import type { BenchHarness } from '../open-harness.ts';
import { atMost } from '../report/goal.ts';
import { printTable } from '../report/print-table.ts';
import type { Scenario } from '../scenario.ts';
import { turnRequestOf } from '../work.ts';

const ROUNDS = 100;
const TURNS = 20;
const CONVERSATIONS = 5;
const GOAL = 1.05;
const QUARTERS = [1, 2, 3, 4];

/** How many bytes a round takes, and whether a late one takes more than an early one. */
export const storage: Scenario = async (harness, { modes }) => {
  const [mode = 'postgres'] = modes;
  await harness.redis?.clear();
  const databaseUrl = await harness.postgres.freshDatabase();
  const pawl = await startPawl({ harness, databaseUrl }, { mode });
  const client = openPawlClient(pawl.url);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const conversations = await playConversations(client, sql, harness);
    const { id } = await client.post('/v1/turns', turnRequestOf({ rounds: ROUNDS, thinkMs: 0 }));
    await expectCompleted(client, id);
    const oneTurn = await bytesInTurn(sql, id);
    return { text: textOf(conversations, oneTurn), goals: goalsOf(conversations.bytes, oneTurn) };
  } finally {
    await sql.end({ timeout: 1 });
    await client.close();
    await pawl.close();
  }
};

type Conversations = { bytes: number[]; diskBytes: number; walBytes: number };

function textOf({ bytes, diskBytes, walBytes }: Conversations, oneTurn: number[]): string {
  const heads = ['bytes of rows for one round', ...QUARTERS.map((quarter) => `quarter ${quarter}`)];
  const row = (what: string, values: number[]) => [what, ...values.map((value) => value.toFixed(0))];
  const rows = [row(`conversation of ${TURNS} turns`, bytes), row(`turn of ${ROUNDS} rounds`, oneTurn)];
  return `${printTable(heads, rows)}
(a round with its two calls; a conversation's also with its share of the turn. On the disk, with indexes and rows of
 earlier states: ${diskBytes.toFixed(0)} bytes; written to the log: ${walBytes.toFixed(0)})`;
}

function goalsOf(conversation: number[], oneTurn: number[]) {
  const growth = (bytes: number[]) => (bytes.at(-1) ?? Number.NaN) / (bytes[0] ?? Number.NaN);
  return [
    atMost(`rounds of a conversation: last quarter ÷ first`, GOAL, growth(conversation)),
    atMost(`rounds of one long turn: last quarter ÷ first`, GOAL, growth(oneTurn)),
  ];
}

/** Conversations of a hundred rounds each, side by side, each turn behind the one before. */
async function playConversations(client: PawlClient, sql: postgres.Sql, harness: BenchHarness): Promise<Conversations> {
  const all = CONVERSATIONS * ROUNDS;
  const before = { disk: await bytesOnDisk(sql), wal: (await harness.postgres.readWritten()).walBytes };
  await Promise.all(Array.from({ length: CONVERSATIONS }, () => playConversation(client)));
  const walBytes = (await harness.postgres.readWritten()).walBytes - before.wal;
  const diskBytes = (await bytesOnDisk(sql)) - before.disk;
  const rows = await sql<{ bytes: number }[]>`
    with sizes as (
      select id as turn_id, pg_column_size(turns.*) as bytes from turns
      union all select turn_id, pg_column_size(rounds.*) from rounds
      union all select turn_id, pg_column_size(tool_calls.*) from tool_calls
      union all select turn_id, pg_column_size(events.*) from events
    )
    select (position - 1) / ${TURNS / QUARTERS.length}::int as quarter, sum(bytes)::float8 as bytes
    from sizes join turns on turns.id = turn_id group by quarter order by quarter`;
  const bytes = rows.map((row) => row.bytes / (all / QUARTERS.length));
  return { bytes, diskBytes: diskBytes / all, walBytes: walBytes / all };
}

async function playConversation(client: PawlClient): Promise<void> {
  const { model, tools, input } = turnRequestOf({ rounds: ROUNDS / TURNS, thinkMs: 0 });
  const { id } = await client.post('/v1/conversations', { model, tools });
  for (let number = 1; number <= TURNS; number += 1) {
    const turn = await client.post(`/v1/conversations/${id}/turns`, { input });
    await expectCompleted(client, turn.id);
  }
}

async function expectCompleted(client: PawlClient, turnId: string): Promise<void> {
  const { status } = await client.waitForEnd(turnId);
  if (status !== 'completed') throw new Error(`A turn ended as ${status}.`);
}

async function bytesInTurn(sql: postgres.Sql, turnId: string): Promise<number[]> {
  const perQuarter = ROUNDS / QUARTERS.length;
  const rows = await sql<{ bytes: number }[]>`
    with sizes as (
      select number as round, pg_column_size(rounds.*) as bytes from rounds where turn_id = ${turnId}
      union all select round, pg_column_size(tool_calls.*) from tool_calls where turn_id = ${turnId}
      union all select round, pg_column_size(events.*) from events where turn_id = ${turnId} and round < ${ROUNDS}
    )
    select (round - 1) / ${perQuarter}::int as quarter, sum(bytes)::float8 as bytes
    from sizes group by quarter order by quarter`;
  return rows.map(({ bytes }) => bytes / perQuarter);
}

async function bytesOnDisk(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`;
  return row?.bytes ?? 0;
}
