import type { Emit } from '../explore/model.ts';
import { at, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { named, type Suite, suiteOf } from '../suite.ts';
import { eraseFound, findErasable, lookAtRemoval, removeThreadTurn } from './thread-erasure.ts';
import { type ThreadGuards, threadGuards } from './thread-guards.ts';
import { brokenThread, isThreadDone } from './thread-history.ts';
import { type Create, firstThread, isFound, type ThreadState } from './thread-state.ts';
import {
  type Asks,
  decideCreate,
  endThreadTurn,
  hideThreadTurn,
  mayRetryThread,
  type ThreadScene,
  writeCreate,
} from './thread-writes.ts';

/** The model of a conversation with its forks, deletions and erasures (R20, R21, R22, R31). */
export const threadSuite: Suite = suiteOf({
  promise: 'the history of each turn never changes',
  guards: threadGuards,
  modelOf: (guards: ThreadGuards, { asks, faults }: { asks: Asks; faults: Left }) =>
    plainModel<ThreadState>({
      first: firstThread(),
      faults,
      movesOf: (state, emit) => movesOfThread(state, { asks, guards }, emit),
      brokenIn: (state) => brokenThread(state, guards),
      isDone: isThreadDone,
    }),
  scenes: ({ each }) =>
    named('threads', [
      ...(['output', 'approval'] as const).flatMap((asks) =>
        [{ hide: each + 2 }, { hide: each, remove: each + 1 }].map((deletes) => ({
          asks,
          faults: { create: each + 1, unstored: 1, ...deletes, fail: 1, retry: 1 },
        })),
      ),
      { asks: 'approval' as const, faults: { create: 3, hide: 2 } },
    ]),
});

function movesOfThread(state: ThreadState, scene: ThreadScene, emit: Emit<ThreadState>): void {
  workTurns(state, scene, emit);
  startTurns(state, scene, emit);
  state.turns.forEach((turn, index) => {
    if (mayRetryThread(state, index, scene.guards)) {
      const again = { status: 'waiting', failed: false };
      emit(`a caller retries turn ${index}`, (after) => Object.assign(at(after.turns, index), again), 'retry');
    }
    if (isFound(turn)) emit(`a caller deletes response ${index}`, (after) => hideThreadTurn(after, index), 'hide');
  });
  removeTurns(state, scene, emit);
  eraseThreads(state, scene, emit);
}

/**
 * Models a removal, which reads and writes under one lock. Without the lock, another commit may happen in between.
 */
function removeTurns(state: ThreadState, { guards }: ThreadScene, emit: Emit<ThreadState>): void {
  const { removing } = state;
  if (removing) {
    emit(`the removal of turn ${removing.index} is written`, (after) => {
      after.removing = null;
      if (!at(after.turns, removing.index).erased) removeThreadTurn(after, removing, guards);
    });
  }
  for (const index of state.turns.keys()) {
    const looked = lookAtRemoval(state, index, guards);
    if (!looked) continue;
    emit(
      `a caller or the retention removes turn ${index}`,
      (after) => removeThreadTurn(after, looked, guards),
      'remove',
    );
    if (!guards.removalLocksThread && !removing)
      emit(`a removal reads turn ${index}`, (after) => Object.assign(after, { removing: looked }), 'remove');
  }
}

function workTurns(state: ThreadState, scene: ThreadScene, emit: Emit<ThreadState>): void {
  state.conversations.forEach((_, conversation) => {
    const first = state.turns.findIndex((turn) => turn.conversation === conversation && turn.status === 'waiting');
    if (first < 0) return;
    emit(`turn ${first} ends`, (after) => endThreadTurn(after, at(after.turns, first), scene));
    emit(
      `turn ${first} fails`,
      (after) => Object.assign(at(after.turns, first), { status: 'ended', failed: true }),
      'fail',
    );
  });
}

/** Models a create, which decides and writes under one lock. Without the lock, another commit may happen in between. */
function startTurns(state: ThreadState, scene: ThreadScene, emit: Emit<ThreadState>): void {
  const { looked } = state;
  if (looked) {
    emit(`the create on turn ${looked.on} is written`, (after) => {
      after.looked = null;
      writeCreate(after, looked, { ...scene, isFork: looked.isFork });
    });
  }
  for (const create of createsOf(state)) {
    const decision = decideCreate(state, create, scene);
    if (decision === 'refused') continue;
    const { on, by, stored, answers } = create;
    const verb = `a caller starts a turn${stored ? '' : ' (unstored)'} on ${by === 'turn' ? '' : 'the conversation of '}turn ${on}${answers ? ', answering its call' : ''}`;
    const isFork = decision === 'fork';
    const fault = stored ? 'create' : 'unstored';
    emit(`${verb}: ${decision}`, (after) => writeCreate(after, create, { ...scene, isFork }), fault);
    if (!scene.guards.createLocksThread && !looked)
      emit(`${verb}: reads`, (after) => Object.assign(after, { looked: { ...create, isFork } }), fault);
  }
}

/** Returns the possible creates. The end of a conversation is its last visible turn. */
function createsOf(state: ThreadState): Create[] {
  const ends = state.conversations.map((_, conversation) =>
    state.turns.findLastIndex((turn) => turn.conversation === conversation && isFound(turn)),
  );
  const targets = [
    ...[...state.turns.keys()].map((on) => ({ on, by: 'turn' as const })),
    ...ends.filter((on) => on >= 0).map((on) => ({ on, by: 'conversation' as const })),
  ];
  const kinds = [true, false].flatMap((stored) => [true, false].map((answers) => ({ stored, answers })));
  return targets.flatMap((target) => kinds.map((kind) => ({ ...target, ...kind })));
}

function eraseThreads(state: ThreadState, { guards }: ThreadScene, emit: Emit<ThreadState>): void {
  state.conversations.forEach(({ isEraseDue, isErased }, conversation) => {
    if (!isEraseDue || isErased) return;
    const found = findErasable(state, conversation, guards);
    emit(`conversation ${conversation} is checked and erased`, (after) =>
      eraseFound(after, conversation, { found, guards }),
    );
    if (!guards.eraseLocksThread && state.found.length === 0 && found.length > 0)
      emit(`the eraser checks conversation ${conversation}`, (after) => Object.assign(after, { found }));
  });
  const [first] = state.found;
  if (first === undefined) return;
  emit('the eraser deletes the turns that it found', (after) => {
    eraseFound(after, at(after.turns, first).conversation, { found: after.found, guards });
    after.found = [];
  });
}
