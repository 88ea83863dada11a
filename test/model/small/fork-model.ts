import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { CHECKPOINT, type Table, TURN, TURNS, type Up } from '../guards/guard.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const changed = 'the basis of a fork changed';
const plan = `${TURN}/forks/plan-fork.ts`;
const erase = `${CHECKPOINT}/deletion/erase-rounds.ts`;

/** The guards that keep the rounds that a fork depends on, and no others: R37. */
const forkGuards = {
  forkLocksOrigin: {
    ...{
      rule: 'R37',
      file: 'services/api/turns/forks/start-fork.ts',
      code: 'await lockConversation(trx, project, conversationId)',
    },
    without: 'a fork reads its turn before it locks the conversation, and the turn is deleted',
    ...{ faults: { fork: 1, remove: 1 }, caught: 'a fork is based on a deleted turn' },
  },
  forkedRoundIsAnswered: {
    ...{ rule: 'R37', file: plan, code: 'afterRound > answered.length' },
    without: 'a fork is based on a round with an open call',
    ...{ faults: { fork: 1 }, caught: changed },
  },
  forkReadsUpToItsRound: {
    ...{ rule: 'R37', file: `${TURNS}/reading/history.ts`, code: 'turnUpTo(turn, round)' },
    without: 'a fork reads rounds that were saved after the fork',
    ...{ faults: { fork: 1 }, caught: changed },
  },
  answerStaysOneRound: {
    ...{ rule: 'R37', file: `${TURN}/forks/turn-up-to.ts`, code: 'answeringRound(turn)?.number === round' },
    without: 'a fork reads the output of a turn that ended after the fork',
    ...{ faults: { fork: 1 }, caught: changed },
  },
  stoodOnIsKept: {
    ...{ rule: 'R37', file: erase, code: 'number > last' },
    without: 'a delete of the turn erases rounds that a fork is based on',
    ...{ faults: { fork: 1, remove: 1 }, caught: changed },
  },
  restIsErased: {
    ...{ rule: 'R37', file: `${CHECKPOINT}/deletion/remove-turns.ts`, code: 'await eraseRounds(trx, conversationIds)' },
    without: 'a delete of the turn keeps rounds that no fork stands on',
    ...{ faults: { fork: 1, remove: 1 }, caught: 'a round was kept without a fork' },
  },
  lastForkErases: {
    ...{ rule: 'R37', file: `${CHECKPOINT}/deletion/erase-threads.ts`, code: 'await eraseRounds(trx, [...origins])' },
    without: 'rounds are kept that only a deleted fork was based on',
    ...{ faults: { fork: 2, remove: 1, drop: 1 }, caught: 'a round was kept without a fork' },
  },
} satisfies Table;

type ForkGuards = Up<typeof forkGuards>;

/** A turn, and the forks that depend on its rounds. */
type ForkState = Kept & {
  status: 'active' | 'ended' | 'failed';
  /** The result of the call of each round, null while the call is open, undefined after the round is erased. */
  rounds: (string | null | undefined)[];
  isAnswered: boolean;
  isRemoved: boolean;
  forks: { upTo: number; isThere: boolean; history: string }[];
  /**
   * The last round of a fork that a caller has planned and not written. Only mutants read in one step and write in a
   * later step.
   */
  looked: number | null;
};

const MOST_ROUNDS = 3;

/** The model of a turn that runs, ends, is retried and deleted, while forks depend on its rounds (R37). */
export const forkSuite: Suite = suiteOf({
  promise: 'the rounds of a fork never change, and are kept as long as the fork',
  guards: forkGuards,
  modelOf: (guards: ForkGuards, { faults }: { faults: Left }) =>
    plainModel<ForkState>({
      first: { status: 'active', rounds: [], isAnswered: false, isRemoved: false, forks: [], looked: null },
      faults,
      movesOf: (state, emit) => {
        workTurn(state, emit);
        startForks(state, guards, emit);
        deleteAny(state, guards, emit);
      },
      brokenIn: (state) => brokenFork(state, guards),
      isDone: ({ status, looked }) => status !== 'active' && looked === null,
    }),
  scenes: ({ each }) =>
    withFaults('forks', [{ fork: each + 1, remove: each, drop: each + 1, fail: each, retry: each }]),
});

