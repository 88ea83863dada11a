import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { lockVisibleConversation } from '#core/checkpoint/turns/lock.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { count, exists, inTransaction, newTurn } from './deletion/ended-turn.ts';

const ROUNDS = 40;

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

test('an eraser does not wait for a running fork, and the fork keeps its base turn', async () => {
  const origin = await endedTurn();
  const forking = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();

  const forked = inTransaction(harness, async (trx) => {
    const id = await fork(trx, origin);
    forking.resolve();
    await mayCommit.promise;
    return id;
  });
  await forking.promise;
  const hidden = inTransaction(harness, (trx) => hideTurn(trx, 'default', origin));
  await eraseAllHidden(harness.worker);
  mayCommit.resolve();
  await Promise.all([forked, hidden]);
  await eraseAllHidden(harness.worker);

  expect(await unfounded()).toBe(0);
  expect(await count(harness, 'turns')).toBe(2);
});

test('a fork or next turn concurrent to a delete finds its full base or is refused', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const origin = await endedTurn();
    const start = round % 2 === 0 ? fork : follow;
    const creating = () => inTransaction(harness, (trx) => start(trx, origin));
    const hiding = () => inTransaction(harness, (trx) => hideTurn(trx, 'default', origin));
    const erasing = () => eraseHidden(harness.db, 10);

    const order = round % 4 < 2 ? [creating, hiding, erasing, erasing] : [hiding, erasing, creating, erasing];
    const [one, two, three] = await Promise.all(order.map((act) => act()));
    const created = round % 4 < 2 ? one : three;
    await eraseAllHidden(harness.worker);

    expect((round % 4 < 2 ? two : one) !== null).toBe(true);
    expect(await exists(harness, origin)).toBe(created !== null);
    outcomes.add(created === null ? 'refused' : 'created');
    if (typeof created === 'string') await inTransaction(harness, (trx) => hideTurn(trx, 'default', created));
    await eraseAllHidden(harness.worker);
    expect(await unfounded()).toBe(0);
    expect(await count(harness, 'turns')).toBe(0);
  }
  expect([...outcomes].sort()).toEqual(['created', 'refused']);
});

test('of several concurrent hides of a turn, exactly one succeeds', async () => {
  const turn = await endedTurn();

  const outcomes = await Promise.all(
    [1, 2, 3, 4].map(() => inTransaction(harness, (trx) => hideTurn(trx, 'default', turn))),
  );

  expect(outcomes.filter((hidden) => hidden !== null)).toHaveLength(1);
});

test('concurrent erasers erase each turn once, along a chain of forks', async () => {
  let last = await endedTurn();
  const thread = [last];
  for (let depth = 0; depth < 6; depth += 1) {
    last = (await inTransaction(harness, (trx) => fork(trx, last)))!;
    thread.push(last);
  }
  for (const id of thread) await inTransaction(harness, (trx) => hideTurn(trx, 'default', id));

  await Promise.all([1, 2, 3, 4].map(() => eraseAllHidden(harness.worker)));
  await eraseAllHidden(harness.worker);

  expect(await count(harness, 'turns')).toBe(0);
});

/** Creates a turn in its own conversation, and cancels the turn before it began. */
async function endedTurn(): Promise<string> {
  const turn = newTurn();
  await createFirstTurn(harness.db, turn, STANDING);
  await harness.call('POST', `/v1/turns/${turn.id}/cancel`);
  return turn.id;
}

/** Creates a fork like the API: locks the conversation, and then checks that the turn still exists. */
async function fork(trx: Trx, origin: string): Promise<string | null> {
  if (!(await lockConversationOf(trx, origin))) return null;
  const { id } = await createFirstTurn(trx, newTurn(), { ...STANDING, forkedFrom: { turnId: origin, position: 1 } });
  return id;
}

async function follow(trx: Trx, origin: string): Promise<string | null> {
  const conversationId = await lockConversationOf(trx, origin);
  return conversationId ? (await createTurn(trx, { ...newTurn(), conversationId })).id : null;
}

async function lockConversationOf(trx: Trx, turnId: string): Promise<string | null> {
  const turn = await findTurn(trx, 'default', turnId);
  if (!turn || !(await lockVisibleConversation(trx, turn.conversationId))) return null;
  return (await findTurn(trx, 'default', turnId)) ? turn.conversationId : null;
}

const STANDING = { config: { model: plainConfig.model }, metadata: {}, outlivesTurns: false };

/** Counts forks of an erased turn. */
async function unfounded(): Promise<number> {
  const { rows } = await sql`select from conversations where forked_from is not null
    and not exists (select from turns where turns.id = forked_from)`.execute(harness.db);
  return rows.length;
}
