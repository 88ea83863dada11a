import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenConnection, openConnection, type Rows, type Statement } from '#core/postgres/connection.ts';
import { groupReads } from '#core/postgres/group-read.ts';
import { RowSet } from '#core/postgres/row-set.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

const TEXT = `select "turnId", note
  from json_to_recordset($1::text::json) as input ("turnId" text, note text, repeated int), generate_series(1, repeated)`;

let connection: OpenConnection;
let sent: Statement[];

beforeEach(async () => {
  connection = openConnection(await createTestDatabase(), () => {});
  sent = [];
});

afterEach(() => connection.close());

function openReads() {
  return groupReads((statement) => {
    sent.push(statement);
    return connection.run(statement);
  });
}

function asking(turnId: string, { note = 'a note', repeated = 1 } = {}): Statement {
  return { text: TEXT, parameters: [RowSet.of('turnId', { turnId, note, repeated })] };
}

function notesOf(rows: Rows): string[] {
  return [...rows].map(({ turnId, note }) => `${turnId}: ${note}`);
}

test('concurrent reads of many turns are one statement, and each gets its own rows', async () => {
  const read = openReads();

  const answers = await Promise.all([
    read(asking('turn_1', { note: 'one' })),
    read(asking('turn_2', { repeated: 0 })),
    read(asking('turn_3', { note: 'three', repeated: 2 })),
  ]);

  expect(answers.map(notesOf)).toEqual([['turn_1: one'], [], ['turn_3: three', 'turn_3: three']]);
  expect(sent.length).toBe(1);
});

test('two reads of the same turn are two statements', async () => {
  const read = openReads();

  const answers = await Promise.all([read(asking('turn_1', { note: 'a' })), read(asking('turn_1', { note: 'b' }))]);

  expect(answers.map(notesOf)).toEqual([['turn_1: a'], ['turn_1: b']]);
  expect(sent.length).toBe(2);
});

test('a failing read does not fail others in its group', async () => {
  const read = openReads();

  const answers = await Promise.allSettled([
    read(asking('turn_1')),
    read(asking('turn_2', { repeated: 2 ** 40 })),
    read(asking('turn_3')),
  ]);

  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(answers[1]).toMatchObject({ reason: { code: '22003' } });
});

test('a read without a turn is its own statement', async () => {
  const read = openReads();
  const one = { text: 'select 1 as one' };

  await Promise.all([read(one), read(one), read(asking('turn_1'))]);

  expect(sent.length).toBe(3);
});