function workTurn({ status, rounds, isRemoved }: ForkState, emit: Emit<ForkState>): void {
  if (status === 'failed' && !isRemoved)
    emit('a caller retries the turn', (after) => Object.assign(after, { status: 'active' }), 'retry');
  if (status !== 'active') return;
  if (rounds.at(-1) === null) {
    emit('the call is answered', (after) => after.rounds.splice(-1, 1, `result ${after.rounds.length}`));
    return;
  }
  if (rounds.length < MOST_ROUNDS) emit('a round with a call is saved', (after) => after.rounds.push(null));
  emit('the turn is answered', (after) => {
    after.rounds.push('answer');
    Object.assign(after, { status: 'ended', isAnswered: true });
  });
  emit('the turn is cancelled', (after) => Object.assign(after, { status: 'ended' }));
  emit('the turn fails', (after) => Object.assign(after, { status: 'failed' }), 'fail');
}

/** Models a fork, which decides and writes under one lock. Without the lock, a delete may happen in between. */
function startForks(state: ForkState, guards: ForkGuards, emit: Emit<ForkState>): void {
  const { looked } = state;
  if (looked !== null)
    emit('the fork is written', (after) => {
      after.looked = null;
      writeFork(after, looked, guards);
    });
  if (state.isRemoved) return;
  for (let upTo = 0; upTo <= state.rounds.length; upTo += 1) {
    if (guards.forkedRoundIsAnswered && state.rounds.slice(0, upTo).includes(null)) continue;
    emit(`a caller forks after round ${upTo}`, (after) => writeFork(after, upTo, guards), 'fork');
    if (!guards.forkLocksOrigin && looked === null)
      emit(`a caller reads round ${upTo}`, (after) => Object.assign(after, { looked: upTo }), 'fork');
  }
}

function writeFork(state: ForkState, upTo: number, guards: ForkGuards): void {
  if (state.isRemoved) state.broken ??= 'a fork is based on a deleted turn';
  state.forks.push({ upTo, isThere: true, history: readUpTo(state, upTo, guards) });
}

/** Models `delete-turn.ts` of an ended turn, and the delete of a fork with all rounds that only it depended on. */
function deleteAny(state: ForkState, guards: ForkGuards, emit: Emit<ForkState>): void {
  if (state.status !== 'active' && !state.isRemoved)
    emit(
      'a caller deletes the turn',
      (after) => {
        after.isRemoved = true;
        if (guards.restIsErased || !after.forks.some(({ isThere }) => isThere)) eraseRest(after, guards);
      },
      'remove',
    );
  for (const [index, { isThere }] of state.forks.entries()) {
    if (!isThere) continue;
    emit(
      `a caller deletes fork ${index}`,
      (after) => {
        Object.assign(after.forks[index] ?? {}, { isThere: false });
        if (after.isRemoved && guards.lastForkErases) eraseRest(after, guards);
      },
      'drop',
    );
  }
}

/** Models `erase-rounds.ts`: erases all rounds after the last round that a fork reads. */
function eraseRest(state: ForkState, { stoodOnIsKept }: ForkGuards): void {
  const last = stoodOnIsKept ? lastStoodOn(state) : 0;
  state.rounds = state.rounds.map((round, index) => (index < last ? round : undefined));
}

function lastStoodOn({ forks }: ForkState): number {
  return Math.max(0, ...forks.filter(({ isThere }) => isThere).map(({ upTo }) => upTo));
}

/** Models `turn-up-to.ts`: returns the rounds that are sent of the turn. Its answer is sent as the last round. */
function readUpTo({ rounds, isAnswered }: ForkState, upTo: number, guards: ForkGuards): string {
  const read = guards.forkReadsUpToItsRound ? rounds.slice(0, upTo) : rounds.slice(0, isAnswered ? -1 : undefined);
  const withAnswer = isAnswered && !guards.answerStaysOneRound && !read.includes('answer');
  return JSON.stringify([...read.map((round) => round ?? 'nothing'), ...(withAnswer ? ['answer'] : [])]);
}

function brokenFork(state: ForkState, guards: ForkGuards): string | null {
  const isChanged = state.forks.some(
    ({ isThere, upTo, history }) => isThere && readUpTo(state, upTo, guards) !== history,
  );
  if (isChanged) return 'the basis of a fork changed';
  const isLeft = state.rounds.slice(lastStoodOn(state)).some((round) => round !== undefined);
  return state.isRemoved && isLeft ? 'a round was kept without a fork' : null;
}
