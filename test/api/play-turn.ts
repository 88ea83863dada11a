import { createConversation } from '#core/checkpoint/create-conversation.ts';
import { createTurn } from '#core/checkpoint/create-turn.ts';
import type { Db } from '#core/checkpoint/database.ts';
import { endTurn } from '#core/checkpoint/end-turn.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { postponeStep } from '#core/checkpoint/postpone-step.ts';
import { retryTurn } from '#core/checkpoint/retry-turn.ts';
import { saveResults } from '#core/checkpoint/save-results.ts';
import { saveRound } from '#core/checkpoint/save-round.ts';
import { takeHold } from '#core/checkpoint/take-hold.ts';
import type { Ending } from '#core/checkpoint/write-ending.ts';
import { newId } from '#core/id.ts';
import type { Live } from '#core/live/live.ts';
import type { Reply } from '#core/turn/reply.ts';
import { announceRound } from '#services/worker/announce-round.ts';
import type { Audience } from '#services/worker/audience.ts';
import { plainConfig } from '#test/world/plain-config.ts';

type Parts = { db: Db; live: Live; audience: Audience };

const RUN = 'run_of_test';

const reply: Reply = {
  text: null,
  calls: [],
  finishReason: 'stop',
  finishReasonRaw: 'stop',
  usage: null,
  opaque: null,
};

/** A turn that the test carries on, checkpoint by checkpoint, as a worker would; each wakes whoever watches. */
export async function playTurn({ db, live, audience }: Parts) {
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

  const state = { isHeard: true };
  const wake = () => state.isHeard && live.tellWatchers({ kind: 'wake', turnId: id });
  const load = async () => (await loadTurn(db, id))!;
  const end = async (ending: Omit<Ending, 'turnId' | 'conversationId'>) => {
    await db.transaction().execute((trx) => endTurn(trx, { ...ending, turnId: id, conversationId }));
    wake();
  };
  return {
    id,
    load,
    /** From now on nobody is told of what is committed: as if every hint was lost. */
    loseHints: () => {
      state.isHeard = false;
    },
    start: async () => {
      await takeHold(db, await load(), RUN);
      wake();
    },
    /** Goes on air with the round the turn is on. */
    air: async () => {
      const { work } = await load();
      const round = Number(work.step.slice(1));
      const announcer = announceRound(audience, { turn_id: id, round, attempt: work.ring + 1 });
      const listed = audience.add(id, announcer);
      return {
        say: (text: string) => announcer.take({ kind: 'text', text }),
        think: (text: string) => announcer.take({ kind: 'reasoning', text }),
        writeArguments: (text: string) => announcer.take({ kind: 'tool-arguments', index: 0, text }),
        end: () => {
          announcer[Symbol.dispose]();
          listed[Symbol.dispose]();
        },
      };
    },
    askForTools: async (calls: string[], text: string | null = null) => {
      const number = Number((await load()).work.step.slice(1));
      const open = { arguments: '{}', effect: 'none' as const, waitsFor: null, expiresInSeconds: null };
      const asked = calls.map((id) => ({ id, name: 'weather_lookup', ...open }));
      const round = { number, attempts: 1, startedAt: Date.now(), warnings: [], webhook: null };
      await saveRound(db, {
        ...round,
        turnId: id,
        reply: { ...reply, text, finishReason: 'tool_calls' },
        calls: asked,
      });
      wake();
    },
    answerTool: async (round: number, index: number, content = 'sunny') => {
      const result = { status: 'success' as const, content, error: null, truncated: false, cached: false };
      const known = { index, result: { ...result, duration_ms: 1, attempts: 1 }, fullOutput: null };
      await saveResults(db, { turnId: id, round, results: [known] });
      wake();
    },
    postpone: async () => {
      const { step } = (await load()).work;
      const told = { phase: 'llm_round', round: Number(step.slice(1)), error: null, retry_in_ms: 0 };
      await postponeStep(db, {
        turnId: id,
        step,
        ring: (await load()).work.ring,
        called: [],
        runId: RUN,
        delayMs: 0,
        attempt: true,
        rateLimited: false,
        parkedMs: 0,
        told,
      });
      wake();
    },
    complete: async (output = 'Done.') => {
      const number = Number((await load()).work.step.slice(1));
      await end({ status: 'completed', output, lastRound: { number, reply, attempts: 1, startedAt: Date.now() } });
    },
    fail: () =>
      end({ status: 'failed', error: { type: 'internal_error', code: 'internal', message: 'No.', retryable: true } }),
    cancel: () => end({ status: 'cancelled' }),
    retry: async () => {
      await db.transaction().execute((trx) => retryTurn(trx, 'default', id));
      wake();
    },
  };
}
