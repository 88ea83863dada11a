import { sql } from 'kysely';
import { keepBlobs } from '#core/checkpoint/blobs.ts';
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
import type { Annotation, GeneratedImage, HostedCall } from '#core/turn/hosted/hosted.ts';
import type { HostedType } from '#core/turn/hosted/hosted-tool.ts';
import type { Reply } from '#core/turn/reply.ts';
import { readStep } from '#core/turn/step.ts';
import { takeHosted } from '#services/worker/round/take-hosted.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { askedForState, askedResponse } from '../../../turn/responses/make-response.ts';
import type { StreamHarness } from './stream-harness.ts';

/**
 * The words of a model in a round: its reasoning, its text, which may end in a refusal, its calls and its state, and
 * the additions of the provider.
 */
export type Said = {
  reasoning?: string;
  text?: string;
  refusalFrom?: number;
  calls?: string[];
  state?: object;
  hosted?: HostedCall[];
  citations?: Annotation[];
  images?: GeneratedImage[];
};

/**
 * Creates a response that the test advances by checkpoints, as a worker would. `isLost` decides which messages get
 * lost. The response shows reasoning unless `isSilent`. `hosted` are kinds of tools that the provider runs.
 */
export async function playResponse(
  { db, pubsub, watchers }: Pick<StreamHarness, 'db' | 'pubsub' | 'watchers'>,
  { background = false, isLost = () => false, hosted = [], ...shown }: Playing = {},
) {
  const [conversationId, id] = [newId('conv'), newId('turn')];
  const standing = { project: 'default', metadata: {} };
  const config = { ...plainConfig, ...hostedTools(hosted), response: { ...requestOf(shown), background } };
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
    const blobs = takenOf(said).blobs;
    // A reader may read the round at any time, so its images are there before.
    const referred = { project: 'default', turnId: id, hashes: blobs.map(({ sha256 }) => sha256), blobs };
    await db.transaction().execute((trx) => keepBlobs(trx, referred));
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

type Shown = { handsOutState?: boolean; isSilent?: boolean; include?: string[] };
type Playing = Shown & { background?: boolean; isLost?: () => boolean; hosted?: readonly HostedType[] };

function requestOf({ handsOutState = false, isSilent = false, include = [] }: Shown) {
  const asked = handsOutState ? askedForState : askedResponse;
  return {
    ...asked,
    include: [...asked.include, ...include],
    reasoning: { effort: null, summary: isSilent ? null : 'auto' },
  };
}

function hostedTools(types: readonly HostedType[]) {
  return types.length > 0 ? { hosted_tools: types.map((type) => ({ type })) } : {};
}

const RUN = 'run_of_test';
const CALL = { arguments: '{"city":"Lisbon"}', effect: 'none' as const, waitsFor: null, expiresInSeconds: null };

function replyOf(said: Said): Reply {
  const { reasoning, text, refusalFrom, calls = [], state } = said;
  return {
    ...takenOf(said).fields,
    ...{ text: text ?? null, calls: [], usage: null, opaque: state ?? null },
    ...{ reasoning: reasoning ?? null, refusalFrom: refusalFrom ?? null },
    ...{ finishReason: calls.length > 0 ? 'tool_calls' : 'stop', finishReasonRaw: null },
  };
}

type Publishing = { publish(event: LiveEvent): void; watchers: StreamHarness['watchers'] };
type Address = { turn_id: string; round: number; attempt: number; draft: number };

/** Returns the additions of the provider, as a worker takes them from a reply. */
function takenOf({ text, hosted = [], citations = [], images = [] }: Said) {
  const hasHosted = hosted.length + citations.length + images.length > 0;
  const reply = hasHosted ? { hosted: { calls: hosted, annotations: citations, images } } : {};
  return takeHosted({ ...reply, text: text ?? null });
}

type Known = { reasoning: string; text: string; length?: number; refusalFrom?: number; hosted: HostedCall[] };

/** Streams a round as one run does. A watcher that joins later gets the whole text so far. */
function publishRound({ publish, watchers }: Publishing, address: Address) {
  const known: Known = { reasoning: '', text: '', hosted: [] };
  const reasoningFrom = (offset: number) => {
    const delta = known.reasoning.slice(offset);
    if (delta) publish({ type: 'reasoning.delta', ...address, offset, delta, ...marks() });
  };
  const textFrom = (offset: number) => {
    const delta = known.text.slice(offset);
    if (delta) publish({ type: 'output_text.delta', ...address, offset, delta, ...marks() });
  };
  const hostedFrom = (index: number) => {
    for (const [place, call] of known.hosted.entries()) {
      const type = call.status === 'in_progress' ? 'hosted_call.started' : 'hosted_call.completed';
      if (place >= index) publish({ type, ...address, hosted_call: call, hosted_index: place, ...marks() });
    }
  };
  const marks = () => ({
    ...((known.text || known.hosted.length > 0) && { reasoning_length: known.length ?? known.reasoning.length }),
    ...(known.refusalFrom !== undefined && { refusal_from: known.refusalFrom }),
  });
  publish({ type: 'round.started', ...address });
  const tracked = watchers.trackInFlight(address.turn_id, {
    catchUp: () => {
      publish({ type: 'round.started', ...address });
      reasoningFrom(0);
      textFrom(0);
      hostedFrom(0);
    },
  });
  return {
    think: (text: string) => {
      known.reasoning += text;
      reasoningFrom(known.reasoning.length - text.length);
    },
    say: (text: string) => {
      known.length ??= known.reasoning.length;
      known.text += text;
      textFrom(known.text.length - text.length);
    },
    refuse: (text: string) => {
      known.length ??= known.reasoning.length;
      known.refusalFrom ??= known.text.length;
      known.text += text;
      textFrom(known.text.length - text.length);
    },
    /** Starts or ends a call of a hosted tool. */
    host: (call: HostedCall) => {
      known.length ??= known.reasoning.length;
      known.hosted.push(call);
      hostedFrom(known.hosted.length - 1);
    },
    end: () => tracked[Symbol.dispose](),
  };
}
