import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { deleteItems } from '#core/checkpoint/deletion/delete-items.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { type NewCompaction, saveCompaction } from '#core/checkpoint/turns/compaction/save-compaction.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { lockConversation } from '#core/checkpoint/turns/lock.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { saveRound } from '#core/checkpoint/turns/save-round.ts';
import { newId } from '#core/id.ts';
import type { Turn } from '#core/turn/turn.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

let connection: Connection;

beforeEach(async () => {
  connection = connect(await createTestDatabase());
});

afterEach(() => connection.close());

test('a compaction is loaded with its turn, also by a worker that knows the turn', async () => {
  const known = await begun(await first());

  const saved = await save(known, { summary: 'They greeted.' });
  const [fresh, refreshed] = [await loadTurn(connection.db, known.id), await loadTurn(connection.db, known.id, known)];

  expect(saved).toMatchObject({ round: 1, summary: 'They greeted.' });
  expect(fresh?.compactions).toEqual([{ ...saved, createdAt: expect.any(String) }]);
  expect(refreshed?.compactions).toEqual(fresh?.compactions);
});

test('the first compaction before a round wins, also of two concurrent compactions', async () => {
  const turn = await begun(await first());

  const both = await Promise.all(['one', 'two'].map((summary) => save(turn, { summary })));
  const third = await save(turn, { summary: 'three' });

  expect([both.filter(Boolean).length, third]).toEqual([1, null]);
  expect((await load(turn)).compactions).toHaveLength(1);
  expect((await eventsOf(turn)).filter((type) => type === 'context.compacted')).toHaveLength(1);
});

test('a compaction resets the attempts of its round, and counts failed requests', async () => {
  const turn = await begun(await first());
  await sql`update work set attempts = 3 where id = ${turn.id}`.execute(connection.db);

  await save(turn, { failedRequests: 2 });

  const { work, failedRequests, lastEvent } = await load(turn);
  expect([work.attempts, work.step, failedRequests, lastEvent]).toEqual([0, 'r1', 2, 3]);
});

test('a compaction that replaces no round has no event', async () => {
  const turn = await begun(await first());

  await save(turn, { summary: null, isUsed: false });

  expect(await eventsOf(turn)).toEqual(['turn.queued', 'turn.started']);
  expect((await load(turn)).compactions).toMatchObject([{ summary: null }]);
});

test('a round with a reply and an ended turn are not compacted', async () => {
  const replied = await begun(await first());
  await reply(replied);
  const ended = await begun(await first());
  await end(ended);

  expect([await save(replied), await save(ended)]).toEqual([null, null]);
});

test('a run of the previous model does not compact a round of the next model', async () => {
  const turn = await begun(await first());
  await sql`update work set model = 'openai/next' where id = ${turn.id}`.execute(connection.db);

  expect([await save(turn), (await save(turn, { ownModel: 'openai/next' }))?.round]).toEqual([null, 1]);
});

test('another compaction may precede the next round of a turn', async () => {
  const turn = await begun(await first());
  await save(turn);
  await reply(turn);
  await sql`update work set step = 'r2', open_calls = 0 where id = ${turn.id}`.execute(connection.db);

  await save(turn, { round: 2, upToTurn: turn.id, upToRound: 1 });

  expect((await load(turn)).compactions.map(({ round }) => round)).toEqual([1, 2]);
});

test('a deleted turn empties exactly the summaries that cover it, also in forks', async () => {
  const one = await begun(await first());
  await end(one);
  const two = await begun(await next(one));
  await save(two, { upToTurn: one.id });
  await end(two);
  const three = await begun(await next(two));
  await save(three, { upToTurn: two.id });
  await end(three);
  const branch = await begun(await fork(two));
  await save(branch, { upToTurn: two.id });

  await connection.db.transaction().execute((trx) => hideTurn(trx, 'default', two.id));

  expect(await Promise.all([two, three, branch].map(summaryOf))).toEqual(['So.', null, null]);
  expect((await load(three)).compactions).toMatchObject([{ usage: { total_tokens: 12 } }]);
});

test('a deleted item empties the summaries that cover it, and counts in the history', async () => {
  const one = await begun(await first());
  await end(one);
  const two = await begun(await next(one));
  await save(two, { upToTurn: one.id });

  const item = `msg_${one.id.slice('turn_'.length)}_i0`;
  await connection.db.transaction().execute((trx) => deleteItems(trx, [item]));

  expect(await summaryOf(two)).toBeNull();
  expect(
    ((await loadHistory(connection.db, two.conversationId, { before: 2 })) ?? []).map(({ leftOut }) => leftOut),
  ).toEqual([1]);
});

