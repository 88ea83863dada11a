import { plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { named, type Suite, suiteOf } from '../suite.ts';
import { type BatchGuards, batchGuards } from './batch-guards.ts';
import { workAtProvider } from './batch-provider.ts';
import { callTurns, moveRounds, settleRequests } from './batch-rounds.ts';
import { type BatchSetting, type BatchState, firstBatches } from './batch-state.ts';
import { workBatches } from './batch-workers.ts';

/** The model of the rounds by batch (R42, R43, R44). */
export const batchSuite: Suite = suiteOf({
  promise: 'a batch is sent once, and each answer is used or counted once',
  guards: batchGuards,
  modelOf: (guards: BatchGuards, { faults, ...setting }: BatchSetting & { faults: Left }) =>
    plainModel<BatchState>({
      first: firstBatches(setting),
      faults,
      movesOf: (state, emit) => {
        moveRounds(state, emit, guards);
        callTurns(state, emit);
        settleRequests(state, emit, guards);
        workBatches(state, emit, guards);
        workAtProvider(state, emit);
      },
      brokenIn,
      isDone,
    }),
  scenes: ({ each }) =>
    named('batches', [
      { faults: { crash: each, stall: each } },
      { faults: { crash: each, lostAck: each } },
      { faults: { stall: each, lostAck: each } },
      { faults: { stall: each, cancel: 1 } },
      { faults: { stall: each, late: 1 } },
      { faults: { crash: each, late: 1, duplicate: each } },
      { faults: { stall: each, refused: 1 } },
      { faults: { stall: each, definite: 1 } },
      { faults: { fail: 1, lostAck: 1, stall: each } },
      { faults: { later: 1, stall: each } },
      { faults: { change: 1, stall: each } },
      { faults: { join: 1, stall: each } },
      { faults: { lose: 1, duplicate: 1, cancel: 1 } },
      { rounds: 2, faults: { stall: each } },
      { runs: 2, faults: { stall: each, duplicate: 1 } },
      { turns: 2, faults: { crash: each } },
      { turns: 2, faults: { cancel: 1 } },
      { turns: 2, faults: { refusal: 1 } },
      { turns: 2, isClaimed: true, faults: { fail: 1, lostAck: each } },
      { turns: 2, isClaimed: true, faults: { refusal: 1, crash: each } },
      { turns: 2, size: 1, faults: { crash: each } },
      { keyless: true, faults: { start: 1, lostAck: each, stall: 1 } },
      { keyless: true, turns: 2, size: 1, faults: { lostAck: 1 } },
      { keyless: true, turns: 2, faults: { refusal: 1, lostAck: 1 } },
    ]),
});

/** Returns the broken promise of a state about the requests at the provider, and their rows. */
function brokenIn({ requests, batches, kept, keepsKey }: BatchState): string | null {
  const accepted = kept.filter(({ at }) => at !== 'refused').flatMap((batch) => batch.requests);
  if (new Set(accepted).size < accepted.length) return 'a request was sent twice';
  const isLost = (id: number) => requests[id]?.row === 'gone' && requests[id].records === 0;
  if (accepted.some(isLost)) return 'an answer was neither used nor counted';
  if (!keepsKey && batches.filter(({ at }) => at === 'asked').length > 1)
    return 'two batches of one account were unconfirmed';
  return null;
}

/** All turns are over, and no row is left. */
function isDone({ turns, runs, requests, batches, workers }: BatchState): boolean {
  return (
    turns.every(({ status }) => status === 'over') &&
    requests.every(({ row }) => row === 'gone') &&
    batches.every(({ at }) => at === 'removed') &&
    [...runs, ...workers].every(({ at }) => at === 'idle')
  );
}
