import { sql } from 'kysely';
import { createConversation } from '#core/checkpoint/conversations.ts';
import type { Ending } from '#core/checkpoint/turns/commits/row-of-ending.ts';
import { createTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { saveResults } from '#core/checkpoint/turns/save-results.ts';
import { saveRound } from '#core/checkpoint/turns/save-round.ts';
import { newId } from '#core/id.ts';
import { callsOf } from '#core/turn/call.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import type { Reply } from '#core/turn/reply.ts';
import { readStep } from '#core/turn/step.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { askedForState, askedResponse } from '../../../turn/responses/make-response.ts';
import type { StreamHarness } from './stream-harness.ts';

/** The words of a model in a round: its reasoning, its text, which may end in a refusal, its calls and its state. */
export type Said = { reasoning?: string; text?: string; refusalFrom?: number; calls?: string[]; state?: object };

/**
 * Creates a response that the test advances by checkpoints, as a worker would. `isLost` decides which messages get
 * lost. The response shows reasoning unless `isSilent`.
 */
export async function playResponse(
  { db, pubsub, watchers }: Pick<StreamHarness, 'db' | 'pubsub' | 'watchers'>,
  { background = false, isLost = () => false, handsOutState = false, isSilent = false }: Playing = {},
) {
  const [conversationId, id] = [newId('conv'), newId('turn')];
  const standing = { project: 'default', metadata: {} };
  const asked = { ...(handsOutState ? askedForState : askedResponse), background };
  const reasoning = { effort: null, summary: isSilent ? null : 'auto' };
  const config = { ...plainConfig, response: { ...asked, reasoning } };
  await db.transaction().execute(async (trx) => {
    await createConversation(trx, { ...standing, id: conversationId, config: {} });
    const input = [{ role: 'user' as const, content: 'Hi' }];
    await createTurn(trx, { ...standing, id, conversationId, config, priority: 0, input });
  });
  const load = async () => (await loadTurn(db, id))!;
  const wake = () => isLost() || pubsub.publishToTurn({ kind: 'wake', turnId: id });
  const roundNow = async () => readStep((await load()).work.step).round;
  const commit = async (said: Said, { draft = 0, ending }: { draft?: number; ending?: Ending['status'] } = {}) => {
    const number = await roundNow();
    const round = {
      number,
      model: plainConfig.model,
      attempts: 1,
      draft,
      startedAt: msAgo(0),
      reply: replyOf(said),
    };
    const calls = (said.calls ?? []).map((name, index) => ({ ...CALL, id: `call_${number}_${index}`, name }));
    if (ending) {
      const end = { turnId: id, conversationId, status: ending, output: said.text ?? '', lastRound: round };
      await db.transaction().execute((trx) => endTurn(trx, end));
    } else await saveRound(db, { ...round, turnId: id, calls, warnings: [], webhook: null });
    wake();
  };
  return {
    id,
    load,
    /** Begins the turn, as a run that then hands its step back. */
    start: async () => {
      await takeLease(db, await load(), RUN);
      await sql`update work set draft = 0, lease_owner = null, lease_until = null where id = ${id}`.execute(db);
      wake();
    },
    /** Ends the run of the round as lost. The next run has its own draft number. */
    beginAgain: async () => {
      await sql`update work set generation = generation + 1, lease_owner = null, lease_until = null where id = ${id}`.execute(
        db,
      );
      wake();
    },
    /** Lets the worker of the round die: its lease expires without an event. */
    loseWorker: () => sql`update work set lease_until = now() - interval '1 second' where id = ${id}`.execute(db),
    /** Takes the lease on the running round, and returns functions that stream its pieces. */
    publishRound: async () => {
      await sql`update work set draft = draft + 1, lease_owner = ${RUN}, lease_until = now() + interval '1 hour'
        where id = ${id}`.execute(db);
      const { work } = await load();
      const draft = work.draft - 1;
      const address = { turn_id: id, round: readStep(work.step).round, attempt: work.generation + 1 };
      return publishRound({ publish: (event) => publish(event), watchers }, { ...address, draft });
    },
    commit,
    complete: (said: Said, draft = 0) => commit(said, { draft, ending: 'completed' }),
    answer: async (round: number, index: number) => {
      const result = {
        status: 'success' as const,
        content: `sunny ${index}`,
        error: null,
        truncated: false,
        cached: false,
      };
      const call = callsOf(await load(), round)[index]!;
      const answer = { call, result: { ...result, duration_ms: 1, attempts: 1 }, fullOutput: null };
      await saveResults(db, { turnId: id, round, results: [answer] });
      wake();
    },
    end: async (status: 'cancelled' | 'failed') => {
      const error = { type: 'internal_error' as const, code: 'internal', message: 'No.', retryable: true };
      const ending = { turnId: id, conversationId, status, ...(status === 'failed' && { error }) };
      await db.transaction().execute((trx) => endTurn(trx, ending));
      wake();
    },
  };

  function publish(event: LiveEvent): void {
    if (!isLost()) pubsub.publishToTurn({ kind: 'event', turnId: id, event });
  }
}

type Playing = { background?: boolean; isLost?: () => boolean; handsOutState?: boolean; isSilent?: boolean };

const RUN = 'run_of_test';
const CALL = { arguments: '{"city":"Lisbon"}', effect: 'none' as const, waitsFor: null, expiresInSeconds: null };

function replyOf({ reasoning, text, refusalFrom, calls = [], state }: Said): Reply {
  return {
    ...{ text: text ?? null, calls: [], usage: null, opaque: state ?? null },
    ...{ reasoning: reasoning ?? null, refusalFrom: refusalFrom ?? null },
    ...{ finishReason: calls.length > 0 ? 'tool_calls' : 'stop', finishReasonRaw: null },
  };
}

type Publishing = { publish(event: LiveEvent): void; watchers: StreamHarness['watchers'] };
type Address = { turn_id: string; round: number; attempt: number; draft: number };

/** Streams a round as one run does. A watcher that joins later gets the whole text so far. */
function publishRound({ publish, watchers }: Publishing, address: Address) {
  const known = { reasoning: '', text: '', refusalFrom: undefined as number | undefined };
  const reasoningFrom = (offset: number) => {
    const delta = known.reasoning.slice(offset);
    if (delta) publish({ type: 'reasoning.delta', ...address, offset, delta, ...marks() });
  };
  const textFrom = (offset: number) => {
    const delta = known.text.slice(offset);
    if (delta) publish({ type: 'output_text.delta', ...address, offset, delta, ...marks() });
  };
  const marks = () => ({
    ...(known.text && { reasoning_length: known.reasoning.length }),
    ...(known.refusalFrom !== undefined && { refusal_from: known.refusalFrom }),
  });
  publish({ type: 'round.started', ...address });
  const tracked = watchers.trackInFlight(address.turn_id, {
    catchUp: () => {
      publish({ type: 'round.started', ...address });
      reasoningFrom(0);
      textFrom(0);
    },
  });
  return {
    think: (text: string) => {
      known.reasoning += text;
      reasoningFrom(known.reasoning.length - text.length);
    },
    say: (text: string) => {
      known.text += text;
      textFrom(known.text.length - text.length);
    },
    refuse: (text: string) => {
      known.refusalFrom ??= known.text.length;
      known.text += text;
      textFrom(known.text.length - text.length);
    },
    end: () => tracked[Symbol.dispose](),
  };
}
