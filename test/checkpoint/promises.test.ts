import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

type Row = Record<string, unknown>;
type Table = keyof typeof SOUND;

const NOW = new Date(msAgo(0)).toISOString();
const STARTED = { status: 'in_progress', started_at: NOW };

/** A valid row of each table: an active turn, its work, and a call. */
const SOUND = {
  turns: {
    ...{ project: 'default', conversation_id: 'conv_1', position: 1, priority: 0 },
    ...{ config: plainConfig, input: [], metadata: {} },
  },
  work: {
    ...{ project: 'default', conversation_id: 'conv_1', position: 1, priority: 0, stored: true },
    ...{ at_head: true, provider: 'openai', model: 'openai/test', due_at: NOW },
  },
  tool_calls: { round: 1, index: 0, id: 'call_1', name: 'look', arguments: '{}', effect: 'none' },
} satisfies Record<string, Row>;

/** The changes of a valid row that break a single CHECK of the table. */
const BREAKING: Record<Table, Record<string, Row[]>> = {
  turns: {
    turns_end_with_a_status: [{ status: 'in_progress', completed_at: NOW }],
    ended_turns_say_when: [{ status: 'cancelled' }, { completed_at: NOW }],
    completed_turns_have_an_output: [{ status: 'completed', completed_at: NOW }],
    failed_turns_have_an_error: [
      { status: 'failed', completed_at: NOW },
      { status: 'cancelled', completed_at: NOW, error: {} },
      { error: {} },
    ],
    incomplete_turns_have_a_reason: [
      { status: 'incomplete', completed_at: NOW },
      { status: 'cancelled', completed_at: NOW, incomplete_reason: 'max_rounds' },
      { incomplete_reason: 'max_rounds' },
    ],
    turns_without_a_position_have_a_time: [{ position: null }],
  },
  work: {
    work_is_queued_in_progress_or_waits: [{ status: 'completed', started_at: NOW }],
    queued_work_has_not_started: [{ started_at: NOW }, { status: 'in_progress' }],
    steps_are_rounds_or_batches: [{ step: 'r0' }, { step: 'b' }, { step: 'b01' }, { step: 's1' }, { step: '1' }],
    only_batches_have_open_calls: [{ step: 'r1', open_calls: 1 }],
    waiting_calls_are_open: [
      { ...STARTED, step: 'b1', open_calls: 1, waiting_calls: 2 },
      { ...STARTED, step: 'b1', open_calls: 1, waiting_calls: -1 },
    ],
    action_is_required_for_every_open_call: [
      { ...STARTED, status: 'requires_action', step: 'b1' },
      { ...STARTED, status: 'requires_action', step: 'b1', open_calls: 2, waiting_calls: 1 },
    ],
    leases_have_an_end: [{ lease_owner: 'run' }, { lease_until: NOW }],
    only_heads_have_a_slot: [
      { at_head: false, slot: 'wanted' },
      { at_head: false, slot: 'held' },
      { slot: 'elsewhere' },
    ],
    delayed_work_waits_for_its_time: [
      { position: null, at_head: true },
      { position: null, at_head: false, ...STARTED },
      { position: null, at_head: false, lease_owner: 'run', lease_until: NOW },
    ],
  },
  tool_calls: {
    calls_have_an_effect: [{ effect: 'twice' }],
    calls_wait_for_an_output_or_approval: [{ waits_for: 'luck' }],
  },
};

const TABLES = Object.keys(SOUND) as Table[];
const CASES = TABLES.flatMap((table) =>
  Object.entries(BREAKING[table]).flatMap(([name, rows]) => rows.map((row) => ({ table, name, row }))),
);

let connection: Connection;

beforeAll(async () => {
  connection = connect(await createTestDatabase());
  await sql`insert into conversations (id, project, config, metadata) values ('conv_1', 'default', '{}', '{}')`.execute(
    connection.db,
  );
});

afterAll(() => connection.close());

test.each(TABLES)('each CHECK of %s has a row that breaks it', async (table) => {
  const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
    where conrelid = ${table}::regclass and contype = 'c' order by conname`.execute(connection.db);

  expect(Object.keys(BREAKING[table]).toSorted()).toEqual(rows.map(({ name }) => name));
  await insert(table, {});
});

test.each(CASES)('CHECK $name of $table refuses $row by its name', async ({ table, name, row }) => {
  await expect(insert(table, row)).rejects.toThrow(`violates check constraint "${name}"`);
});

let inserted = 0;

async function insert(table: Table, changes: Row): Promise<void> {
  inserted += 1;
  const key = table === 'tool_calls' ? { turn_id: `turn_${inserted}` } : { id: `turn_${inserted}` };
  const row = { ...SOUND[table], ...key, ...changes };
  const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${columns}) select ${columns}
    from json_populate_record(null::${sql.table(table)}, ${row}::json)`.execute(connection.db);
}
