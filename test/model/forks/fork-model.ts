import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { ForkGuards } from './fork-guards.ts';
import { type ForkFault, type ForkState, firstForkState } from './fork-state.ts';

type Emit = EmitPlain<ForkState, ForkFault>;

const MOST_ROUNDS = 3;

/** The model of a turn that runs, ends, is retried and deleted, while forks stand on its rounds (R37). */
export function forkModel({ guards, left }: { guards: ForkGuards; left: Left<ForkFault> }): Model<ForkState> {
  return plainModel({
    first: firstForkState(left),
    movesOf: (state, emit) => {
      workTurn(state, emit);
      startForks(state, guards, emit);
      deleteAny(state, guards, emit);
    },
    brokenIn: (state) => brokenFork(state, guards),
    isDone: ({ status, looked }) => status !== 'active' && looked === null,
  });
}

function workTurn({ status, rounds, isRemoved }: ForkState, emit: Emit): void {
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
  emit('the turn is cut short', (after) => Object.assign(after, { status: 'ended' }));
  emit('the turn fails', (after) => Object.assign(after, { status: 'failed' }), 'fail');
}

/** A fork decides and writes under one lock; without it, a delete may come between. */
function startForks(state: ForkState, guards: ForkGuards, emit: Emit): void {
  const { looked } = state;
  if (looked !== null)
    emit('the fork is written', (after) => {
      after.looked = null;
      writeFork(after, looked, guards);
    });
  if (state.isRemoved) return;
  for (let upTo = 0; upTo <= state.rounds.length; upTo += 1) {
    if (guards.forkedRoundIsAnswered && state.rounds.slice(0, upTo).includes(null)) continue;
    emit(`a caller forks behind round ${upTo}`, (after) => writeFork(after, upTo, guards), 'fork');
    if (!guards.forkLocksOrigin && looked === null)
      emit(`a caller looks at round ${upTo}`, (after) => Object.assign(after, { looked: upTo }), 'fork');
  }
}

function writeFork(state: ForkState, upTo: number, guards: ForkGuards): void {
  if (state.isRemoved) state.broken ??= 'a fork stands on a turn that is gone';
  state.forks.push({ upTo, isThere: true, told: readUpTo(state, upTo, guards) });
}

/** `delete-turn.ts` of a turn that has ended, and the delete of a fork with all that it alone stood on. */
function deleteAny(state: ForkState, guards: ForkGuards, emit: Emit): void {
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

/** `erase-rounds.ts`: all behind the last round that a fork reads. */
function eraseRest(state: ForkState, { stoodOnIsKept }: ForkGuards): void {
  const last = stoodOnIsKept ? lastStoodOn(state) : 0;
  state.rounds = state.rounds.map((round, index) => (index < last ? round : undefined));
}

function lastStoodOn({ forks }: ForkState): number {
  return Math.max(0, ...forks.filter(({ isThere }) => isThere).map(({ upTo }) => upTo));
}

/** `turn-up-to.ts`: what is sent of the turn. Its answer is told as the last round. */
function readUpTo({ rounds, isAnswered }: ForkState, upTo: number, guards: ForkGuards): string {
  const read = guards.forkReadsUpToItsRound ? rounds.slice(0, upTo) : rounds.slice(0, isAnswered ? -1 : undefined);
  const withAnswer = isAnswered && !guards.answerStaysOneRound && !read.includes('answer');
  return JSON.stringify([...read.map((round) => round ?? 'nothing'), ...(withAnswer ? ['answer'] : [])]);
}

function brokenFork(state: ForkState, guards: ForkGuards): string | null {
  const isChanged = state.forks.some(({ isThere, upTo, told }) => isThere && readUpTo(state, upTo, guards) !== told);
  if (isChanged) return 'what a fork stands on changed';
  const isLeft = state.rounds.slice(lastStoodOn(state)).some((round) => round !== undefined);
  return state.isRemoved && isLeft ? 'a round is kept for nothing' : null;
}