test('a summary of a turn that was deleted during the request is not stored', async () => {
  const one = await begun(await first());
  await end(one);
  const two = await begun(await next(one));
  const other = await begun(await first());
  await connection.db.transaction().execute((trx) => hideTurn(trx, 'default', one.id));

  const late = save(two, { upToTurn: one.id, covered: [one.id] });
  const untouched = save(other, { covered: [other.id] });

  expect([(await late)?.summary, (await untouched)?.summary]).toEqual([null, 'So.']);
  expect(await Promise.all([two, other].map(summaryOf))).toEqual([null, 'So.']);
  expect(await eventsOf(two)).not.toContain('context.compacted');
  expect(await load(two)).toMatchObject({ compactions: [{ usage: { total_tokens: 12 } }] });
});

test('rows that depend on deleted turns are deleted', async () => {
  const turn = await begun(await first());
  await save(turn);

  await connection.db.deleteFrom('turns').where('id', '=', turn.id).execute();

  const left = await sql`select turn_id from compactions union all select id from work`.execute(connection.db);
  expect(left.rows).toEqual([]);
});

function newTurn(conversationId: string) {
  const input = [{ role: 'user' as const, content: 'Hi' }];
  return {
    ...{ id: newId('turn'), project: 'default', conversationId, config: plainConfig, input },
    ...{ metadata: {}, priority: 0 },
  };
}

const standing = { config: {}, metadata: {} };

function first(): Promise<Turn> {
  return createFirstTurn(connection.db, newTurn(newId('conv')), standing);
}

function fork({ id: turnId, position }: Turn): Promise<Turn> {
  const forked = { ...standing, forkedFrom: { turnId, position }, outlivesTurns: false };
  return createFirstTurn(connection.db, newTurn(newId('conv')), forked);
}

function next({ conversationId }: Turn): Promise<Turn> {
  return connection.db.transaction().execute(async (trx) => {
    await lockConversation(trx, conversationId);
    return createTurn(trx, newTurn(conversationId));
  });
}

async function begun(turn: Turn): Promise<Turn> {
  await beginTurn(connection.db, turn.id, 'run');
  return load(turn);
}

async function load({ id }: Turn): Promise<Turn> {
  return (await loadTurn(connection.db, id)) as Turn;
}

const tokens = {
  input_tokens: 10,
  output_tokens: 2,
  total_tokens: 12,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
};

type Own = Partial<NewCompaction['compaction'] & Omit<NewCompaction, 'compaction'>>;

function save({ id }: Turn, own: Own = {}) {
  const { failedRequests = 0, isUsed = true, covered = [], ownModel = plainConfig.model, ...kept } = own;
  const compaction = {
    ...{ round: 1, strategy: 'summarize' as const, upToTurn: id, upToRound: 1, summary: 'So.', leftOut: 0 },
    ...{ beforeTokens: 900, afterTokens: 90, model: 'openai/test', usage: tokens, requests: 1, ...kept },
  };
  return saveCompaction(connection.db, { turnId: id, compaction, failedRequests, isUsed, covered, ownModel });
}

async function reply({ id }: Turn): Promise<void> {
  const call = { id: 'call_1', name: 'look', arguments: '{}', waitsFor: null, expiresInSeconds: null };
  await saveRound(connection.db, {
    ...{ turnId: id, number: 1, model: plainConfig.model, attempts: 1, startedAt: msAgo(0), warnings: [] },
    reply: { text: 'So.', calls: [], finishReason: 'stop', finishReasonRaw: null, usage: null, opaque: null },
    calls: [{ ...call, effect: 'none' }],
    webhook: null,
  });
}

async function end({ id: turnId, conversationId }: Turn): Promise<void> {
  await connection.db.transaction().execute((trx) => endTurn(trx, { turnId, conversationId, status: 'cancelled' }));
}

async function summaryOf(turn: Turn): Promise<string | null | undefined> {
  return (await load(turn)).compactions[0]?.summary;
}

async function eventsOf({ id }: Turn): Promise<string[]> {
  const rows = await connection.db
    .selectFrom('events')
    .select('type')
    .where('turn_id', '=', id)
    .orderBy('number')
    .execute();
  return rows.map(({ type }) => String(type));
}
