import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { changeWebhookEndpoint, createWebhookEndpoint } from '#core/checkpoint/webhooks/endpoints.ts';
import { newId } from '#core/id.ts';
import type { Turn } from '#core/turn/turn.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { scripted } from '#test/harness/scripted.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { type SomeRound, someRequest, someRound, type TurnRequest } from './arbitrary-turn.ts';
import { commitsInForm, type Form, type LastAnswer } from './commits-in-form.ts';
import { ANSWER, CALLING } from './plain-rounds.ts';
import { remakeTurn } from './remake-turn.ts';
import { plain, type RowsOfTurn, rowsOfTurn } from './rows-of-turn.ts';
import { keepSentStatements, type SentStatement } from './sent-statements.ts';

/** `LEAN_SEED` repeats a failed run. The failure message has its seed. */
const options = {
  numRuns: Number(process.env.LEAN_RUNS ?? 30),
  ...(process.env.LEAN_SEED && { seed: Number(process.env.LEAN_SEED) }),
};

let connection: Connection;

beforeEach(async () => {
  connection = connect(await createTestDatabase());
});

afterEach(() => connection.close());

type Step = { answered: unknown } & RowsOfTurn;

const someEnd: fc.Arbitrary<LastAnswer> = fc.record({
  ...{ round: someRound, status: fc.constantFrom('completed' as const, 'incomplete' as const) },
  joins: fc.constantFrom(false, false, false, true),
  isAnswer: fc.boolean(),
});

const somePlay = fc.record({
  request: someRequest,
  rounds: fc.array(someRound, { maxLength: 3 }),
  end: someEnd,
  slot: fc.constantFrom(null, 'none', 'wanted', 'held'),
});
type SomePlay = typeof somePlay extends fc.Arbitrary<infer Play> ? Play : never;

test('the lean and the full form of a commit write the same rows, after any past', async () => {
  const sent = keepSentStatements(connection.db);

  await fc.assert(
    fc.asyncProperty(somePlay, async (somePlay) => {
      const lean = await play(somePlay, 'lean');
      const full = await play(somePlay, 'full');

      expect(lean.map(withoutDue)).toEqual(full.map(withoutDue));
      lean.forEach(({ dueInSeconds }, index) => {
        const other = full[index]!.dueInSeconds;
        expect(dueInSeconds === other || Math.abs(dueInSeconds - other) < 5).toBe(true);
      });
    }),
    options,
  );

  expect(new Set(sent.flatMap(formOf))).toEqual(
    new Set(['lean reply', 'full reply', 'lean batch', 'full batch', 'lean end', 'full end']),
  );
});

test('an endpoint enabled while a turn runs gets a delivery for each later event', async () => {
  const turn = await startTurn(plainRequest());
  await createEndpoint();

  const { saveReply, saveAnswers, end } = commitsInForm(connection.db, 'lean');
  for (let times = 0; times < 2; times += 1) await saveReply(turn, CALLING);
  const answering = await load(turn);
  for (let times = 0; times < 2; times += 1) await saveAnswers(answering, CALLING, false);
  const ending = await load(turn);
  for (let times = 0; times < 2; times += 1) await end(ending, ANSWER);

  expect(answering.work.step).toBe('b1');
  expect(await load(turn)).toMatchObject({ status: 'completed', rounds: [{}, {}] });
  expect(await deliveredEvents(turn)).toEqual(['round.completed 1', 'round.completed 2', 'turn.completed']);
});

test('an endpoint disabled while a turn runs gets no delivery, and the turn ends', async () => {
  const endpoint = await createEndpoint();
  const turn = await startTurn(plainRequest());
  await changeWebhookEndpoint(connection.db, endpoint, { status: 'disabled' });

  const { saveReply, saveAnswers, end } = commitsInForm(connection.db, 'full');
  await saveReply(turn, CALLING);
  await saveAnswers(await load(turn), CALLING, false);
  await end(await load(turn), ANSWER);

  expect(turn.work.hasEndpoints).toBe(true);
  expect(await load(turn)).toMatchObject({ status: 'completed', rounds: [{}, {}] });
  expect(await deliveredEvents(turn)).toEqual([]);
});

test('a batch with a waiting call refuses the lean form, and the full form waits', async () => {
  const sent = keepSentStatements(connection.db);
  const lean = commitsInForm(connection.db, 'lean');
  const turn = await startTurn(plainRequest());
  const waiting = { ...CALLING.calls[0]!, waitsFor: 'approval' as const, isEarly: true };
  const round = { ...CALLING, calls: [...CALLING.calls, waiting] };
  await lean.saveReply(turn, round);
  const answering = await load(turn);

  sent.length = 0;

  const { written } = await lean.saveAnswers(answering, round, false);

  expect(sent.filter(({ writes }) => writes.includes('tool_calls'))).toHaveLength(2);
  expect(written).toEqual([0]);
  expect((await load(turn)).status).toBe('requires_action');
});

