import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { lockConversation } from '#core/checkpoint/turns/lock.ts';
import { listHistory, loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { newId } from '#core/id.ts';
import type { NewTurn } from '#core/turn/predict.ts';
import type { Turn } from '#core/turn/turn.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

const standing = { config: { model: plainConfig.model }, metadata: {} };

let connection: Connection;

beforeEach(async () => {
  connection = connect(await createTestDatabase());
});

afterEach(() => connection.close());

test('a fork’s history is its origin up to the fork point, then its own turns', async () => {
  const one = await begun(await first('1'));
  const two = await begun(await next(one, '2'));
  const three = await begun(await next(two, '3'));
  const branch = await begun(await fork(two, 'a'));
  const later = await begun(await next(branch, 'b'));
  const twig = await fork(later, 'x');

  expect(await saidBefore(three)).toEqual(['1', '2']);
  expect(await saidBefore(branch)).toEqual(['1', '2']);
  expect(await saidBefore(later)).toEqual(['1', '2', 'a']);
  expect(await saidBefore(twig)).toEqual(['1', '2', 'a', 'b']);
  expect(said((await loadHistory(connection.db, one.conversationId)) ?? [])).toEqual(['1', '2', '3']);
  expect([branch.position, later.position, twig.position]).toEqual([3, 4, 5]);
});

test('a caller reads the history of a fork page by page', async () => {
  const one = await begun(await first('1'));
  const two = await begun(await next(one, '2'));
  const branch = await fork(two, 'a');

  const page = await listHistory(connection.db, branch.conversationId, { limit: 2 });
  const rest = await listHistory(connection.db, branch.conversationId, { after: page.rows[1]!.id, limit: 2 });

  expect([said(page.rows), page.hasMore]).toEqual([['1', '2'], true]);
  expect([said(rest.rows), rest.hasMore]).toEqual([['a'], false]);
});

test('a history has no unstored turn, and a deleted turn stays for its dependents', async () => {
  const one = await begun(await first('1'));
  const unstored = await begun(await fork(one, 'secret', { stored: false }));
  const two = await begun(await next(one, '2'));
  await hide(one);

  expect(await saidBefore(unstored)).toEqual(['1']);
  expect(said((await loadHistory(connection.db, unstored.conversationId)) ?? [])).toEqual(['1']);
  expect(await saidBefore(two)).toEqual(['1']);
  expect(said((await listHistory(connection.db, two.conversationId, { limit: 9 })).rows)).toEqual(['2']);
});

test('a turn cancelled while queued is history only if a response was based on it', async () => {
  const one = await cancelled(await first('1'));
  const native = await cancelled(await next(one, 'native'));
  const chained = await cancelled(await next(native, 'chained', { response: { conversation: null } }));
  const named = await cancelled(await next(chained, 'named', { response: { conversation: one.conversationId } }));
  const last = await next(named, 'last');

  expect(await saidBefore(last)).toEqual(['chained']);
  expect(await saidBefore(await fork(one, 'a'))).toEqual(['1']);
});

type Own = { stored?: boolean; response?: object };

function newTurn(conversationId: string, content: string, { stored, response }: Own = {}): NewTurn {
  // The other fields of a response do not affect its history.
  const config = { ...plainConfig, ...(response && { response }) } as NewTurn['config'];
  return {
    ...{ id: newId('turn'), project: 'default', conversationId, config, metadata: {}, priority: 0 },
    ...{ input: [{ role: 'user', content }], ...(stored !== undefined && { stored }) },
  };
}

function first(content: string): Promise<Turn> {
  return createFirstTurn(connection.db, newTurn(newId('conv'), content), standing);
}

function fork({ id: turnId, position }: Turn, content: string, own: Own = {}): Promise<Turn> {
  const forked = { ...standing, forkedFrom: { turnId, position }, outlivesTurns: false };
  return createFirstTurn(connection.db, newTurn(newId('conv'), content, own), forked);
}

function next({ conversationId }: Turn, content: string, own: Own = {}): Promise<Turn> {
  return connection.db.transaction().execute(async (trx) => {
    await lockConversation(trx, conversationId);
    return createTurn(trx, newTurn(conversationId, content, own));
  });
}

async function begun(turn: Turn): Promise<Turn> {
  await beginTurn(connection.db, turn.id, 'run');
  return cancelled(turn);
}

async function cancelled(turn: Turn): Promise<Turn> {
  const { id: turnId, conversationId } = turn;
  await connection.db.transaction().execute(async (trx) => {
    await lockConversation(trx, conversationId);
    await endTurn(trx, { turnId, conversationId, status: 'cancelled' });
  });
  return turn;
}

async function hide({ id }: Turn): Promise<void> {
  await connection.db
    .updateTable('turns')
    .set({ hidden_at: new Date(msAgo(0)) })
    .where('id', '=', id)
    .execute();
}

async function saidBefore({ conversationId, position }: Turn): Promise<unknown[]> {
  return said((await loadHistory(connection.db, conversationId, { before: position })) ?? []);
}

function said(turns: Turn[]): unknown[] {
  return turns.map(({ input: [message] }) => message && 'content' in message && message.content);
}
