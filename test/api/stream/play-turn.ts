import { createConversation } from '#core/checkpoint/conversations.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Ending } from '#core/checkpoint/turns/commits/row-of-ending.ts';
import { createTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { retryTurn } from '#core/checkpoint/turns/retry.ts';
import { saveResults } from '#core/checkpoint/turns/save-results.ts';
import { saveRound } from '#core/checkpoint/turns/save-round.ts';
import { newId } from '#core/id.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import { callsOf } from '#core/turn/call.ts';
import type { HostedCall } from '#core/turn/hosted/hosted.ts';
import type { Reply } from '#core/turn/reply.ts';
import { readStep } from '#core/turn/step.ts';
import { publishRound } from '#services/worker/round/publish-round.ts';
import type { Watchers } from '#services/worker/watchers.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';

type Parts = { db: Db; pubsub: Pubsub; watchers: Watchers };

const RUN = 'run_of_test';

const reply: Reply = {
  text: null,
  calls: [],
  finishReason: 'stop',
  finishReasonRaw: 'stop',
  usage: null,
  opaque: null,
};

/** Creates a turn that the test advances by checkpoints, as a worker would. Each checkpoint wakes the watchers. */
export async function playTurn({ db, pubsub, watchers }: Parts) {
  const conversationId = newId('conv');
  const id = newId('turn');
  const standing = { project: 'default', metadata: {} };
  await db.transaction().execute(async (trx) => {
    await createConversation(trx, { ...standing, id: conversationId, config: {} });
    await createTurn(trx, {
      ...standing,
      id,
      conversationId,
      config: plainConfig,
      priority: 0,
      input: [{ role: 'user', content: 'Hi' }],
    });
  });

  const hints = { arePublished: true };
  const wake = () => hints.arePublished && pubsub.publishToTurn({ kind: 'wake', turnId: id });
  const load = async () => (await loadTurn(db, id))!;
  const end = async (ending: Omit<Ending, 'turnId' | 'conversationId'>) => {
    await db.transaction().execute((trx) => endTurn(trx, { ...ending, turnId: id, conversationId }));
    wake();
  };
  return {
    id,
    load,
    /** Publishes no more hints, as if all hints were lost. */
    loseHints: () => {
      hints.arePublished = false;
    },
    start: async () => {
      await takeLease(db, await load(), RUN);
      wake();
    },
    /** Publishes the current round of the turn, as its model call would. */
    publishRound: async () => {
      const { work } = await load();
      const round = readStep(work.step).round;
      const run = { lease: { draft: work.draft, taken: Promise.resolve() }, published: false };
      const publisher = publishRound(watchers, { turn_id: id, round, attempt: work.generation + 1 }, run);
      const tracked = watchers.trackInFlight(id, publisher);
      return {
        say: (text: string) => publisher.take({ kind: 'text', text }),
        think: (text: string) => publisher.take({ kind: 'reasoning', text }),
        host: (call: Omit<HostedCall, 'offset'>) => publisher.take({ kind: 'hosted-call', text: '', call }),
        writeArguments: (text: string) => publisher.take({ kind: 'tool-arguments', index: 0, text }),
        end: () => {
          publisher[Symbol.dispose]();
          tracked[Symbol.dispose]();
        },
      };
    },
    requestTools: async (calls: string[], text: string | null = null) => {
      const number = readStep((await load()).work.step).round;
      const open = { arguments: '{}', effect: 'none' as const, waitsFor: null, expiresInSeconds: null };
      const requested = calls.map((id) => ({ id, name: 'weather_lookup', ...open }));
      const round = {
        number,
        model: plainConfig.model,
        attempts: 1,
        startedAt: msAgo(0),
        warnings: [],
        webhook: null,
      };
      await saveRound(db, {
        ...round,
        turnId: id,
        reply: { ...reply, text, finishReason: 'tool_calls' },
        calls: requested,
      });
      wake();
    },
    answerTool: async (round: number, index: number, content = 'sunny') => {
      const result = { status: 'success' as const, content, error: null, truncated: false, cached: false };
      const call = callsOf(await load(), round)[index]!;
      const answer = { call, result: { ...result, duration_ms: 1, attempts: 1 }, fullOutput: null };
      await saveResults(db, { turnId: id, round, results: [answer] });
      wake();
    },
    postpone: async () => {
      const { step } = (await load()).work;
      const eventData = { phase: 'llm_round', round: readStep(step).round, error: null, retry_in_ms: 0 };
      await postponeStep(db, {
        turnId: id,
        step,
        generation: (await load()).work.generation,
        called: [],
        runId: RUN,
        delayMs: 0,
        attempt: true,
        rateLimited: false,
        waitedMs: 0,
        eventData,
      });
      wake();
    },
    complete: async (output = 'Done.') => {
      const number = readStep((await load()).work.step).round;
      await end({
        status: 'completed',
        output,
        lastRound: { number, model: plainConfig.model, reply, attempts: 1, startedAt: msAgo(0) },
      });
    },
    fail: () =>
      end({ status: 'failed', error: { type: 'internal_error', code: 'internal', message: 'No.', retryable: true } }),
    cancel: () => end({ status: 'cancelled' }),
    retry: async () => {
      await db.transaction().execute((trx) => retryTurn(trx, { project: 'default', turnId: id, needsSlot: false }));
      wake();
    },
  };
}