test('an answer before a waiting turn needs no extra statement in the lean form', async () => {
  const sent = keepSentStatements(connection.db);
  const statementsOf = async (form: Form) => {
    const turn = await startTurn(plainRequest());
    const next = { ...plainRequest(), id: newId('turn'), conversationId: turn.conversationId };
    await connection.db.transaction().execute((trx) => createTurn(trx, next));
    sent.length = 0;
    await commitsInForm(connection.db, form).end(turn, ANSWER);
    return sent.filter(({ writes }) => writes.includes('events')).length;
  };

  expect(await statementsOf('lean')).toBe(await statementsOf('full'));
});

test('a plain turn uses the lean forms, with as many statements as the full forms', async () => {
  await using harness = await createHarness({ env: { DATABASE_URL: await createTestDatabase() } });
  const sent = keepSentStatements(harness.db);
  const input = scripted({ rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] }] });
  const play = async () => {
    sent.length = 0;
    await harness.startTurn({ input, tools: ['weather_lookup'] });
    while (await harness.workOnce());
    return { forms: sent.flatMap(formOf), statements: sent.filter(isAboutTurns).length };
  };

  const plainly = await play();
  await harness.call('POST', '/v1/webhook_endpoints', { body: { url: 'https://one.example' } });
  const heard = await play();

  expect(plainly.forms).toEqual(['lean reply', 'lean batch', 'lean end']);
  expect(heard.forms).toEqual(['full reply', 'lean batch', 'full end']);
  expect(plainly.statements).toBe(heard.statements);
});

function isAboutTurns({ writes }: SentStatement): boolean {
  return writes.some((table) => ['turns', 'work', 'rounds', 'tool_calls', 'events'].includes(table));
}

function withoutDue({ dueInSeconds: _, ...step }: Step) {
  return step;
}

/** Returns the verb and form of a statement by the tables that it writes. */
function formOf({ writes }: SentStatement): string[] {
  const form = writes.includes('deliveries') ? 'full' : 'lean';
  if (!writes.includes('events')) return [];
  if (writes.includes('work') && writes.includes('turns') && writes.includes('rounds')) return [`${form} end`];
  if (writes.includes('rounds')) return [`${form} reply`];
  return writes.includes('tool_calls') ? [`${form} batch`] : [];
}

/** Plays a turn in one form, and collects the answer and the rows of each verb. */
async function play({ request, rounds, end, slot }: SomePlay, form: Form): Promise<Step[]> {
  const { db } = connection;
  const { saveReply, saveAnswers, end: endWith } = commitsInForm(db, form);
  const turn = await startTurn(request);
  const steps: Step[] = [];
  const keep = async (answered: unknown) => {
    const rows = await rowsOfTurn(db, turn);
    steps.push({ answered: plain(answered, new Set([turn.id])), ...rows });
  };
  for (const round of rounds) {
    const asking = await prepare(turn, { past: round.beforeRound, slot });
    await keep(await saveReply(asking, round));
    await keep(await saveReply(asking, round));
    if (round.calls.some(({ waitsFor }) => waitsFor !== null)) return steps;
    const answering = await prepare(turn, { past: round.beforeBatch, slot });
    for (const isEarly of [true, false]) await keep(await saveAnswers(answering, round, isEarly));
  }
  const ending = await prepare(turn, { past: end.round.beforeRound, slot });
  if (end.joins) await sql`update work set inputs = inputs + 1 where id = ${turn.id}`.execute(db);
  await keep(await endWith(ending, end));
  await keep(await endWith(ending, end));
  return steps;
}

/** Starts a running turn without a webhook. Its usage rows have the turn's id as their key. */
async function startTurn(request: TurnRequest): Promise<Turn> {
  const id = newId('turn');
  const turn = { ...request, id, conversationId: newId('conv'), keyId: id };
  const config = { ...request.config, webhook: null };
  await createFirstTurn(connection.db, { ...turn, config }, { config: {}, metadata: {} });
  return (await beginTurn(connection.db, id, 'worker'))!;
}

type Before = { past: SomeRound['beforeRound']; slot: string | null };

async function prepare({ id }: Turn, { past, slot }: Before): Promise<Turn> {
  await sql`update work set slot = ${slot} where id = ${id}`.execute(connection.db);
  return past ? remakeTurn(connection.db, { id }, past) : (await loadTurn(connection.db, id))!;
}

const EVENTS = ['round.completed' as const, 'turn.completed' as const];

async function createEndpoint() {
  const endpoint = { id: newId('whe'), project: 'default', url: 'https://one.example', secret: 'whsec_one' };
  await createWebhookEndpoint(connection.db, { ...endpoint, description: null, events: EVENTS, withTurn: false });
  return endpoint;
}

/** Returns the type and round of each event that has a delivery. */
async function deliveredEvents({ id }: Turn): Promise<string[]> {
  const { rows } = await sql<{ event: string }>`select concat_ws(' ', type, round) as event
    from deliveries join events on events.turn_id = deliveries.turn_id and number = event_number
    where deliveries.turn_id = ${id} order by number`.execute(connection.db);
  return rows.map(({ event }) => event);
}

async function load({ id }: Turn): Promise<Turn> {
  return (await loadTurn(connection.db, id))!;
}

const input = [{ role: 'user' as const, content: 'Hi' }];

function plainRequest(): TurnRequest {
  return { project: 'default', config: plainConfig, input, priority: 0, metadata: {}, stored: true };
}
